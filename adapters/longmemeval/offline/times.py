"""Questions of time about a chat history: how long between two things, which came first, in which order, what then."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from adapters.longmemeval.offline.history import ASSISTANT, History
from adapters.shared.answering.asking import Asked, Kind, Prompt
from adapters.shared.answering.finding import Find, find, sources
from adapters.shared.answering.moments import Unit, apart, moment, number_of
from adapters.shared.answering.spans import answer_span

__all__ = ["told_then", "worked_out"]

_ENOUGH_EVENT = 0.45
"""The least share of a phrase's weight that a sentence and those around it must hold."""
_ANY_DAY = date(2000, 6, 1)
_UNIT = re.compile(r"\bhow (?:many (day|week|month|year)s?|long)\b", re.IGNORECASE)
_PAIRS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bbetween (?:the (?:day|time) )?(?P<one>.+?) and (?:the (?:day|time) )?(?P<other>.+)",
        r"\bsince (?P<one>.+?),? when (?P<other>.+)",
        r"\b(?:before|after) (?P<one>.+?),? did (?:I |it |we )?(?P<other>.+)",
        r"\btake (?:for )?(?:me |us )?(?:to )?(?P<other>.+?) (?:after|since|from when) (?P<one>.+)",
        r"\b(?:have|had) (?:I|we) been (?P<one>.+?) (?:when|before) (?P<other>.+)",
        r"\b(?:did|have|had) (?:I|we) (?P<one>.+?) (?:when|before) (?P<other>.+)",
    )
)
_UNTIL_NOW = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bago (?:did|was|were|have|do) (?:I |we )?(?P<one>.+)",
        r"\b(?:passed|been) since (?P<one>.+)",
    )
)
_FIRST = re.compile(
    r"\b(?P<which>first|earlier|earliest|most recently|last|later)\b.*[,:] (?P<one>.+?),? or (?P<other>.+?)\?", re.I
)
_THEN = re.compile(
    r"\b(?:ago|last (?:week|weekend|month|night|\w+day)|yesterday|valentine|christmas|on \w+ \d+|the past \w+day)\b",
    re.I,
)
_LOOSE = re.compile(r"\b(?:week|month|year|weekend)s?\b", re.IGNORECASE)
_CLOSE_DAYS, _LOOSE_DAYS = 1, 4
"""How far a thing may lie from a day that is named by itself, and by weeks or months."""
_TIME_WORDS = frozenset(
    ("ago", "week", "month", "day", "year", "weekend", "one", "two", "three", "four", "five", "six")
)
_ENOUGH_THEN = 0.15
"""The same share where the day fits: what the question calls it may be another word than the user's."""
_TRIED = 3
"""How many sentences of either thing are tried for two days that differ."""
_ORDER = re.compile(r"\border of (?:the |my )?(?:(three|four|five|six|seven|eight) )?", re.IGNORECASE)
_MANY, _OF_BEST = 4, 0.5
"""How many things are put in order where the question gives no number, and how good each must be beside the best."""


def worked_out(prompt: Prompt, history: History) -> str | None:
    """Return what is counted or ordered by dates; empty if the memory lacks a part, None for another question."""
    if choice := _FIRST.search(prompt.question):
        return _first(choice, history)
    if order := _ORDER.search(prompt.question):
        return _ordered(number_of(order[1]) if order[1] else _MANY, prompt.question, history)
    unit = _UNIT.search(prompt.question)
    for pattern in (*_PAIRS, *_UNTIL_NOW) if unit else ():
        if unit and (found := pattern.search(prompt.question, unit.end())):
            return _between(found, unit[1] or "", prompt, history)
    return None


def told_then(asked: Asked, prompt: Prompt, history: History) -> list[Find]:
    """Return what was told of the day that the question names, best first; empty if it names none."""
    if prompt.asked_on is None or not (named := _THEN.search(asked.text)):
        return []
    day = moment(asked.text, prompt.asked_on)
    if day is None:
        return []
    wanted = asked.wanted - _TIME_WORDS
    margin = _LOOSE_DAYS if _LOOSE.search(asked.text) and not named[0].lower().startswith("on ") else _CLOSE_DAYS
    near = []
    finds = history.find(replace(asked, wanted=wanted or asked.wanted))
    for one in [one for one in finds if history.speaker(one) != ASSISTANT]:
        said_on = history.said_on(one)
        happened = said_on and (moment(history.piece(one).text, said_on) or said_on)
        if happened and abs((happened - day).days) <= margin and one.share >= _ENOUGH_THEN * history.caution:
            near.append(replace(one, share=1.0))
    return near


@dataclass(frozen=True, slots=True)
class _Event:
    """Where a phrase was found, and on which day what it names happened."""

    day: date
    points: float


def _events(phrase: str, history: History) -> list[_Event]:
    """Return what a phrase may name, best first; empty if the memory does not hold it."""
    asked = replace(history.ask(phrase), kind=Kind.THING)
    finds = find(history.memory, asked, lambda piece: moment(piece.text, _ANY_DAY) is not None)
    found = []
    for one in [one for one in finds if history.speaker(one) != ASSISTANT] or finds:
        said_on = history.said_on(one)
        if one.share >= _ENOUGH_EVENT * history.caution and said_on:
            found.append(_Event(moment(history.piece(one).text, said_on) or said_on, one.points))
    return found


def _two_days(ones: Sequence[_Event], others: Sequence[_Event]) -> tuple[date, date]:
    """Return the best supported days that differ: two things are told of two days, where the memory has two."""
    pairs = [(one, other) for one in ones[:_TRIED] for other in others[:_TRIED] if one.day != other.day]
    one, other = max(pairs, key=lambda pair: pair[0].points + pair[1].points, default=(ones[0], others[0]))
    return one.day, other.day


def _between(found: re.Match[str], unit: str, prompt: Prompt, history: History) -> str:
    ones = _events(found["one"], history)
    if not ones:
        return ""
    if "other" in found.re.groupindex:
        if not (others := _events(found["other"], history)):
            return ""
        one, other = _two_days(ones, others)
    elif prompt.asked_on:
        one, other = ones[0].day, prompt.asked_on
    else:
        return ""
    days = abs((other - one).days)
    chosen = Unit[unit.upper()] if unit else Unit.DAY if days < 14 else Unit.WEEK if days < 60 else Unit.MONTH
    count = apart(one, other, chosen)
    return f"{count} {chosen.name.lower()}{'' if count == 1 else 's'}"


def _first(choice: re.Match[str], history: History) -> str:
    one, other = (_events(choice[name], history) for name in ("one", "other"))
    if not one or not other:
        return ""
    latest = choice["which"].lower() not in ("first", "earlier", "earliest")
    return choice["one"] if (one[0].day <= other[0].day) != latest else choice["other"]


def _ordered(count: int, question: str, history: History) -> str:
    """Return what was told on so many days about what is asked, the earliest first."""
    asked = replace(history.ask(question), kind=Kind.NAME)
    finds = [one for one in history.find(asked) if history.speaker(one) != ASSISTANT and not history.piece(one).asks]
    told: dict[date, str] = {}
    for one in finds:
        said_on = history.said_on(one)
        if said_on is None or one.points < _OF_BEST * finds[0].points or len(told) == count:
            continue
        day = moment(history.piece(one).text, said_on) or said_on
        told.setdefault(day, answer_span(sources(history.memory, asked, [one], 1), asked))
    return ", ".join(told[day] for day in sorted(told)) if len(told) > 1 else ""
