"""Parses an acting prompt into its parts: the opening, the lines of the memory, the latest observation.

It knows the headings and the line form of a prompt (``[3] Action: ...``) and no strategy. Text without a step number
keeps its place, so that summaries and notes are read like history. Lines of another task's episode (a block that names
a different task) are left out: they describe other rooms.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from bench.types import Message

__all__ = ["Line", "Prompt", "read_prompt"]

_HEADING = re.compile(r"^# (Task|Memory|Now)[ \t]*$", re.MULTILINE)
_LINE = re.compile(
    r"^(?:\[(?P<step>\d+)\]\s*)?(?P<label>action|observation|note|task|feedback)\s*:\s*(?P<text>.*)$"
    r"|^\[(?P<bare>\d+)\]\s*(?P<rest>.*)$"
)
_TASK = re.compile(r"your task is to: *([^\n]*)")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a prompt, in lower case. ``step`` -1 = the line gives none; ``label`` empty = plain text."""

    step: int
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """The parts of an acting prompt, in lower case."""

    system: str
    opening: str
    task: str
    memory: tuple[Line, ...]
    now: str


def read_prompt(messages: Sequence[Message]) -> Prompt:
    """Return the parts of a prompt; a part that is not there is empty."""
    system = "\n".join(m.content for m in messages if m.role == "system")
    body = "\n".join(_to_text(m) for m in messages if m.role != "system")
    opening, memory, now = _sections(body)
    opening = opening.lower()
    task = _find_task(opening)
    return Prompt(system.lower(), opening, task, tuple(_in_order(_own_lines(memory, task))), now.lower())


def _to_text(message: Message) -> str:
    """Return a message as text; an assistant message without a label is an action."""
    text = message.content.strip()
    return f"Action: {text}" if message.role == "assistant" and ":" not in text.split("\n", 1)[0] else text


def _sections(body: str) -> tuple[str, str, str]:
    """Split at the first task heading, the first memory heading after it and the last observation heading."""
    marks = [(m.group(1), m.start(), m.end()) for m in _HEADING.finditer(body)]
    task = next((m for m in marks if m[0] == "Task"), ("Task", 0, 0))
    now = next((m for m in reversed(marks) if m[0] == "Now"), ("Now", len(body), len(body)))
    memory = next((m for m in marks if m[0] == "Memory" and task[2] <= m[1] < now[1]), ("Memory", now[1], now[1]))
    return body[task[2] : memory[1]], body[memory[2] : now[1]], body[now[2] :]


def _find_task(text: str) -> str:
    found = _TASK.findall(text)
    return found[-1].strip().rstrip(".") if found else ""


@lru_cache(maxsize=1 << 16)
def _read_line(text: str) -> Line:
    text = text.strip().lower()
    match = _LINE.match(text)
    if not match:
        return Line(-1, "", text)
    if match["label"]:
        return Line(int(match["step"] or -1), match["label"], match["text"])
    return Line(int(match["bare"]), "", match["rest"])


def _own_lines(memory: str, task: str) -> Iterator[Line]:
    """Yield the lines about this episode. A foreign block ends at a heading or where step numbers restart; everything
    below a heading of experience is foreign."""
    foreign, experience, last = False, False, -1
    for raw in memory.split("\n"):
        line = _read_line(raw)
        if not line.text:
            continue
        task_name = _find_task(line.text)
        experience = line.text.startswith("# experience") or (experience and not line.text.startswith("# "))
        if task_name:
            foreign = task_name != task
        elif foreign and (line.text.startswith("#") or -1 < line.step < last):
            foreign = False
        last = line.step if line.step >= 0 else last
        if not foreign and not experience:
            yield line


def _in_order(lines: Iterable[Line]) -> list[Line]:
    """Sort by step; a line without one stays behind the line above it."""
    keyed: list[tuple[int, Line]] = []
    step = 0
    for line in lines:
        step = line.step if line.step >= 0 else step
        keyed.append((step, line))
    return [line for _, line in sorted(keyed, key=lambda pair: pair[0])]
