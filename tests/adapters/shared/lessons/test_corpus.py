"""Every text of the corpus teaches what it should, and nothing else."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from adapters.shared.lessons import Lessons, read_lessons

TEXTS: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("corpus.toml").read_text(encoding="utf-8"))["text"]


def collect(lessons: Lessons) -> dict[str, Any]:
    """Return what was learned in the form of the corpus, without what is empty."""
    failed: dict[str, list[str]] = {}
    for verb, kind in sorted(lessons.failed_tools):
        failed.setdefault(verb, []).append(kind)
    absent: dict[str, list[str]] = {}
    for thing, place in sorted(lessons.absent):
        absent.setdefault(thing, []).append(place)
    found = {
        "tools": {verb: list(kinds) for verb, kinds in lessons.tools.items()},
        "failed": failed,
        "places": {thing: list(kinds) for thing, kinds in lessons.places.items()},
        "prefer": [list(pair) for pair in lessons.preferred],
        "recipes": {" ".join(sorted(one.verbs)): ", ".join(one.steps) for one in reversed(lessons.recipes)},
        "found": {thing: list(names) for thing, names in lessons.found.items()},
        "absent": absent,
    }
    return {name: value for name, value in found.items() if value}


@pytest.mark.parametrize("entry", TEXTS, ids=[f"{at}-{entry['form']}" for at, entry in enumerate(TEXTS)])
def test_text_teaches_what_the_corpus_says(entry: dict[str, Any]) -> None:
    text = entry["text"]
    lessons = read_lessons("", text) if entry.get("own") else read_lessons(text)
    expected = {name: value for name, value in entry.items() if name not in ("form", "text", "own")}
    if "absent" in expected:
        expected["absent"] = {thing: sorted(names) for thing, names in expected["absent"].items()}
    assert collect(lessons) == expected
    assert (lessons.understood > 0) == bool(expected)
    assert lessons.understood <= lessons.lines


def test_corpus_has_every_form() -> None:
    forms = Counter(entry["form"] for entry in TEXTS)
    assert set(forms) == set("abcdefgn")
    assert len(TEXTS) >= 60
