"""Answers questions about time: the time between two events, which came first, their order, what happened on a day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from adapters.longmemeval.offline.history import ASSISTANT, History
from adapters.shared.answering.finding import Match, find_matches, pick_sources
from adapters.shared.answering.moments import Unit, count_units, find_day, parse_number
from adapters.shared.answering.question import Kind, ParsedQuestion, Prompt
from adapters.shared.answering.spans import extract_answer

__all__ = ["compute_answer", "find_on_day"]

_ENOUGH_EVENT = 0.45
"""The least share of a phrase's weight that a sentence and those around it must contain."""
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
"""How many days an event may be from a day that the question names exactly, and by weeks or months."""
_TIME_WORDS = frozenset(
    ("ago", "week", "month", "day", "year", "weekend", "one", "two", "three", "four", "five", "six")
)
_ENOUGH_THEN = 0.15
"""The same share if the day fits: the question may use another word for the event than the user."""
_TRIED = 3
"""How many sentences about each event are tried to find two days that differ."""
_ORDER = re.compile(r"\border of (?:the |my )?(?:(three|four|five|six|seven|eight) )?", re.IGNORECASE)
_MANY, _OF_BEST = 4, 0.5
"""How many events are put in order if the question gives no number; the points of each, relative to the best."""


def compute_answer(prompt: Prompt, history: History) -> str | None:
    """Return an answer computed from dates; empty if the memory lacks an event, None for another kind of question."""
    if choice := _FIRST.search(prompt.question):
        return _find_first(choice, history)
    if order := _ORDER.search(prompt.question):
        return _order_events(parse_number(order[1]) if order[1] else _MANY, prompt.question, history)
    unit = _UNIT.search(prompt.question)
    for pattern in (*_PAIRS, *_UNTIL_NOW) if unit else ():
        if unit and (found := pattern.search(prompt.question, unit.end())):
            return _measure_between(found, unit[1] or "", prompt, history)
    return None


def find_on_day(question: ParsedQuestion, prompt: Prompt, history: History) -> list[Match]:
    """Return the matches about the day that the question names, best first; empty if it names none."""
    if prompt.asked_on is None or not (named := _THEN.search(question.text)):
        return []
    day = find_day(question.text, prompt.asked_on)
    if day is None:
        return []
    keywords = question.keywords - _TIME_WORDS
    margin = _LOOSE_DAYS if _LOOSE.search(question.text) and not named[0].lower().startswith("on ") else _CLOSE_DAYS
    near = []
    matches = history.find(replace(question, keywords=keywords or question.keywords))
    for one in [one for one in matches if history.speaker(one) != ASSISTANT]:
        said_on = history.find_day(one)
        happened = said_on and (find_day(history.piece(one).text, said_on) or said_on)
        if happened and abs((happened - day).days) <= margin and one.share >= _ENOUGH_THEN * history.caution:
            near.append(replace(one, share=1.0))
    return near


@dataclass(frozen=True, slots=True)
class _Event:
    """The day of an event that a phrase may name, and the points of its sentence."""

    day: date
    points: float


def _find_events(phrase: str, history: History) -> list[_Event]:
    """Return the events that a phrase may name, best first; empty if the memory has none."""
    question = replace(history.parse(phrase), kind=Kind.THING)
    matches = find_matches(history.memory, question, lambda piece: find_day(piece.text, _ANY_DAY) is not None)
    found = []
    for one in [one for one in matches if history.speaker(one) != ASSISTANT] or matches:
        said_on = history.find_day(one)
        if one.share >= _ENOUGH_EVENT * history.caution and said_on:
            found.append(_Event(find_day(history.piece(one).text, said_on) or said_on, one.points))
    return found


def _pick_days(ones: Sequence[_Event], others: Sequence[_Event]) -> tuple[date, date]:
    """Return the two best days that differ; the best two days if none do."""
    pairs = [(one, other) for one in ones[:_TRIED] for other in others[:_TRIED] if one.day != other.day]
    one, other = max(pairs, key=lambda pair: pair[0].points + pair[1].points, default=(ones[0], others[0]))
    return one.day, other.day


def _measure_between(found: re.Match[str], unit: str, prompt: Prompt, history: History) -> str:
    ones = _find_events(found["one"], history)
    if not ones:
        return ""
    if "other" in found.re.groupindex:
        if not (others := _find_events(found["other"], history)):
            return ""
        one, other = _pick_days(ones, others)
    elif prompt.asked_on:
        one, other = ones[0].day, prompt.asked_on
    else:
        return ""
    days = abs((other - one).days)
    chosen = Unit[unit.upper()] if unit else Unit.DAY if days < 14 else Unit.WEEK if days < 60 else Unit.MONTH
    count = count_units(one, other, chosen)
    return f"{count} {chosen.name.lower()}{'' if count == 1 else 's'}"


def _find_first(choice: re.Match[str], history: History) -> str:
    one, other = (_find_events(choice[name], history) for name in ("one", "other"))
    if not one or not other:
        return ""
    latest = choice["which"].lower() not in ("first", "earlier", "earliest")
    return choice["one"] if (one[0].day <= other[0].day) != latest else choice["other"]


def _order_events(count: int, text: str, history: History) -> str:
    """Return the answers of ``count`` days, joined by commas, the earliest first."""
    question = replace(history.parse(text), kind=Kind.NAME)
    matches = [
        one for one in history.find(question) if history.speaker(one) != ASSISTANT and not history.piece(one).asks
    ]
    answers: dict[date, str] = {}
    for one in matches:
        said_on = history.find_day(one)
        if said_on is None or one.points < _OF_BEST * matches[0].points or len(answers) == count:
            continue
        day = find_day(history.piece(one).text, said_on) or said_on
        answers.setdefault(day, extract_answer(pick_sources(history.memory, question, [one], 1), question))
    return ", ".join(answers[day] for day in sorted(answers)) if len(answers) > 1 else ""
