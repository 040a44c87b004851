"""Joins the lines of a call such as ``rate(``, its arguments one a line, ``)``: what a chat model writes of a tool."""

from __future__ import annotations

import re

from bench.replies.labels import THOUGHT, WORLD
from bench.replies.visible import Line

__all__ = ["join_calls"]

_OPENED, _OPEN_END = re.compile(r"\w{2} ?[({]"), re.compile(r"\w{2} ?[({]$")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_MOST_LINES = 12


def join_calls(lines: list[Line]) -> tuple[list[Line], tuple[str, ...]]:
    """Return the lines with each such call as one, and these; a call whose bracket never closes stays as it is."""
    joined, calls, at = list[Line](), list[str](), 0
    while at < len(lines):
        end = _find_end(lines, at) if _goes_on(lines[at].text) else at
        if end > at:
            calls.append(_join([line.text.strip() for line in lines[at : end + 1]]))
            joined.append(lines[at]._replace(text=calls[-1]))
        else:
            joined.append(lines[at])
        at = end + 1
    return joined, tuple(calls)


def _goes_on(line: str) -> bool:
    """True for a name, its bracket, and nothing or an argument behind."""
    return bool(_OPENED.search(line) if line.endswith(",") else line.endswith(("(", "{")) and _OPEN_END.search(line))


def _find_end(lines: list[Line], at: int) -> int:
    """Return the line on which the brackets of a line close; the line itself if none does."""
    depth = 0
    for place in range(at, min(at + _MOST_LINES, len(lines))):
        line = lines[place]
        if place > at and (line.fence != lines[at].fence or WORLD.match(line.text) or THOUGHT.match(line.text)):
            break
        plain = _QUOTED.sub("", line.text)
        depth += sum(map(plain.count, "({")) - sum(map(plain.count, ")}"))
        if depth <= 0:
            return place
    return at


def _join(parts: list[str]) -> str:
    text = " ".join(filter(None, parts))
    return re.sub(r"(?<=[({]) | (?=[)}])", "", text)
