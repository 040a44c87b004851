"""Calls such as ``branch(...)`` that a dialect writes in place of an action, above it or alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from bench.replies.labels import THOUGHT, WORLD, Label, make_label
from bench.replies.marks import BRACKETS, close_marks, peel
from bench.replies.visible import Line, join_lines, show_lines

__all__ = ["Calls", "ToolCall", "read_calls"]

_BEFORE = r"(?P<before>[\s>*_`#\"'“•+–—→$({\[-]{0,12}(?:(?:\[?\d{1,3}\]|\(?\d{1,3}[.):])\s{0,4}[*_`]{0,3})?)"
_MARKS = r"[*_`\"'”]{0,4}"
_LEAD_IN = (
    r"(?:(?:(?:first|then|now|next|so|and|let me|let's|i will|i'll)[,:]?\s){0,2}(?:(?:call|use|run)[:\s]\s{0,2})?"
    r"|[^\n:()]{1,80}:[*_`]{0,3}\s{1,3}[*_`]{0,3})"
)
"""What may stand before a call on its line, such as ``Call:`` or a sentence that announces it."""
_ARGUMENT = re.compile(
    r"(?:^|,)\s{0,9}(?P<key>description|prompt|message|text|content|summary|name|ids?)\s{0,3}=\s{0,3}", re.I
)
_KEY = re.compile(
    r"\A[*_`\"']{0,3}(?:description|prompt|message|text|number)[*_`\"']{0,3}:[*_]{0,3}\s{0,3}(?=\S)", re.I
)
"""The name of an argument before its text."""
_MOST_CALLS = 50
"""Calls after which the rest is not searched: a reply that goes on so says nothing."""
_TAIL = re.compile(r"[\s.;,:!*_`\"'”$]*")
_JOINED = re.compile(r"\A(?:and then|and|then|with)\s", re.I)
_REMARK = re.compile(r"[*_`\"'”]{0,4}\s{1,3}(?://|#|--?\s|–|—|→|\().*", re.DOTALL)
"""What may be said behind a call on its line."""
_PAIRS = {**BRACKETS, "<": ">"}
_WIDE = str.maketrans("（）［］：", "()[]:")


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

    ``branch(x)``, ``**branch**(x)``, ``branch: x``, ``branch[x]``, ``branch "x"`` and ``<branch>x</branch>`` are alike.
    Prose that names one is none: ``I will return (go back) to desk 1``. Nor is a call below an action or observation.
    """
    grammar, label = _make_grammar(tuple(names)), make_label(action)
    shown = show_lines(grammar.open_tags(text))
    lines = [grammar.narrow(line.text) for line in shown]
    calls, rest = list[ToolCall](), list[Line]()
    at = 0
    while at < len(lines) and len(calls) < _MOST_CALLS:
        line, labelled = lines[at], label.match(lines[at])
        start = grammar.match(labelled.rest if labelled else line)
        read = start and _take(start, lines, at, label, labelled is not None)
        if start and read:
            inside, tail, at, closed = read
            calls.append(_make(start.name, inside, closed))
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


@dataclass(frozen=True, slots=True)
class _Start:
    """The name of a call that begins on a line, and what follows: all behind its bracket, or a value without one."""

    name: str
    rest: str
    has_bracket: bool
    is_spaced: bool
    """A space stands before the bracket, as it does in prose."""


class _Grammar:
    """The names that can be called, and the ways to write one at the start of a line."""

    def __init__(self, names: Sequence[str]):
        self._known = {name.lower(): name for name in names}
        core = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        call = rf"(?P<call>{_MARKS}(?P<name>{core}){_MARKS}"
        self._core = re.compile(core, re.I)
        self._start = re.compile(rf"{_BEFORE}{call}(?P<space>\s{{0,2}})(?P<rest>[(\[{{<:=\"“'–—-].*))", re.I | re.S)
        self._led = re.compile(rf"{_BEFORE}{_LEAD_IN}{call}(?P<space>)(?P<rest>\(.*))", re.I | re.S)
        self._tag = re.compile(rf"<\s?(?P<name>{core})\s?>(?P<held>[^<]{{0,4000}})</\s?(?:{core})\s?>", re.I)

    def open_tags(self, text: str) -> str:
        """Return the text with each call that is written as a tag in one line of its own."""
        return self._tag.sub(lambda tag: f"\n{tag['name']}: {' '.join(tag['held'].split())}\n", text)

    def narrow(self, line: str) -> str:
        """Return a line that names a call with the brackets of Latin script."""
        return line.translate(_WIDE) if self._core.search(line) else line

    def match(self, line: str) -> _Start | None:
        """Return the call that the line begins with, if any; a thought holds none."""
        if THOUGHT.match(line) or not self._core.search(line):
            return None
        found = self._start.match(line) or (None if WORLD.match(line) else self._led.match(line))
        if not found:
            return None
        call = close_marks(found["call"], found["before"])
        name, rest = self._known[found["name"].lower()], call[found.start("rest") - found.start("call") :]
        if rest.startswith("("):
            return _Start(name, rest[1:], True, bool(found["space"]))
        value = _read_value(rest)
        return None if value is None else (self.match(value) or _Start(name, value, False, False))


@lru_cache(maxsize=64)
def _make_grammar(names: tuple[str, ...]) -> _Grammar:
    return _Grammar(names)


def _read_value(rest: str) -> str | None:
    """Return the value that stands behind a name without round brackets; None if the line goes on as prose does."""
    first, end = rest[:1], rest.rstrip(" .;,*_`")
    if first in (":", "="):
        return rest[1:].strip(" *_`")
    if first in _PAIRS:
        return end[1:].rpartition(_PAIRS[first])[0] if end.endswith(_PAIRS[first]) else None
    if first in ("-", "–", "—"):
        return rest[1:].strip() if rest[1:2].isspace() else None
    return end if len(end) > 1 and end.endswith({"“": "”"}.get(first, first)) else None


def _take(
    start: _Start, lines: Sequence[str], at: int, label: Label, is_labelled: bool
) -> tuple[str, str, int, bool] | None:
    """Return what the brackets hold, what follows on the line, the line behind, and whether they close."""
    if not start.has_bracket:
        return _take_value(start.rest, lines, at, label)
    depth, parts, part = 1, list[str](), start.rest
    while True:
        for place, char in enumerate(part):
            depth += (char == "(") - (char == ")")
            if depth == 0:
                tail = part[place + 1 :]
                rest = _follow(tail, label, start.is_spaced, is_labelled)
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


def _take_value(value: str, lines: Sequence[str], at: int, label: Label) -> tuple[str, str, int, bool]:
    """Return a value without brackets, of this line or the next, as ``_take`` does."""
    value, tail = label.split_inline(value) or (value, "")
    below = next((n for n in range(at + 1, len(lines)) if lines[n]), len(lines))
    if not value and not tail and below < len(lines):
        line = lines[below]
        if not (label.match(line) or WORLD.match(line) or THOUGHT.match(line)):
            value, at = line, below
    if value.startswith("(") and value.endswith(")"):
        value = value[1:-1]
    return value, tail, at + 1, True


def _follow(tail: str, label: Label, is_spaced: bool, is_labelled: bool) -> str | None:
    """Return what is read on after a call; None if the line goes on, so that it was prose."""
    if _TAIL.fullmatch(tail):
        return ""
    bare, joined = _JOINED.subn("", tail.lstrip(" .;,!*_`\"'|"))
    if label.match(bare) or re.match(r"[A-Za-z_]{1,30}\(", bare):
        return bare if joined else tail.lstrip(" .;,!|")
    if parts := label.split_inline(tail):
        return parts[1]
    return "" if not is_spaced and (is_labelled or _REMARK.fullmatch(tail)) else None


def _make(name: str, inside: str, closed: bool) -> ToolCall:
    inside = inside.strip()
    keys = list(_ARGUMENT.finditer(inside))
    if not keys or keys[0].start():
        return ToolCall(name, _tidy(_KEY.sub("", inside)), closed=closed)
    ends = [*(key.start() for key in keys[1:]), len(inside)]
    arguments = {
        key["key"].lower(): _tidy(inside[key.end() : end].rstrip(" ,\n")) for key, end in zip(keys, ends, strict=True)
    }
    return ToolCall(name, next(iter(arguments.values())), arguments, closed)


def _tidy(text: str) -> str:
    return " ".join(peel(text)[0].split())
