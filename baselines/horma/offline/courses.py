"""Which faults of notes explain that a task was done in one way and not in the other.

From what a feedback prompt shows of both courses of actions. Knows English, things with numbers such as ``mug 1``, and
no suite.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from baselines.shared.extractive import SMALL_WORDS, is_refusal

__all__ = ["explain_course"]

_SECTION = re.compile(r"^# (Task|With the whole past|With notes)(?:: (done|not done))?\n", re.MULTILINE)
_LINE = re.compile(r"\[(?P<step>\d+)\] (?P<kind>Notes|Action|Observation): (?P<text>.*)")
_THING = re.compile(r"\b[a-z]{2,20} \d{1,3}\b")
_SEEN_AT = re.compile(r"\[(?P<step>\d+)\] Observation: (?P<text>[^|]*)")
_TASK = re.compile(r"\b(?:task|goal)\b[^:\n]*: (?P<text>.+)", re.IGNORECASE)
_CUT = " ..."


@dataclass(frozen=True, slots=True)
class _Step:
    number: int
    notes: str
    action: str
    seen: str


def explain_course(request: str) -> list[str]:
    """Return the names of the faults that explain an episode, the gravest first; none where nothing is found."""
    parts = _SECTION.split(request)[1:]
    sections = {name: (mark, text) for name, mark, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True)}
    if len(sections) < len(("task", "whole", "notes")):
        return []
    mark, course = sections["With notes"]
    steps = list(_read_steps(course))
    if mark == "done":
        return ["together"] if all(len(step.notes.split(" | ")) == 1 for step in steps) else []
    task = _TASK.search(sections["Task"][1])
    return list(_explain(steps, task["text"] if task else sections["Task"][1]))


def _read_steps(course: str) -> Iterator[_Step]:
    notes = action = ""
    for found in map(_LINE.fullmatch, course.splitlines()):
        if found is None:
            continue
        if found["kind"] == "Notes":
            notes = found["text"]
        elif found["kind"] == "Action":
            action = found["text"]
        else:
            yield _Step(int(found["step"]), notes, action, found["text"])


def _explain(steps: Sequence[_Step], task: str) -> Iterator[str]:
    wanted = {word for word in re.findall(r"[a-z]{3,}", task.lower()) if word not in SMALL_WORDS}
    if _forgets_thing(steps, wanted):
        yield "goal"
    if _repeats(steps, refused=False):
        yield "searched"
        yield "places"
    if _repeats(steps, refused=True):
        yield "failed"
    if any(_is_old(step, steps) for step in steps):
        yield "latest"
    if any(_is_cut(step.notes, before.seen) for step in steps for before in steps if before.number < step.number):
        yield "whole"
    if all(" | " not in step.notes for step in steps):
        yield "enough"


def _forgets_thing(steps: Sequence[_Step], wanted: set[str]) -> bool:
    """True if a thing of the task was seen, and the notes before a later step do not hold it."""
    seen: set[str] = set()
    for step in steps:
        if any(thing not in step.notes for thing in seen):
            return True
        seen |= {thing for thing in _THING.findall(step.seen) if wanted & set(thing.split())}
    return False


def _repeats(steps: Sequence[_Step], *, refused: bool) -> bool:
    """True if an action was repeated to see the same again, or to be refused again."""
    done: set[tuple[str, str]] = set()
    for step in steps:
        key = step.action, step.seen
        if key in done and is_refusal(step.seen) is refused:
            return True
        done.add(key)
    return False


def _is_old(step: _Step, steps: Sequence[_Step]) -> bool:
    """True if the notes show what was seen somewhere, and something else was seen there since."""
    for found in _SEEN_AT.finditer(step.notes):
        place = found["text"].partition(". ")[0]
        since = [one.seen for one in steps if int(found["step"]) < one.number < step.number]
        if any(seen.partition(". ")[0] == place and seen != found["text"].strip() for seen in since):
            return True
    return False


def _is_cut(notes: str, seen: str) -> bool:
    """True if the notes hold the first sentence of an observation of several and nothing behind it."""
    first, dot, rest = seen.partition(". ")
    return bool(dot) and first in notes and rest[:40] not in notes and not notes.endswith(_CUT)
