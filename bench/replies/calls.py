"""Calls such as ``branch(...)`` that a dialect writes in place of an action, above it or alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bench.replies.labels import THOUGHT, WORLD, Label, make_label
from bench.replies.marks import peel
from bench.replies.visible import Line, join_lines, show_lines

__all__ = ["Calls", "ToolCall", "read_calls"]

_BEFORE = r"[\s>*_`#\"'•+–—-]{0,12}(?:\(?\d{1,3}[.):]\s{0,4}[*_`]{0,3})?"
_ARGUMENT = re.compile(
    r"(?:^|,)\s{0,9}(?P<key>description|prompt|message|text|content|summary|name|ids?)\s{0,3}=\s{0,3}", re.I
)
_MOST_CALLS = 50
"""Calls after which the rest is not searched: a reply that goes on so says nothing."""
_TAIL = re.compile(r"[\s.;,!*_`\"'”]*")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """``name`` as it was asked for; ``text`` what the brackets hold, or the first of their named arguments."""

    name: str
    text: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    """The named arguments, such as ``description="..."``; empty for plain text."""
    closed: bool = True
    """False: the bracket never closes, so the text ends where the action begins or the reply does."""

    @property
    def numbers(self) -> tuple[int, ...]:
        """The whole numbers in the text, each once, in order: ``retrieve(1, 2)``."""
        return tuple(dict.fromkeys(map(int, re.findall(r"\d{1,6}", self.text))))


@dataclass(frozen=True, slots=True)
class Calls:
    """The calls above the first action, in order, and the reply without them."""

    calls: tuple[ToolCall, ...]
    rest: str


def read_calls(text: str, names: Sequence[str], action: str = "Action:") -> Calls:
    """Return the calls that stand on lines of their own, possibly labelled as an action, above the first action.

    Prose that names one is none: ``I will return (go back) to desk 1``. Nor is a call below an action or observation.
    """
    known = {name.lower(): name for name in names}
    core = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    start = re.compile(rf"{_BEFORE}(?P<name>{core})(?P<space>\s{{0,2}})\((?P<inside>.*)", re.IGNORECASE | re.DOTALL)
    label = make_label(action)
    shown = show_lines(text)
    lines = [line.text for line in shown]
    calls, rest = list[ToolCall](), list[Line]()
    at = 0
    while at < len(lines) and len(calls) < _MOST_CALLS:
        line, labelled = lines[at], label.match(lines[at])
        found = start.match(labelled.rest if labelled else line)
        read = _take(found["inside"], lines, at, label, bool(labelled and not found["space"])) if found else None
        if found and read:
            inside, tail, at, closed = read
            calls.append(_make(known[found["name"].lower()], inside, closed))
            if tail:
                lines[at - 1], at = tail, at - 1
            continue
        if WORLD.match(line) and calls:
            at = len(lines)  # what follows a call and an invented observation is invented too
        if WORLD.match(line) or (labelled and labelled.rest):
            break
        rest.append(Line(line, shown[at].fence))
        at += 1
    rest += [Line(line, one.fence) for line, one in zip(lines[at:], shown[at:], strict=True)]
    return Calls(tuple(calls), join_lines(rest) if calls else text)


def _take(
    inside: str, lines: Sequence[str], at: int, label: Label, is_labelled: bool
) -> tuple[str, str, int, bool] | None:
    """Return what the brackets hold, what follows on the line, the line behind, and whether they close."""
    depth, parts, part = 1, list[str](), inside
    while True:
        for place, char in enumerate(part):
            depth += (char == "(") - (char == ")")
            if depth == 0:
                tail = part[place + 1 :]
                rest = _follow(tail, label, is_labelled)
                if rest is not None:
                    return "\n".join([*parts, part[:place]]), rest, at + 1, True
                if parts or not _TAIL.fullmatch(part.rpartition(")")[2]) or part.count(")") == 1:
                    return None
                return part.rpartition(")")[0], "", at + 1, True
        parts.append(part)
        at += 1
        if at == len(lines) or label.match(lines[at]) or WORLD.match(lines[at]) or THOUGHT.match(lines[at]):
            return "\n".join(parts), "", at, False
        part = lines[at]


def _follow(tail: str, label: Label, is_labelled: bool) -> str | None:
    """Return what is read on after a call; None if the line goes on, so that it was prose."""
    if _TAIL.fullmatch(tail):
        return ""
    bare = tail.lstrip(" .;,!*_`\"'|")
    if (label.match(bare) is not None) or re.match(r"[A-Za-z_]{1,30}\(", bare):
        return tail.lstrip(" .;,!|")
    if parts := label.split_inline(tail):
        return parts[1]
    return "" if is_labelled else None


def _make(name: str, inside: str, closed: bool) -> ToolCall:
    inside = inside.strip()
    keys = list(_ARGUMENT.finditer(inside))
    if not keys or keys[0].start():
        return ToolCall(name, _tidy(inside), closed=closed)
    ends = [*(key.start() for key in keys[1:]), len(inside)]
    arguments = {
        key["key"].lower(): _tidy(inside[key.end() : end].rstrip(" ,\n")) for key, end in zip(keys, ends, strict=True)
    }
    return ToolCall(name, next(iter(arguments.values())), arguments, closed)


def _tidy(text: str) -> str:
    return " ".join(peel(text)[0].split())
