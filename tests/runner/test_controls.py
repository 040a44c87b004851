"""Controls of an artifact: the same form and length, decided by the artifact alone; what they change and what stays."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import UsageError
from bench.models.tokenizers import count_tokens
from bench.runner.artifacts import LearnedArtifact, Provenance
from bench.runner.controls import CONTROLS, list_texts, make_control
from bench.types import Artifact

ABOUT = Provenance(
    "mine-v1", "mine", "toy", "houses", "two-splits", 0, "offline/reader", ("window",), "pool", 3, 2, {}, {}, {}
)
STEPS = (
    "# Task\nYou are in the middle of a hall. Your task is to: warm some soup and bring it to the cellar.\n\n"
    "# Outcome\nsolved\n\n# Steps\n[1] Action: take the soup 1 from the shelf 2\n[1] Observation: You take it.\n"
    "[2] Action: warm soup 1 with stove 1\n[2] Observation: You warm the soup 1. It steams in the pan 3.\n"
    "[3] Action: cool soup 1 with barrel 1"
)
FILES = {
    "experience/0001.txt": STEPS,
    "experience/0002.txt": STEPS.replace("soup", "milk").replace("with barrel 1", "with stove 2"),
    "experience/0003.txt": STEPS.replace("soup", "tea"),
    "insights/0001.txt": "Warm things with a stove, and look in the cellars.\n(insight 1, count 12)\n",
    "insights/operations.jsonl": '{"text": "Warm things with a stove."}\n',
    "vectors/0001.txt": "hash\n0.1 0.2\n",
    "log/learning.txt": "calls that failed = 3\n",
}
SOURCES = {f"experience/000{n}.txt": (f"task-{n}",) for n in (1, 2, 3)}


def make(files: dict[str, str] | None = None) -> LearnedArtifact:
    files = FILES if files is None else files
    sources = {name: tasks for name, tasks in SOURCES.items() if name in files}
    return LearnedArtifact(Artifact(files, sources, ("task-1", "task-2", "task-3")), ABOUT)


def count(learned: LearnedArtifact) -> int:
    return sum(map(count_tokens, list_texts(learned.artifact).values()))


@pytest.mark.parametrize("kind", CONTROLS)
def test_control_is_marked_and_has_the_same_files_and_tokens(kind: str) -> None:
    one = make()
    control = make_control(one, kind)
    assert (control.about.control, control.about.origin) == (kind, one.digest)
    assert replace(control.about, control="", origin="") == one.about
    assert list(control.artifact.files) == list(FILES)
    assert control.artifact.tasks == one.artifact.tasks
    assert control.digest != one.digest
    assert count(control) == pytest.approx(count(one), rel=0.03)


@pytest.mark.parametrize("kind", CONTROLS)
def test_control_is_the_same_every_time_and_leaves_what_no_prompt_shows(kind: str) -> None:
    first, again = make_control(make(), kind), make_control(make(), kind)
    assert first == again
    for name in ("insights/operations.jsonl", "vectors/0001.txt", "log/learning.txt"):
        assert first.artifact.files[name] == FILES[name]


def test_placebo_keeps_headings_marks_and_values_and_none_of_the_words() -> None:
    text = make_control(make(), "placebo").artifact.files["experience/0001.txt"]
    lines, before = text.split("\n"), STEPS.split("\n")
    assert len(lines) == len(before)
    for line, old in zip(lines, before, strict=True):
        if old.startswith("#") or old in ("", "solved"):
            assert line == old
        else:
            mark = re.match(r"(\[\d\] \w+: )?", old)
            assert mark is not None
            assert line.startswith(mark[0])
            assert line != old
    assert not {"soup", "cellar", "stove", "shelf", "warm"} & set(re.findall(r"[a-z]+", text))
    advice = make_control(make(), "placebo").artifact.files["insights/0001.txt"]
    assert advice.endswith("\n(insight 1, count 12)\n")
    assert "stove" not in advice


@given(st.lists(st.text("ab c:#[]1(){}.\n*-", max_size=60), min_size=1, max_size=5))
def test_placebo_keeps_lines_and_length_of_any_text(texts: list[str]) -> None:
    files = {f"notes/{number}.txt": text for number, text in enumerate(texts)}
    one = make(files)
    try:
        control = make_control(one, "placebo")
    except UsageError:
        words = (line.split() for text in texts for line in text.split("\n") if "#" not in line)
        assert not any(len(line) > 1 and all(word.isalpha() for word in line) for line in words)
        return
    for name, text in files.items():
        assert control.artifact.files[name].count("\n") == text.count("\n")
    lines = sum(text.count("\n") + 1 for text in texts)
    assert abs(count(control) - count(one)) <= 4 * lines + 8


def test_shuffled_gives_every_file_the_text_and_the_sources_of_another() -> None:
    one = make()
    artifact = make_control(one, "shuffled").artifact
    names = list(SOURCES)
    assert sorted(artifact.files[name] for name in names) == sorted(FILES[name] for name in names)
    for name in names:
        assert artifact.files[name] != FILES[name]
        (origin,) = (other for other in names if FILES[other] == artifact.files[name])
        assert artifact.sources[name] == SOURCES[origin]


def test_swapped_exchanges_what_stands_in_one_slot_everywhere() -> None:
    artifact = make_control(make(), "swapped").artifact
    text = artifact.files["experience/0001.txt"]
    assert "warm soup 1 with barrel 1" in text
    assert "cool soup 1 with stove 1" in text
    assert "in the middle of a hall" in text
    assert "bring it to the pan" in text
    assert "steams in the cellar 3" in text
    assert artifact.files["insights/0001.txt"].startswith("Warm things with a barrel, and look in the pans.")


@pytest.mark.parametrize(
    ("files", "kind", "message"),
    [
        (FILES, "placbo", "did you mean placebo"),
        ({}, "placebo", "expected something in the artifact of mine that placebo changes"),
        ({"insights/0001.txt": "One line here.\n"}, "shuffled", "shuffled changes, got nothing"),
        ({"insights/0001.txt": "Nothing to exchange here.\n"}, "swapped", "take another control"),
    ],
)
def test_control_that_would_change_nothing_is_refused(files: dict[str, str], kind: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make_control(make(files), kind)


def test_control_of_a_control_is_refused() -> None:
    with pytest.raises(UsageError, match="expected an artifact as it was learned, got a placebo control"):
        make_control(make_control(make(), "placebo"), "swapped")
