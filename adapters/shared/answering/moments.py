"""The day on which something happened, from a sentence and the day on which it was said; and the time between two days.

``dates.resolve_date`` gives text, this module a day to count with. Knows no question and no memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from enum import Enum

from adapters.shared.answering.dates import MONTHS, NUMBERS, WEEKDAYS, parse_day

__all__ = ["Unit", "count_units", "find_day", "parse_number"]


class Unit(Enum):
    """A unit of time; the value is its length in days."""

    DAY = 1.0
    WEEK = 7.0
    MONTH = 30.44
    YEAR = 365.25


_COUNT = r"(\d{1,4}|" + "|".join(NUMBERS) + r")(?: of)?"
_MONTH_NAMES = "|".join((*MONTHS, *(month[:3] for month in MONTHS if len(month) > 4)))
_HOLIDAYS = {
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
"""A date without a year that is further ahead than this is taken for one of the year before."""


def parse_number(word: str) -> int:
    """Return the number of a word or figure; 1 for a word that is no number."""
    return int(word) if word.isdigit() else NUMBERS.get(word.lower(), 1)


def _nearest_day(said_on: date, month: int, day: int) -> date:
    """Return the date of that month and day nearest to ``said_on``: before it, or at most ``_WINDOW_DAYS`` after."""
    year = said_on.year
    try:
        found = date(year, month, day)
    except ValueError:
        return said_on
    return found if (found - said_on).days <= _WINDOW_DAYS else found.replace(year=year - 1, day=min(day, 28))


def _subtract(found: re.Match[str], said_on: date) -> date:
    days = parse_number(found[1]) * Unit[found[2].upper()].value
    return said_on - timedelta(days=min(round(days), (said_on - date.min).days))


def _find_weekday(found: re.Match[str], said_on: date) -> date:
    target = [day.lower() for day in WEEKDAYS].index(found[2].lower())
    if (found[1] or "").lower() == "next":
        return said_on + timedelta(days=(target - said_on.weekday() - 1) % 7 + 1)
    back = (said_on.weekday() - target) % 7
    return said_on - timedelta(days=back or (7 if (found[1] or "").lower() in ("last", "past") else 0))


def _find_last(found: re.Match[str], said_on: date) -> date:
    back = {"week": 7, "weekend": (said_on.weekday() - 5) % 7 or 7, "month": 30, "year": 365, "night": 1}
    return said_on - timedelta(days=back[found[1].lower()])


def _find_month_day(found: re.Match[str], said_on: date) -> date:
    month = (found[1] or found[4])[:3].lower()
    return _nearest_day(said_on, [name[:3].lower() for name in MONTHS].index(month) + 1, int(found[2] or found[3]))


def _find_holiday(found: re.Match[str], said_on: date) -> date:
    return _nearest_day(said_on, *_HOLIDAYS[found[1].lower()])


def _find_slash_date(found: re.Match[str], said_on: date) -> date:
    return _nearest_day(said_on, int(found[1]), int(found[2]))


_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], date]], ...] = (
    (
        re.compile(r"\b(?:today|tonight|this (?:morning|afternoon|evening)|just now)\b", re.I),
        lambda _, said_on: said_on,
    ),
    (
        re.compile(r"\b(?:day before yesterday)\b", re.I),
        lambda _, said_on: said_on - timedelta(days=2),
    ),
    (re.compile(r"\b(?:yesterday|last night)\b", re.I), lambda _, said_on: said_on - timedelta(days=1)),
    (re.compile(r"\btomorrow\b", re.I), lambda _, said_on: said_on + timedelta(days=1)),
    (re.compile(rf"\b{_COUNT} (day|week|month|year)s? (?:ago|back)\b", re.I), _subtract),
    (
        re.compile(
            rf"\b({_MONTH_NAMES})\.? (\d{{1,2}})(?:st|nd|rd|th)?\b"
            rf"|\b(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?({_MONTH_NAMES})\b"
        ),
        _find_month_day,
    ),
    (re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})(?![\d/])"), _find_slash_date),
    (re.compile(rf"\b({'|'.join(_HOLIDAYS)})\b", re.I), _find_holiday),
    (re.compile(rf"\b(?:(last|this|next|past|on) )?({'|'.join(WEEKDAYS)})\b", re.I), _find_weekday),
    (re.compile(r"\b(?:last|past) (weekend|week|month|year|night)\b", re.I), _find_last),
)


def find_day(text: str, said_on: date) -> date | None:
    """Return the day on which the event in ``text`` happened; None if the text does not say."""
    if exact := parse_day(text):
        return exact
    for pattern, rule in _RULES:
        if found := pattern.search(text):
            try:
                return rule(found, said_on)
            except (OverflowError, ValueError):  # before the first day of the calendar
                return None
    return None


def count_units(one: date, other: date, unit: Unit) -> int:
    """Return how many whole units lie between two days, rounded to the nearest."""
    return round(abs((other - one).days) / unit.value)
