"""Divides a context into what is true here and now and what is only shown to learn from.

Names recur from task to task: a ``fridge 1`` of another house, or another bar's "Current state:", must never be
believed to be of this one. The headings of ``bench.types`` divide strictly. Without them a part is for teaching if

* it stands below a heading that speaks of experience, examples, attempts, insights, skills, rules or a plan, or
* it begins with the line of another task or goal, or
* its step numbers start again further down, or it has actions without step numbers above those with them.

Of the steps, only the last rising run is the present (``step_runs``).
Knows no suite and no strategy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache

from adapters.shared.step_runs import Step, find_earlier_steps, is_bare_action, read_step
from bench.types import ATTEMPTS_HEADING, EXPERIENCE_HEADING, EXPERIENCE_NOTE, PRESENT_HEADING

__all__ = ["Divided", "divide", "divide_by_headings", "find_task"]


class Part(Enum):
    """Where a line belongs."""

    PRESENT = "present"
    EXPERIENCE = "experience"
    ATTEMPTS = "attempts"


@dataclass(frozen=True, slots=True)
class Divided:
    """The parts of a context; a part that is not there is empty."""

    present: str
    experience: str = ""
    """About other tasks."""
    attempts: str = ""
    """About earlier attempts at this task."""


_DOCUMENTED = {
    EXPERIENCE_HEADING: Part.EXPERIENCE,
    ATTEMPTS_HEADING: Part.ATTEMPTS,
    PRESENT_HEADING: Part.PRESENT,
}
_LEFT_OUT = {*_DOCUMENTED, EXPERIENCE_NOTE}
_MARKED = re.compile(r"(?P<marks>#{1,6})\s+(?P<text>\S.*)")
_COLON = re.compile(r"[*_\W]{0,4}(?P<text>[A-Z][^\[\]:.!?]{1,70}):[*_]{0,2}\s*$")
_ATTEMPTS = re.compile(
    r"(?<!this )(?<!current )\battempts?\b|\breflections?\b|\b(?:earlier|previous|past|last) (?:tr(?:y|ies)|trials?)\b",
    re.IGNORECASE,
)
_TEACHES = re.compile(
    r"\b(?:experiences?|examples?|demonstrations?|insights?|lessons?|skills?|plans?|workflows?|procedures?|tips?|advice"
    r"|guidelines?|rules?|trajector(?:y|ies)|strateg(?:y|ies)|(?:similar|other|past|previous|earlier|solved) tasks?)\b",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\b(?:now|current(?:ly)?|present|so far|this (?:task|episode|game|attempt|trial)|key info|past turns|recent"
    r"|history|progress)\b",
    re.IGNORECASE,
)
_TASK = re.compile(
    r"(?:your task is to|your goal(?: is(?: that all of the following hold at once)?)?)\s*:\s*(?P<task>\S.*)",
    re.IGNORECASE,
)
_TASK_LABEL = re.compile(r"\W*(?:\[\d+\]\s*)?(?:task|goal)(?: \d+)?\s*:\s*(?P<task>\S.*)", re.IGNORECASE)
_SCENE = re.compile(r"\bstate\b[^.]*:|you are in\b|looking (?:quickly )?around|^\W*$", re.IGNORECASE)


def find_task(line: str) -> str:
    """Return the task or goal that a line states; empty if it states none."""
    match = _TASK.search(line) or _TASK_LABEL.match(line)
    return match["task"].strip() if match else ""


@lru_cache(maxsize=512)
def divide(memory: str, opening: str, started: bool = True) -> Divided:
    """Divide a context. ``opening``: the opening text, which states the task at hand.

    ``started``: False before the first action: then no step can be of this task.
    """
    lines = [_Line(text, part) for text, part in _mark(memory.split("\n"), _plain(opening))]
    _teach_earlier_runs(lines, started)
    return _collect(lines)


@lru_cache(maxsize=64)
def divide_by_headings(memory: str) -> Divided:
    """Divide a context by the documented headings alone: for texts that have no steps."""
    part, lines = Part.PRESENT, list[_Line]()
    for text in memory.split("\n"):
        part = _DOCUMENTED.get(text.strip(), part)
        lines.append(_Line(text, part))
    return _collect(lines)


@dataclass(slots=True)
class _Line:
    text: str
    part: Part


def _collect(lines: Iterable[_Line]) -> Divided:
    texts: dict[Part, list[str]] = {part: [] for part in Part}
    for line in lines:
        if line.text.strip() not in _LEFT_OUT:
            texts[line.part].append(line.text)
    return Divided(*("\n".join(texts[part]).strip("\n") for part in Part))


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _is_own(task: str, opening: str) -> bool:
    return _plain(task).rstrip(".") in opening


def _heading(line: str) -> tuple[int, str]:
    """Return the level and the text of a heading; level 0 = it is none, 7 = a line that ends with a colon."""
    if marked := _MARKED.match(line):
        return len(marked["marks"]), marked["text"]
    colon = _COLON.match(line)
    return (7, colon["text"]) if colon else (0, "")


def _sort_heading(line: str, level: int, text: str) -> Part | None:
    """Return the part that a heading opens; None for a line with a colon that opens none."""
    if line.strip() in _DOCUMENTED:
        return _DOCUMENTED[line.strip()]
    if _ATTEMPTS.search(text):
        return Part.ATTEMPTS
    if _TELLS.search(text):
        return Part.PRESENT
    if _TEACHES.search(text):
        return Part.EXPERIENCE
    return Part.PRESENT if level < 7 else None


@dataclass(slots=True)
class _Block:
    """The block that is being read, and what it has held so far."""

    part: Part = Part.PRESENT
    level: int = 0
    """Of the heading that opened it; 0 = none did."""
    strict: bool = False
    advises: bool = False
    steps: list[Step] = field(default_factory=list)
    unnumbered: bool = False

    def ends_at(self, step: Step) -> bool:
        """True if a step is the first of the present: after advice, actions without numbers, or a later step."""
        if not self.steps:
            return self.advises or self.unnumbered
        return step.number < self.steps[-1].number or any(
            (step.number, step.label) == (one.number, one.label) for one in self.steps
        )


def _mark(lines: Iterable[str], opening: str) -> Iterator[tuple[str, Part]]:
    """Yield each line with its part, as headings and the lines of other tasks say."""
    block = _Block()
    for line in lines:
        level, text = _heading(line)
        part = _sort_heading(line, level, text) if level else None
        deeper = block.part is not Part.PRESENT and 0 < block.level < level
        if part and not (deeper and (block.strict or part is block.part)):
            block = _Block(part, level, line.strip() in _DOCUMENTED)
        elif not block.strict and not level:
            block = _read_plain(line, block, opening)
        yield line, block.part


def _read_plain(line: str, block: _Block, opening: str) -> _Block:
    """Return the block that a line without a heading's form belongs to."""
    if task := find_task(line):
        if not _is_own(task, opening):
            return _Block(Part.EXPERIENCE)
        return block if block.part is Part.ATTEMPTS else _Block()
    if block.part is Part.PRESENT:
        return block
    step = read_step(line)
    if step and block.ends_at(step):
        return _Block()
    if step:
        block.steps.append(step)
    elif is_bare_action(line):
        block.unnumbered = True
    elif not _SCENE.search(line) and not block.unnumbered:
        block.advises = True
    return block


def _teach_earlier_runs(lines: list[_Line], started: bool) -> None:
    """Move steps that are not of this episode to experience, each stretch up to the next heading of the present."""
    for first, end in find_earlier_steps([line.text if line.part is Part.PRESENT else "" for line in lines], started):
        for line in lines[first:end]:
            level, text = _heading(line.text)
            if level and _TELLS.search(text):
                break
            if line.part is Part.PRESENT:
                line.part = Part.EXPERIENCE
