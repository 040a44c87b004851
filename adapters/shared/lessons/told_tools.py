"""Which tools a sentence names for heating, cooling, cleaning or slicing, and which it says do not work.

A place that is named without the verb ("take it to the microwave") is remembered within its sentence alone: one bullet
says nothing about the next.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from adapters.shared.lessons.english import TREATMENTS, Noun, find_verb, is_attribute, read_noun

__all__ = ["ToldTool", "read_tools"]

_WITH = frozenset(("with", "using", "via", "by"))
_INSIDE = frozenset(("in", "inside", "at", "on"))
_NEEDS = frozenset(("needs", "requires", "means"))
_ARROWS = frozenset(("->", "=>", "→", ":", "="))
_LOCATES = frozenset(("to", "into", "use", "using", "used", "visit", "at", "need", "needs", "requires"))
_ENDS = frozenset((",", ";", "then", "before", "after", "but", "when", "if", "while", "until", "so"))
_PURPOSE = frozenset(("if", "when", "whenever", "for", "to", "once", "asks"))
_AUX = frozenset(
    ("is", "are", "used", "done", "does", "do", "did", "not", "can", "cannot", "will", "should", "be", "what", "that")
)
_NEGATION = re.compile(
    r"\b(?:not|never|cannot|can't|don't|doesn't|didn't|won't|nothing happen\w*|useless|fail\w*|avoid)\b"
)
_CONTRAST = re.compile(r"(?:,|\band|\bbut) not (?:with |in |by |using )?(?:the |a |an )?([a-z]+)[\s.]*$")


@dataclass(frozen=True, slots=True)
class ToldTool:
    """A verb, the kind of place that a sentence names for it, and whether it is said to work."""

    verb: str
    kind: str
    works: bool = True


def read_tools(sentence: str, tokens: tuple[str, ...]) -> list[ToldTool]:
    """Return the tools of one sentence, in order."""
    contrast = _CONTRAST.search(sentence)
    denied = bool(_NEGATION.search(sentence[: contrast.start()] if contrast else sentence))
    verbs = [(at, find_verb(word)) for at, word in enumerate(tokens) if find_verb(word) in TREATMENTS]
    found: list[ToldTool] = []
    for number, (at, verb) in enumerate(verbs):
        first = verbs[number - 1][0] + 1 if number else 0
        end = verbs[number + 1][0] if number + 1 < len(verbs) else len(tokens)
        if noun := _find_tool(tokens, at, first, end):
            found.append(ToldTool(verb, noun.kind, not denied))
    if contrast and found:
        found.append(ToldTool(found[-1].verb, contrast[1], works=False))
    return found


def _find_tool(tokens: tuple[str, ...], at: int, first: int, end: int) -> Noun | None:
    """Return the tool of the verb at a token; ``first`` and ``end`` part it from the verbs before and behind it."""
    if is_attribute(tokens, at):
        return _look_ahead(tokens, at, end) if _has_purpose(tokens, at, first) else None
    return (
        _look_behind_verb(tokens, at, end)
        or _look_for_purpose(tokens, at, first)
        or _look_back(tokens, at, first)
        or _find_subject(tokens, at, first)
        or (_look_ahead(tokens, at, end) if _has_purpose(tokens, at, first) else None)
    )


def _look_behind_verb(tokens: tuple[str, ...], at: int, end: int) -> Noun | None:
    """Return the tool of "heat the egg with the microwave", "washing is done in the sink", "heating -> microwave"."""
    for place in range(at + 1, end):
        word = tokens[place]
        names_it = word in ("is", "are") and tokens[at].endswith("ing")
        if names_it or word in _NEEDS or word in _ARROWS or word in _WITH or word in _INSIDE:
            follows = place + 1 if place + 1 < end and tokens[place + 1] in ("using", "with", "in") else place
            noun = read_noun(tokens, follows + 1)
            if noun or word in _NEEDS or word in _ARROWS:
                return noun
        elif word in _ENDS or (find_verb(word) and place > at + 1):
            return None
    return None


def _look_for_purpose(tokens: tuple[str, ...], at: int, first: int) -> Noun | None:
    """Return the tool of "the fridge is used for cooling", "the microwave for any heating", "microwave = heat"."""
    end = at - 1
    while end > first and tokens[end] in ("any", "all", "the"):
        end -= 1
    if end < first or (tokens[end] != "for" and tokens[end] not in _ARROWS):
        return None
    while end > first and tokens[end - 1] in _AUX:
        end -= 1
    return _noun_before(tokens, end, first)


def _noun_before(tokens: tuple[str, ...], end: int, first: int) -> Noun | None:
    """Return the noun that ends right before a token."""
    for start in range(max(first, end - 4), end):
        noun = read_noun(tokens, start)
        if noun and noun.end == end:
            return noun
    return None


def _look_back(tokens: tuple[str, ...], at: int, first: int) -> Noun | None:
    """Return the place that was gone to or used before: "take it to the microwave and heat it"."""
    for place in range(at - 1, first - 1, -1):
        noun = read_noun(tokens, place + 1) if tokens[place] in _LOCATES else None
        if noun and noun.end <= at:
            return noun
    return None


def _find_subject(tokens: tuple[str, ...], at: int, first: int) -> Noun | None:
    """Return the tool of "microwaves heat things" and "the fridge does not heat"."""
    end = at
    while end > first and tokens[end - 1] in _AUX:
        end -= 1
    return None if tokens[at].endswith(("ed", "ing")) else _noun_before(tokens, end, first)


def _has_purpose(tokens: tuple[str, ...], at: int, first: int) -> bool:
    return any(word in _PURPOSE for word in tokens[first:at])


def _look_ahead(tokens: tuple[str, ...], at: int, end: int) -> Noun | None:
    """Return the place that a sentence goes to after it has said what for: "for heating, go to the microwave"."""
    for place in range(at + 1, end):
        if tokens[place] in ("to", "into", "use", "using", "visit"):
            if noun := read_noun(tokens, place + 1):
                return noun
        elif tokens[place] == "," and (noun := read_noun(tokens, place + 1)):
            return noun if noun.end < end and tokens[noun.end] in ("works", "work", "does", "is") else None
    return None
