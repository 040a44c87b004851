"""What the offline model replies where ExpeL asks for insights: what the successful attempts did, as general sentences.

A sentence that is an insight already is voted up; one that differs from it by its place alone makes it wider; another
is added. Of a full list the last one is voted down first.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from baselines.shared.insight_calls import INSIGHTS_HEADING, list_shown
from baselines.shared.lifting import leave_out_place, list_sentences
from bench.protocols import OfflineRule
from bench.types import Message

__all__ = ["RULES", "CompareRule", "SuccessRule"]

_HEADERS = {
    name: Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8").split("\n", 1)[0]
    for name in ("compare", "success")
}
_SECTION = re.compile(r"^# (Task|Failed attempt|Successful attempt|Insights so far)\n", re.MULTILINE)
_MOST = 4


class CompareRule:
    """Role ``insight`` with a failed and a successful attempt: what the failed one did too makes no difference."""

    role = "insight"
    header = _HEADERS["compare"]

    def reply(self, messages: Sequence[Message]) -> str:
        sections = _read_sections(messages[1].content)
        opening = sections[0][1]
        done = {name: list_sentences(opening, text) for name, text in sections[1:3]}
        found = [one for one in done.get("Successful attempt", []) if one not in done.get("Failed attempt", [])]
        return _answer(found, messages)


class SuccessRule:
    """Role ``insight`` with successful attempts: what most of them did; of several tasks, at least two."""

    role = "insight"
    header = _HEADERS["success"]

    def reply(self, messages: Sequence[Message]) -> str:
        sections = _read_sections(messages[1].content)
        pairs = [(task, steps) for (_, task), (name, steps) in pairwise(sections) if name == "Successful attempt"]
        counts = Counter(sentence for task, steps in pairs for sentence in list_sentences(task, steps))
        least = min(2, len(pairs))
        return _answer([one for one, count in counts.most_common() if count >= least], messages)


def _read_sections(text: str) -> list[tuple[str, str]]:
    """Return the headings of a request with the text below each, in order."""
    parts = _SECTION.split(text)[1:]
    return [(name, body.strip()) for name, body in zip(parts[::2], parts[1::2], strict=True)]


def _answer(sentences: Sequence[str], messages: Sequence[Message]) -> str:
    """Return operations, at most one on each insight; a full list gets one new insight in the place of its last."""
    shown = messages[1].content.rpartition(f"{INSIGHTS_HEADING}\n")[2]
    known = {text: number for number, text in list_shown(shown).items()}
    full = "The list is full" in messages[0].content
    found: dict[int | str, dict[str, Any]] = {}
    for sentence in sentences:
        operation = _choose(sentence, known)
        found.setdefault(operation.get("id", sentence), operation)
    new = [one for one in found.values() if one["op"] == "add"]
    kept = [one for one in found.values() if one["op"] != "add" or not full][:_MOST]
    if full and new and len(kept) <= _MOST - 2 and (last := [*known.values()][-1]) not in found:
        kept += [{"op": "downvote", "id": last}, new[0]]
    return json.dumps({"operations": kept}, ensure_ascii=False)


def _choose(sentence: str, known: Mapping[str, int]) -> dict[str, Any]:
    """Return what a sentence asks for: two places of one deed show that the place makes no difference."""
    wide = leave_out_place(sentence)
    for text in (sentence, wide):
        if text in known:
            return {"op": "upvote", "id": known[text]}
    same = next((number for text, number in known.items() if wide and leave_out_place(text) == wide), None)
    return {"op": "add", "text": sentence} if same is None else {"op": "edit", "id": same, "text": wide}


RULES: tuple[OfflineRule, ...] = (CompareRule(), SuccessRule())
"""What the offline model knows about this strategy."""
