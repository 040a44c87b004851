"""JSON with the usual faults of chat models: read in one pass without recursion, so in linear time; names the faults.

Why not a package: ``json-repair`` reads any text as something, tells neither where the value ends nor what was wrong,
and recurses. Here what is no such fault is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Loose", "read_loose", "to_number"]

_TOKEN = re.compile(
    r"\s*(?:(?P<open>[{\[])|(?P<close>[}\]])|(?P<mark>[,:])|(?P<quote>[\"'“‘])|(?P<comment>(?://|#)[^\n]*)"
    r"|(?P<number>-?\d{1,4000}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,3})?(?![\w.]))|(?P<name>[A-Za-z]{4,9}(?!\w))"
    r"|(?P<end>```|$))"
)
_NAMES = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None, "undefined": None}
_CLOSERS = {'"': '"', "'": "'", "“": '”"', "‘": "’'"}
_STRING = {
    quote: re.compile(rf"(?:\\.|[^\\{ends}])*+(?P<end>[{ends}])?", re.DOTALL) for quote, ends in _CLOSERS.items()
}
_BEHIND = re.compile(r"\s*(?:[,:}\]]|//|```|$|\n\s*[\"'“‘])")
"""What stands behind a string; a quote before anything else is part of the string."""
_ESCAPE = re.compile(r"\\([\"\\/bfnrtu])|\\(.)|\"", re.DOTALL)
_DEEPEST, _MOST_DIGITS = 100, 300


@dataclass(frozen=True, slots=True)
class Loose:
    """``value`` None: none was found up to ``end``."""

    value: Any
    end: int
    faults: tuple[str, ...] = ()


def to_number(digits: str) -> int | float:
    """Return a whole number, as a float where it is longer than Python converts."""
    return int(digits) if len(digits) < _MOST_DIGITS else float(digits)


@dataclass(slots=True)
class _Level:
    """An object or array under construction; ``due``: what must come next, ``key``, ``:``, ``value`` or ``,``."""

    value: dict[str, Any] | list[Any]
    faults: dict[str, None]
    due: str = field(init=False)
    key: str = ""

    def __post_init__(self) -> None:
        self.due = self.first

    @property
    def first(self) -> str:
        return "key" if isinstance(self.value, dict) else "value"

    def add(self, value: Any) -> bool:
        if self.due == ",":
            self.faults["missing-comma"] = None
            self.due = self.first
        if self.due == "key":
            self.key, self.due = value, ":"
            return isinstance(value, str)
        if self.due != "value":
            return False
        if isinstance(self.value, dict):
            self.value[self.key] = value
        else:
            self.value.append(value)
        self.due = ","
        return True

    def mark(self, mark: str) -> bool:
        due, self.due = self.due, "value" if mark == ":" else self.first
        return due == mark

    def close(self, bracket: str) -> bool:
        if self.due == self.first and self.value:
            self.faults["trailing-comma"] = None
        return self.due in (",", self.first) and bracket == ("}" if self.first == "key" else "]")


def read_loose(text: str, start: int, *, cut: bool = False) -> Loose:
    """Return the object or array that begins at ``start``; with ``cut`` also one whose end is missing.

    Of one without an end, what is complete counts: a text or number at the very end is left out.
    """
    faults, levels, end = dict[str, None](), list[_Level](), start
    for kind, value, end in _tokens(text, start, faults):
        if kind == "open" and len(levels) < _DEEPEST:
            levels.append(_Level({} if value == "{" else [], faults))
        elif kind == "close" and levels[-1].close(value):
            closed = levels.pop().value
            if not levels:
                return Loose(closed, end, tuple(faults))
            if not levels[-1].add(closed):
                break
        elif kind == "end" and cut:
            return Loose(_close_all(levels), end, (*faults, "cut-off"))
        elif not (kind == "mark" and levels[-1].mark(value)) and not (kind == "value" and levels[-1].add(value)):
            break
    return Loose(None, end)


def _close_all(levels: list[_Level]) -> Any:
    while len(levels) > 1:
        inner = levels.pop().value
        if inner:
            levels[-1].add(inner)
    return levels[0].value or None


def _tokens(text: str, at: int, faults: dict[str, None]) -> Iterator[tuple[str, Any, int]]:
    """Yield kind, value and end of each piece; the last is ``end``, or ``broken`` where nothing fits."""
    while found := _TOKEN.match(text, at):
        kind, value, at = str(found.lastgroup), found[str(found.lastgroup)], found.end()
        if kind == "quote":
            at, body = _read_string(text, at, value, faults)
            yield ("end", None, at) if body is None else ("value", body, at)
        elif kind == "number":
            is_whole = value.lstrip("-").isdigit()
            yield (
                ("end", None, at) if at == len(text) else ("value", to_number(value) if is_whole else float(value), at)
            )
        elif kind == "name" and value in _NAMES:
            faults.update({} if value in ("true", "false", "null") else {"python-names": None})
            yield "value", _NAMES[value], at
        elif kind == "comment":
            faults["comment"] = None
        else:
            yield kind, value, at
    yield "broken", None, at


def _read_string(text: str, at: int, quote: str, faults: dict[str, None]) -> tuple[int, str | None]:
    """Return the end of a string and what it holds, None where it never ends."""
    begin, inner = at, False
    while (found := _STRING[quote].match(text, at)) and found["end"]:
        at = found.end()
        if _BEHIND.match(text, at):
            faults.update({"inner-quote": None} if inner else {}, **({} if quote == '"' else {"quotes": None}))
            return at, _unescape(text[begin : at - 1])
        inner = True
    return len(text), None


def _unescape(body: str) -> str:
    plain = _ESCAPE.sub(lambda hit: hit[0] if hit[1] else hit[2] or '\\"', body)
    try:
        return str(json.loads(f'"{plain}"', strict=False))
    except json.JSONDecodeError:
        return body
