"""A question read from a prompt: the kind of answer, its keywords, the people and the dates it names.

Knows no memory.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum

from adapters.shared.answering.dates import Span, parse_day, parse_month, parse_span, remove_dates
from adapters.shared.answering.words import plain_words, stems
from bench.types import Message

__all__ = ["Kind", "ParsedQuestion", "Prompt", "parse_question", "read_prompt"]

_MEMORY, _QUESTION = "# Memory\n", "# Question\n"
_ASKED_ON = re.compile(r"\s*\(asked on ([^()]*(?:\([^()]*\)[^()]*)?)\)\s*$")


class Kind(Enum):
    """What kind of answer a question asks for."""

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
class ParsedQuestion:
    """One question. ``keywords`` are its stems without names of people and dates; ``names`` are in lower case."""

    text: str
    kind: Kind
    keywords: frozenset[str]
    names: frozenset[str]
    span: Span | None = None
    month: int = 0
    """The month that the question names without a year, from 1; 0 = none."""
    several: bool = False
    """More than one thing may be the answer."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The parts of one call: the question, the day on which it is asked (None = not given), and the memory."""

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


def parse_question(question: str, people: frozenset[str]) -> ParsedQuestion:
    """Return the parsed question; ``people`` are the names in the memory, in lower case."""
    kind = _find_kind(question)
    names = frozenset(word for word in plain_words(question) if word in people)
    span = None if kind in (Kind.WHEN, Kind.YEAR) else parse_span(question)
    month = parse_month(question)
    text_only = remove_dates(question) if span or month else question
    keywords = frozenset(stems(text_only)) - {word for name in names for word in stems(name)}
    return ParsedQuestion(question, kind, keywords, names, span, month, _asks_several(question))


def _find_kind(question: str) -> Kind:
    """Return the kind of the first clause that has one."""
    found = [(match.start(), at) for at, (_, pattern) in enumerate(_KINDS) if (match := pattern.search(question))]
    return _KINDS[min(found)[1]][0] if found else Kind.THING


def _asks_several(question: str) -> bool:
    found = _SEVERAL.match(question)
    last = found[1].split()[-1].lower() if found else ""
    return last.endswith("s") and not last.endswith("ss") and last not in _ONE_WITH_S
