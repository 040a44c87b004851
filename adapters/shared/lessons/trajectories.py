"""Finds the trajectories in a text: ``Action:`` and ``Observation:``, with or without ``[n]``, ``> go``, ``Act 1:``.

Thoughts between the actions are left out. What is not part of a trajectory is left as prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from adapters.shared.lessons.records import Act, Trajectory
from adapters.shared.teaching import find_task

__all__ = ["ParsedText", "is_refusal", "parse_text"]

_STEP = r"[\s*-]*(?:\[(?P<step>\d+)\]\s*)?"
_ACTION = re.compile(rf"{_STEP}(?:(?:action|act)(?: (?P<number>\d+))?\s*:|(?P<prompt>>))\s*(?P<text>\S.*)", re.I)
_RESULT = re.compile(rf"{_STEP}(?:observation|obs|result)(?: \d+)?\s*:\s*(?P<text>.*)", re.I)
_THOUGHT = re.compile(r"(?:think|thought)\b", re.I)
_HEADING = re.compile(r"\s*#|[^:]{1,60}:\s*$|\s*[-*\d]|\s*sub-?goal|\s*(?:skill|workflow|unit)\b", re.I)
_LABEL = re.compile(r"\s*(?!you\b|current state|valid actions)[a-z]+(?: [a-z-]+){0,2}:(?:\s|$)", re.I)
"""A line that says what it is: no result of an action."""
_FAILED = re.compile(
    r"\bfail(?:ed|ure|s)?\b|\bunsuccessful\b|\bnot (?:solved|won|reached)\b|\blost\b|\bgave up\b", re.I
)
_SHORT = 12
"""Characters of what a world answers to a thought: "OK."."""
_REFUSAL = re.compile(r"nothing happens|conditions? (?:is|are) not met|changes nothing|not a known|can't|cannot", re.I)


def is_refusal(result: str | None) -> bool:
    """True if a world says that nothing came of an action."""
    return result is not None and bool(_REFUSAL.search(result))


@dataclass(frozen=True, slots=True)
class ParsedText:
    """The trajectories of a text and the lines that belong to none."""

    trajectories: tuple[Trajectory, ...]
    prose: tuple[str, ...]
    lines: int
    """Lines that are not empty."""


@dataclass(slots=True)
class _Open:
    """The trajectory that is being read."""

    task: str = ""
    opening: list[str] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)
    last: int = -1
    failed: bool = False
    takes_plain: bool = False
    """The next plain line is the result of the last action."""
    thinks: bool = False
    """The last line was a thought, which a world may have answered."""


class _Parser:
    def __init__(self) -> None:
        self._open = _Open()
        self.trajectories: list[Trajectory] = []
        self.prose: list[str] = []

    def add(self, line: str) -> None:
        """Take one line that is not empty."""
        answers, self._open.thinks = self._open.thinks, False
        if action := _ACTION.match(line):
            self._act(action)
        elif answers and len(line) < _SHORT:
            return
        elif result := _RESULT.match(line):
            self._result(result["text"].strip())
        elif task := find_task(line):
            self.close()
            self._open = _Open(task.strip().rstrip("."))
        elif self._open.takes_plain and not _HEADING.match(line) and not _LABEL.match(line):
            self._result(line.strip())
        else:
            self._say(line)

    def pause(self) -> None:
        """Take an empty line: what follows is no result."""
        self._open.takes_plain = False

    def _act(self, found: re.Match[str]) -> None:
        text = found["text"].strip()
        if text.startswith("<") or _THOUGHT.match(text):
            acts = self._open.acts
            self._open.takes_plain, self._open.thinks = bool(acts) and acts[-1].result is None, True
            return
        number = int(found["step"] or found["number"] or -1)
        if 0 <= number <= self._open.last:
            self.close()
            self._open = _Open()
        self._open.last = max(number, self._open.last)
        self._open.acts.append(Act(text.lower().rstrip(".")))
        self._open.takes_plain = bool(found["prompt"])

    def _result(self, text: str) -> None:
        acts = self._open.acts
        if not acts:
            self._open.opening.append(text)  # what was seen before the first action
        elif acts[-1].result is None:
            acts[-1] = Act(acts[-1].action, text.lower())
        else:
            acts[-1] = Act(acts[-1].action, f"{acts[-1].result} {text.lower()}")

    def _say(self, line: str) -> None:
        """Take a line of prose: below a task it belongs to it, below actions it ends them."""
        began = bool(self._open.acts)
        says_failed = bool(_FAILED.search(line)) and len(line) < 80
        if began:
            self._open.failed |= says_failed and not _HEADING.match(line)
            self.close()
            self._open = _Open()
        else:
            self._open.failed |= says_failed
            self._open.opening.append(line)
        self.prose.append(line)

    def close(self) -> None:
        """End the trajectory that is open."""
        one = self._open
        if one.acts:
            self.trajectories.append(Trajectory(one.task, tuple(one.acts), one.failed, tuple(one.opening)))
        elif one.task and one.opening:
            self.prose.insert(len(self.prose) - len(one.opening), f"Task: {one.task}")


def parse_text(lines: Iterable[str]) -> ParsedText:
    """Return the trajectories and the prose of a text."""
    parser, count = _Parser(), 0
    for line in lines:
        if line.strip():
            count += 1
            parser.add(line)
        else:
            parser.pause()
    parser.close()
    return ParsedText(tuple(parser.trajectories), tuple(parser.prose), count)
