"""The marks that chat models put around things: quotes, bold, brackets, formulas, list items."""

from __future__ import annotations

import re

__all__ = ["BRACKETS", "ITEM", "close_marks", "peel"]

ITEM = re.compile(r"(?:[-*+•–]|\(?(?P<number>\d{1,3})[.)])\s+(?P<text>.*)", re.DOTALL)
"""One item of a list."""
_PAIRS = (
    ("```", "```", "fence"),
    ("**", "**", "bold"),
    ("__", "__", "bold"),
    ("*", "*", "bold"),
    ("_", "_", "bold"),
    ("~~", "~~", "bold"),
    ("`", "`", "quotes"),
    ('"', '"', "quotes"),
    ("'", "'", "quotes"),
    ("“", "”", "quotes"),
    ("‘", "’", "quotes"),
    ("«", "»", "quotes"),
    ("「", "」", "quotes"),
    ("$$", "$$", "latex"),
    ("$", "$", "latex"),
    (r"\(", r"\)", "latex"),
    (r"\[", r"\]", "latex"),
    *((rf"\{name}{{", "}", "latex") for name in ("boxed", "text", "textbf", "mathrm", "mathbf")),
)
BRACKETS = {"(": ")", "[": "]", "{": "}"}
_DEEPEST = 6
"""Pairs of marks around one another that are taken off."""
_LOOSE = re.compile(r"(?:\*{1,3}|`{1,3})(?P<left>[^*`]+)|(?P<right>[^*`]+)(?:\*{2,3}|`{1,3})")


def close_marks(rest: str, before: str) -> str:
    """Take off the marks that were opened before the label and close at the end of the line, or right behind it."""
    rest = rest.strip()
    if not rest or not before.strip():
        return rest
    for left, right in BRACKETS.items():
        if left in before and rest.count(right) > rest.count(left):
            rest = _cut_bracket(rest, left, right)
    for mark in ("***", "**", "__", "*", "_", "`", '"', "'", "”", "’"):
        opening = {"”": "“", "’": "‘"}.get(mark, mark)
        if opening not in before:
            continue
        if rest.startswith(mark) and rest.count(mark) % 2:
            rest = rest.removeprefix(mark).strip()
        elif rest.endswith(mark) and (rest.count(mark) % 2 or opening != mark):
            rest = rest.removesuffix(mark).strip()
        before = before.replace(opening, "", 1)
    return rest


def _cut_bracket(rest: str, left: str, right: str) -> str:
    """Cut a text at the bracket that closes one from before it."""
    depth = 0
    for found in re.finditer(rf"[{re.escape(left + right)}]", rest):
        depth += 1 if found.group() == left else -1
        if depth < 0:
            return rest[: found.start()].rstrip()
    return rest


def peel(value: str) -> tuple[str, tuple[str, ...]]:
    """Take quotes, backticks, bold and other pairs of marks off a whole value."""
    value, repairs = value.strip(), list[str]()
    for _ in range(_DEEPEST):
        for left, right, name in _PAIRS:
            if value.startswith(left) and value.endswith(right) and len(value) > len(left) + len(right):
                inner = value[len(left) : -len(right)]
                if left in inner and not _holds(inner, left):
                    continue
                value, repairs = inner.strip(), [*repairs, name]
                break
        else:
            break
    if found := _LOOSE.fullmatch(value):
        value, repairs = (found["left"] or found["right"]).strip(), [*repairs, "bold"]
    return ("", tuple(repairs)) if value and not value.strip("*_`~$\"'“”‘’ ") else (value, tuple(repairs))


def _holds(inner: str, mark: str) -> bool:
    """Whether a mark within is one of its own: an apostrophe, part of a name, or opened again after a space."""
    if mark == "'":
        return bool(re.fullmatch(r"(?:[^']|\b'\b)*", inner))
    return mark == "_" or (mark == '"' and inner[:1] != mark and inner[inner.index(mark) - 1].isspace())
