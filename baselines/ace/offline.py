"""What the offline model replies where ACE asks for lessons and for changes of the playbook.

Extractive: a solved attempt teaches what it did, another what the world refused. A bullet is helpful if a solved
attempt did what it says, or if the world refused the same again; harmful if what it says has no effect had one. It
knows English and nothing of any suite or task, and nothing of who reads the playbook.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from baselines.shared.lifting import leave_out_place, list_done, list_refused, list_sentences
from baselines.shared.lists import read_numbered_lines
from bench.protocols import OfflineRule
from bench.types import Message

__all__ = ["RULES", "CurateRule", "ReflectRule"]

_HEADERS = {
    name: Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8").split("\n", 1)[0]
    for name in ("reflect", "curate")
}
_SECTION = re.compile(r"^# (?:Playbook so far|Task|Attempt|Outcome|Analysis|Lessons)\n", re.MULTILINE)
_BULLET = re.compile(r"(?m)^#(?P<id>\d+) (?P<text>.+) \(helpful (?P<helpful>\d+), harmful (?P<harmful>\d+)\)$")
_NO_EFFECT = '"{}" had no effect.'
_REFUSED = re.compile(r'(?P<verb>"\w+) .+(?P<place> (?:with|from|to|into|in|on) .+" had no effect\.)')
_MOST_LESSONS, _MOST_OPERATIONS = 3, 4


class ReflectRule:
    """Role ``reflect`` with ACE's prompt."""

    role = "reflect"
    header = _HEADERS["reflect"]

    def reply(self, messages: Sequence[Message]) -> str:
        _, playbook, opening, attempt, outcome = _SECTION.split(messages[1].content, maxsplit=4)
        done = _widen_all(map(_NO_EFFECT.format, list_done(attempt)))
        refused = [text for text in map(_NO_EFFECT.format, list_refused(attempt)) if not _widen_all([text]) & done]
        solved = "did not" not in outcome
        did = list_sentences(opening, attempt) if solved else []
        known = {one["text"]: int(one["id"]) for one in _BULLET.finditer(playbook)}
        tags = {number: _tag(text, _widen_all([*did, *refused]), done) for text, number in known.items()}
        lessons = [text for text in did or refused if not _widen_all([text]) & {*known}]
        answer = {
            "analysis": "What it did last brought it there."
            if solved
            else f"The world refused {len(refused)} actions.",
            "lessons": lessons[:_MOST_LESSONS],
            "tags": [{"id": number, "tag": tag} for number, tag in tags.items() if tag],
        }
        return json.dumps(answer, ensure_ascii=False)


def _tag(text: str, confirmed: Collection[str], refuted: Collection[str]) -> str:
    if text in refuted:
        return "harmful"
    return "helpful" if text in confirmed else ""


def _widen(text: str) -> str:
    """Return what a text says without its place, or of what was refused without its thing; empty if that is nothing."""
    refused = _REFUSED.fullmatch(text)
    return f"{refused['verb']} a thing{refused['place']}" if refused else leave_out_place(text)


def _widen_all(texts: Iterable[str]) -> set[str]:
    """Return texts with their wider ones."""
    found = {*texts}
    return found | {wide for wide in map(_widen, found) if wide}


class CurateRule:
    """Role ``update`` with ACE's prompt: what two differ in makes no difference."""

    role = "update"
    header = _HEADERS["curate"]

    def reply(self, messages: Sequence[Message]) -> str:
        _, playbook, _, _, lessons = _SECTION.split(messages[1].content, maxsplit=4)
        bullets = list(_BULLET.finditer(playbook))
        known = {one["text"]: int(one["id"]) for one in bullets}
        wrong = [int(one["id"]) for one in bullets if int(one["harmful"]) > int(one["helpful"])]
        found: dict[int | str, dict[str, Any]] = {number: {"op": "remove", "id": number} for number in wrong}
        for lesson in read_numbered_lines(lessons):
            operation = _choose(lesson, known)
            found.setdefault(operation.get("id", lesson), operation)
        return json.dumps({"operations": list(found.values())[:_MOST_OPERATIONS]}, ensure_ascii=False)


def _choose(lesson: str, known: Mapping[str, int]) -> dict[str, Any]:
    wide = _widen(lesson)
    same = next((number for text, number in known.items() if wide and _widen(text) == wide), None)
    if same is not None:
        return {"op": "update", "id": same, "text": wide}
    section = "mistakes" if lesson.endswith(_NO_EFFECT.format("")[1:]) else "strategies"
    return {"op": "add", "section": section, "text": lesson}


RULES: tuple[OfflineRule, ...] = (ReflectRule(), CurateRule())
"""What the offline model knows about this strategy."""
