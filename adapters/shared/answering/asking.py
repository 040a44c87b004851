"""A question as a prompt asks it: what kind of thing it wants, with which words, of whom and when; knows no memory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum

from adapters.shared.answering.dates import Span, parse_day, parse_month, parse_span, without_dates
from adapters.shared.answering.words import plain_words, stems
from bench.types import Message

__all__ = ["Asked", "Kind", "Prompt", "ask", "read_prompt"]

_MEMORY, _QUESTION = "# Memory\n", "# Question\n"
_ASKED_ON = re.compile(r"\s*\(asked on ([^()]*(?:\([^()]*\)[^()]*)?)\)\s*$")


class Kind(Enum):
    """What a question wants to hear."""

    WHEN = "a date"
    YEAR = "a year"
    LENGTH = "a length of time"
    OFTEN = "how often"
    COUNT = "a number"
    CLOCK = "a time of day"
    WEEKDAY = "a day of the week"
    WHO = "a person"
    WHERE = "a place"
    WHY = "a reason"
    POLAR = "yes or no"
    NAME = "a name"
    THING = "anything"


_CLAUSE = r"(?:^|[,.;:?!] (?:and |but |so )?|\b(?:me|wondering|know|remember|recall|confirm) (?:of )?)"
_KINDS = tuple(
    (kind, re.compile(f"{'^' if kind is Kind.POLAR else _CLAUSE}(?:{pattern})", re.IGNORECASE))
    for kind, pattern in (
        (Kind.WEEKDAY, r"(?:on )?(?:which|what) days? of the week\b"),
        (Kind.CLOCK, r"(?:at |by )?(?:what|which) time\b"),
        (Kind.YEAR, r"(?:in |since )?(?:which|what) year\b"),
        (
            Kind.WHEN,
            r"(?:since )?when\b|(?:in |on )?(?:which|what) (?:month|date|day)\b(?! of the week)"
            r"|what(?:'s| is| was) the date\b",
        ),
        (Kind.LENGTH, r"(?:for )?how (?:long|much (?:\w+ )?time|many (?:years|months|weeks|days|hours|minutes))\b"),
        (Kind.OFTEN, r"how (?:often|frequently|many times (?:a|per))\b"),
        (Kind.COUNT, r"how (?:many|much|old|far|tall|big)\b"),
        (Kind.WHO, r"(?:with |to |from |for )?who(?:m|se)?\b"),
        (
            Kind.WHERE,
            r"(?:from |to )?where\b|(?:in |at |to )?(?:which|what) (?:city|country|state|town|place|location)\b",
        ),
        (Kind.WHY, r"why\b|for what reason\b|what (?:is|was) the reason\b"),
        (
            Kind.NAME,
            r"(?:what (?:is|was|are|were) the (?:name|title)|(?:which|what) (?:\w+ )?(?:book|movie|film|game|song|band"
            r"|series|novel|artist|author|brand|company|team|restaurant|app|musician|show)s?)\b",
        ),
        (
            Kind.POLAR,
            r"(?:is|are|was|were|do|does|did|has|have|had|would|will|can|could|might|should)\b(?! you\b)(?!.*\bor\b)",
        ),
    )
)
_SEVERAL = re.compile(
    r"(?:what|which)(?: (?:kinds?|types?|sorts?) of)?((?: [\w'+-]+){1,3}?)"
    r" (?:has|have|had|did|does|do|are|were|is|was)\b",
    re.IGNORECASE,
)
_ONE_WITH_S = frozenset(("is", "was", "does", "has", "this", "his", "hers", "news", "tennis"))


@dataclass(frozen=True, slots=True)
class Asked:
    """One question. ``wanted`` are its stems without names of people and dates; ``names`` are in lower case."""

    text: str
    kind: Kind
    wanted: frozenset[str]
    names: frozenset[str]
    span: Span | None = None
    month: int = 0
    """The month of any year in which it was, from 1; 0 = none is named."""
    several: bool = False
    """More than one thing may be the answer."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What one call holds: the question, the day it is asked on if it says so, and the memory."""

    question: str
    memory: str
    asked_on: date | None = None


def read_prompt(messages: Sequence[Message]) -> Prompt:
    """Return the parts of a call's last message; a part that is not there is empty."""
    before, _, after = messages[-1].content.rpartition(_QUESTION)
    question = after.strip().split("\n", 1)[0]
    asked_on = _ASKED_ON.search(question)
    day = parse_day(asked_on[1]) if asked_on else None
    memory = before.partition(_MEMORY)[2].strip()
    return Prompt(question[: asked_on.start()] if asked_on and day else question, memory, day)


def ask(question: str, people: frozenset[str]) -> Asked:
    """Return what a question asks, given whom the memory knows."""
    kind = _kind(question)
    names = frozenset(word for word in plain_words(question) if word in people)
    span = None if kind in (Kind.WHEN, Kind.YEAR) else parse_span(question)
    month = parse_month(question)
    bare = without_dates(question) if span or month else question
    wanted = frozenset(stems(bare)) - {word for name in names for word in stems(name)}
    return Asked(question, kind, wanted, names, span, month, _asks_several(question))


def _kind(question: str) -> Kind:
    """Return the kind of the first clause that tells one."""
    found = [(match.start(), at) for at, (_, pattern) in enumerate(_KINDS) if (match := pattern.search(question))]
    return _KINDS[min(found)[1]][0] if found else Kind.THING


def _asks_several(question: str) -> bool:
    found = _SEVERAL.match(question)
    last = found[1].split()[-1].lower() if found else ""
    return last.endswith("s") and not last.endswith("ss") and last not in _ONE_WITH_S
