"""On which day something happened, from how it was said and the day it was said on, and how far two days are apart.

Unlike ``dates.resolve`` this gives a day to count with, not words. Knows no question and no memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from enum import Enum

from adapters.shared.answering.dates import MONTHS, NUMBERS, WEEKDAYS, parse_day

__all__ = ["Unit", "apart", "moment", "number_of"]


class Unit(Enum):
    """What a stretch of time is counted in; the value is its length in days."""

    DAY = 1.0
    WEEK = 7.0
    MONTH = 30.44
    YEAR = 365.25


_COUNT = r"(\d{1,4}|" + "|".join(NUMBERS) + r")(?: of)?"
_MONTH_NAMES = "|".join((*MONTHS, *(month[:3] for month in MONTHS if len(month) > 4)))
_FEASTS = {
    "valentine": (2, 14),
    "new year's eve": (12, 31),
    "new year": (1, 1),
    "christmas eve": (12, 24),
    "christmas": (12, 25),
    "halloween": (10, 31),
    "independence day": (7, 4),
    "4th of july": (7, 4),
}
_WINDOW_DAYS = 200
"""A day named without a year lies no further ahead than this, else it was last year's."""


def number_of(word: str) -> int:
    """Return the number that a word or figure says; 1 for one that says none."""
    return int(word) if word.isdigit() else NUMBERS.get(word.lower(), 1)


def _near(said: date, month: int, day: int) -> date:
    """Return that day of the year which is nearest before, or soon after, the day of speaking."""
    year = said.year
    try:
        found = date(year, month, day)
    except ValueError:
        return said
    return found if (found - said).days <= _WINDOW_DAYS else found.replace(year=year - 1, day=min(day, 28))


def _ago(found: re.Match[str], said: date) -> date:
    days = number_of(found[1]) * Unit[found[2].upper()].value
    return said - timedelta(days=min(round(days), (said - date.min).days))


def _weekday(found: re.Match[str], said: date) -> date:
    wanted = [day.lower() for day in WEEKDAYS].index(found[2].lower())
    if (found[1] or "").lower() == "next":
        return said + timedelta(days=(wanted - said.weekday() - 1) % 7 + 1)
    back = (said.weekday() - wanted) % 7
    return said - timedelta(days=back or (7 if (found[1] or "").lower() in ("last", "past") else 0))


def _last(found: re.Match[str], said: date) -> date:
    back = {"week": 7, "weekend": (said.weekday() - 5) % 7 or 7, "month": 30, "year": 365, "night": 1}
    return said - timedelta(days=back[found[1].lower()])


def _named(found: re.Match[str], said: date) -> date:
    month = (found[1] or found[4])[:3].lower()
    return _near(said, [name[:3].lower() for name in MONTHS].index(month) + 1, int(found[2] or found[3]))


def _feast(found: re.Match[str], said: date) -> date:
    return _near(said, *_FEASTS[found[1].lower()])


def _slashed(found: re.Match[str], said: date) -> date:
    return _near(said, int(found[1]), int(found[2]))


_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], date]], ...] = (
    (re.compile(r"\b(?:today|tonight|this (?:morning|afternoon|evening)|just now)\b", re.I), lambda _, said: said),
    (
        re.compile(r"\b(?:day before yesterday)\b", re.I),
        lambda _, said: said - timedelta(days=2),
    ),
    (re.compile(r"\b(?:yesterday|last night)\b", re.I), lambda _, said: said - timedelta(days=1)),
    (re.compile(r"\btomorrow\b", re.I), lambda _, said: said + timedelta(days=1)),
    (re.compile(rf"\b{_COUNT} (day|week|month|year)s? (?:ago|back)\b", re.I), _ago),
    (
        re.compile(
            rf"\b({_MONTH_NAMES})\.? (\d{{1,2}})(?:st|nd|rd|th)?\b"
            rf"|\b(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?({_MONTH_NAMES})\b"
        ),
        _named,
    ),
    (re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})(?![\d/])"), _slashed),
    (re.compile(rf"\b({'|'.join(_FEASTS)})\b", re.I), _feast),
    (re.compile(rf"\b(?:(last|this|next|past|on) )?({'|'.join(WEEKDAYS)})\b", re.I), _weekday),
    (re.compile(r"\b(?:last|past) (weekend|week|month|year|night)\b", re.I), _last),
)


def moment(text: str, said: date) -> date | None:
    """Return the day on which the thing told in ``text`` happened; None if the text does not say."""
    if exact := parse_day(text):
        return exact
    for pattern, rule in _RULES:
        if found := pattern.search(text):
            try:
                return rule(found, said)
            except (OverflowError, ValueError):  # before the first day of the calendar
                return None
    return None


def apart(one: date, other: date, unit: Unit) -> int:
    """Return how many whole units lie between two days, rounded to the nearest."""
    return round(abs((other - one).days) / unit.value)
