"""Labels such as ``Action:`` in all the ways that chat models write them, and the marks that they put around things."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["ASIDE", "ITEM", "THOUGHT", "WORLD", "Label", "Labelled", "close_marks", "make_label", "peel"]

_MARKS = "*_`~#>\"'“”‘’|+•–—-"
_REPAIRS = {"*": "bold", "_": "bold", "#": "heading", ">": "quote", "`": "quotes"} | dict.fromkeys("\"'“”‘’", "quotes")
_STEP = r"(?:\[\d{1,4}\]|\(?\d{1,4}(?:[.):]|(?=\s))|step\s\d{1,4}\s?[.:)–-])"
_BEFORE = rf"(?P<before>[\s{_MARKS}]{{0,24}}(?:{_STEP}[\s{_MARKS}]{{0,12}})?)"
_MODIFIERS = (
    r"(?P<modifier>(?:(?:so|my|your|our|the)[\s,]{1,2}){0,2}"
    r"(?:(?:next|new|final|current|chosen|selected|best|short|first|recommended)\s{1,2}){0,2})"
)
_NUMBER = r"(?P<number>\s{0,2}#?\(?\d{1,4}\)?)?"
_COLON = (
    r"(?P<inner>[\s*_`~]{0,8})(?P<verb>(?:is|would be|will be)[\s*_`~]{0,8})?"
    r"(?P<colon>[:\uff1a\ufe55]|(?:[–—-]|->|→)\s)?(?P<rest>.*)"
)
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
)
_NEVER = re.compile(r"(?!)")
_MOST_ECHOES = 20
"""Times that a label may stand on its line; what goes on so says nothing."""
_DEEPEST = 6
"""Pairs of marks around one another that are taken off."""
_LOOSE = re.compile(r"(?:\*{1,3}|`{1,3})(?P<left>[^*`]+)|(?P<right>[^*`]+)(?:\*{2,3}|`{1,3})")


@dataclass(frozen=True, slots=True)
class Labelled:
    """What stands behind a label on its line, possibly nothing, and what was repaired to find it."""

    rest: str
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Label:
    """A label and its spellings."""

    start: re.Pattern[str]
    inline: re.Pattern[str]
    """Where it begins a sentence within a line, written as it was asked for."""
    within: re.Pattern[str]
    """Anywhere in a line."""

    def match(self, line: str) -> Labelled | None:
        """Return what follows the label that a stripped line begins with; one that is written twice counts once."""
        found = self._match(line)
        for _ in range(_MOST_ECHOES):
            if not (found and found.rest and (again := self._match(found.rest))):
                return found
            found = Labelled(again.rest, (*found.repairs, *again.repairs, "label-twice"))
        return Labelled("")

    def _match(self, line: str) -> Labelled | None:
        if not any(mark in line for mark in ":\uff1a\ufe55#*–—-→") or not (found := self.start.match(line)):
            return None
        before, rest = found["before"], found["rest"]
        if not found["colon"]:
            is_heading = ("#" in before or "*" in before) and not found["verb"] and not rest.strip()
            return Labelled("", ("heading",)) if is_heading else None
        repairs = [_REPAIRS.get(mark, "bullet") for mark in before if not mark.isspace()]
        repairs += ["bold"] if found["inner"].strip() else []
        plain = not (found["modifier"] or found["number"] or found["verb"] or found["inner"]) and found["colon"] == ":"
        repairs += [] if plain else ["label-synonym"]
        return Labelled(close_marks(rest, before), tuple(repairs))

    def split_inline(self, line: str) -> tuple[str, str] | None:
        """Return what stands before and from the label on, where it begins a sentence within the line."""
        found = self.inline.search(line)
        return (line[: found.start()].strip(), line[found.start() :].strip()) if found else None


@lru_cache(maxsize=64)
def make_label(*names: str) -> Label:
    """Return a label of these names, such as ``Action:``; a hyphen may be a space or nothing. No name: no match."""
    words = [word for name in names if (word := name.strip().rstrip(":\uff1a").strip())]
    if not words:
        return Label(_NEVER, _NEVER, _NEVER)
    core = "(?:" + "|".join(re.sub(r"\\?[- ]", r"[\\s-]?", re.escape(word)) for word in words) + ")"
    whole = rf"{_BEFORE}{_MODIFIERS}{core}(?![^\W\d_]){_NUMBER}{_COLON}"
    exact = "|".join(re.escape(word[:1].upper() + word[1:]) for word in words)
    begin = r"(?:(?<=[.!?)>\]*,;|]\s)|(?<=[.!?>])(?=\*\*))[*_`]{0,3}"
    inline = rf"{begin}(?:Next |Final |New )?(?:{exact})[*_`]{{0,3}}\s?[:\uff1a]"
    within = re.compile(rf"(?<!\w)[*_`(]{{0,3}}{core}{_NUMBER}[\s*_`]{{0,4}}[:\uff1a]", re.IGNORECASE)
    return Label(re.compile(whole, re.IGNORECASE | re.DOTALL), re.compile(inline), within)


def close_marks(rest: str, before: str) -> str:
    """Take off the marks that were opened before the label and close at the end of the line, or right behind it."""
    rest = rest.strip()
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


def peel(value: str) -> tuple[str, tuple[str, ...]]:
    """Take quotes, backticks, bold and other pairs of marks off a whole value."""
    value, repairs = value.strip(), list[str]()
    for _ in range(_DEEPEST):
        for left, right, name in _PAIRS:
            inner = value[len(left) : -len(right)]
            if len(value) > len(left) + len(right) and value.startswith(left) and value.endswith(right):
                if left in inner and not _holds(inner, left):
                    continue
                value, repairs = inner.strip(), [*repairs, name]
                break
        else:
            break
    if found := _LOOSE.fullmatch(value):
        value, repairs = (found["left"] or found["right"]).strip(), [*repairs, "bold"]
    return ("", tuple(repairs)) if value and not value.strip("*_`~\"'“”‘’ ") else (value, tuple(repairs))


def _holds(inner: str, mark: str) -> bool:
    """Whether a mark within is one of its own: an apostrophe, part of a name, or opened again after a space."""
    if mark == "'":
        return bool(re.fullmatch(r"(?:[^']|\b'\b)*", inner))
    return mark == "_" or (mark == '"' and inner[:1] != mark and inner[inner.index(mark) - 1].isspace())


THOUGHT = make_label("Thought", "Thoughts", "Thinking", "Reasoning", "Rationale", "Analysis", "Reflection", "Plan")
"""Begins what is never carried out."""
WORLD = make_label("Observation", "Obs", "Environment", "Feedback", "Question", "User", "Human", "Game")
"""Begins what only the world says: a model that writes it plays on by itself."""
ASIDE = make_label("Reason", "Explanation", "Evidence", "Source", "Note", "Confidence", "Justification", "Why")
"""Begins a remark that is no part of an answer."""
