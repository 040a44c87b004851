"""Regular expressions for the kinds of answers: which part of a text is a number, a place, a person and so on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from adapters.shared.answering.dates import WEEKDAYS
from adapters.shared.answering.question import Kind

__all__ = ["EDGES", "SHORT_KINDS", "TypedWords", "find_typed_span", "find_typed_words", "fits"]

EDGES = '.,!?;:-–—()*"“” '
"""Characters that are removed at both ends of an answer."""
_NUMBER = (
    r"(?:\$?\d[\d,.]*(?:k|%|-\d+)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty"
    r"|a couple|a few|several|half|both|dozens?|hundreds?)"
)
_UNIT = r"(?:second|minute|hour|day|night|week|weekend|month|year|decade)s?"
_KIN = (
    r"(?:sister|brother|mom|mother|dad|father|wife|husband|friends?|family|cousin|aunt|uncle|grand\w+|kids|children|son"
    r"|daughter|boss|colleagues?|partner|girlfriend|boyfriend|team|neighbou?rs?)"
)
_IN = r"(?:(?<=\bin )|(?<=\bat )|(?<=\bto )|(?<=\bon )|(?<=\bby )|(?<=\bfrom )|(?<=\bnear ))"
_PATTERNS = {
    Kind.LENGTH: re.compile(
        rf"\b(?:(?:about|around|over|almost|nearly|since) )?(?:{_NUMBER}|an?|since)(?:[ -]| more )?"
        rf"(?:{_UNIT}\b|\d{{4}})",
        re.I,
    ),
    Kind.OFTEN: re.compile(
        rf"\b(?:(?:once|twice|{_NUMBER} times|{_NUMBER})(?: or twice)? (?:an?|per|every) {_UNIT}|every (?:other )?\w+"
        r"|daily|weekly|monthly|each \w+)\b",
        re.I,
    ),
    Kind.COUNT: re.compile(rf"\b{_NUMBER}\b", re.I),
    Kind.CLOCK: re.compile(r"\b(?:\d{1,2}(?::\d\d)? ?[ap]\.?m\b\.?|\d{1,2}:\d\d|noon|midnight)", re.I),
    Kind.WEEKDAY: re.compile(rf"\b(?:{'|'.join(WEEKDAYS)})s?\b"),
    Kind.WHY: re.compile(r"\b(?:because|since|so that|due to|in order to)\b|'cause\b", re.I),
    Kind.WHERE: re.compile(rf"{_IN}(?:the |a |an |my |our )?[^\s,.!?]+", re.I),
    Kind.NAME: re.compile(r"[\"“‘][^\"”]{2,60}[\"”’]|(?<=[a-z,;:] )[A-Z][\w'’-]*(?: (?:of|the|and|[A-Z0-9][\w'’-]*))*"),
    Kind.WHO: re.compile(rf"(?<=[a-z,;:] )[A-Z][a-z]+(?: [A-Z][a-z]+)?|\b(?:my|our|her|his) (?:\w+ )?{_KIN}\b"),
}
SHORT_KINDS = frozenset((Kind.LENGTH, Kind.OFTEN, Kind.COUNT, Kind.CLOCK, Kind.WEEKDAY))
"""Kinds whose pattern matches the whole answer."""


def fits(kind: Kind, text: str) -> bool:
    """True if a text contains something of the kind."""
    pattern = _PATTERNS.get(kind)
    return bool(pattern and pattern.search(text))


def find_typed_span(text: str, kind: Kind) -> str:
    """Return the first thing of the kind in a text; empty if it contains none."""
    pattern = _PATTERNS.get(kind)
    found = pattern.search(text) if pattern else None
    return found[0].strip(EDGES) if found else ""


@dataclass(frozen=True, slots=True)
class TypedWords:
    """The places of the words at which something of a kind starts and ends."""

    starts: frozenset[int]
    ends: frozenset[int]


def find_typed_words(text: str, kind: Kind) -> TypedWords:
    """Return the words of a text at which something of the kind starts and ends."""
    pattern = _PATTERNS.get(kind)
    if not pattern:
        return TypedWords(frozenset(), frozenset())
    bounds = [(match.start(), match.end()) for match in re.finditer(r"\S+", text)]
    found = [match.span() for match in pattern.finditer(text)]
    starts = frozenset(at for at, (first, last) in enumerate(bounds) if any(first <= one < last for one, _ in found))
    ends = frozenset(at for at, (first, last) in enumerate(bounds) if any(first < end <= last for _, end in found))
    return TypedWords(starts, ends)
