"""Time phrases of synthetic conversations (``last month``), with the date that each means on the day it is said."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta

__all__ = ["TimePhrase", "draw_future", "draw_past", "format_day", "format_session_day"]

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_COUNTS = ("zero", "one", "two", "three", "four", "five", "six")


@dataclass(frozen=True, slots=True)
class TimePhrase:
    """The text of a time phrase, and the date, month or year that it means."""

    text: str
    value: str


def format_day(day: date) -> str:
    """Return a day as in a reference answer: ``5 May 2023``."""
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def format_session_day(day: date) -> str:
    """Return a day as in LoCoMo's sessions: ``5 May, 2023``."""
    return f"{day.day} {_MONTHS[day.month - 1]}, {day.year}"


def _format_month(day: date, shift: int) -> str:
    count = day.year * 12 + day.month - 1 + shift
    return f"{_MONTHS[count % 12]} {count // 12}"


def draw_past(said_on: date, rng: random.Random) -> TimePhrase:
    """Draw a phrase for a time in the past. A weekday is named only if it is unambiguous: in the week before."""
    days, weeks, months = rng.randint(2, 6), rng.randint(2, 3), rng.randint(2, 3)
    phrases = [
        TimePhrase("yesterday", format_day(said_on - timedelta(days=1))),
        TimePhrase(f"{_COUNTS[days]} days ago", format_day(said_on - timedelta(days=days))),
        TimePhrase(f"{_COUNTS[weeks]} weeks ago today", format_day(said_on - timedelta(weeks=weeks))),
        TimePhrase("last month", _format_month(said_on, -1)),
        TimePhrase(f"{_COUNTS[months]} months ago", _format_month(said_on, -months)),
        TimePhrase("last year", str(said_on.year - 1)),
    ]
    if said_on.weekday() < 6:
        phrases += [_draw_weekday(said_on, rng)] * 3
    earlier = said_on - timedelta(days=rng.randint(8, 25))
    if earlier.year == said_on.year:
        phrases += [TimePhrase(f"on {earlier.day} {_MONTHS[earlier.month - 1]}", format_day(earlier))]
    return rng.choice(phrases)


def _draw_weekday(said_on: date, rng: random.Random) -> TimePhrase:
    weekday = rng.randint(said_on.weekday() + 1, 6)
    return TimePhrase(
        f"last {_WEEKDAYS[weekday]}", format_day(said_on - timedelta(days=said_on.weekday() + 7 - weekday))
    )


def draw_future(said_on: date, rng: random.Random) -> TimePhrase:
    """Draw a phrase for a time in the future."""
    days = rng.randint(2, 6)
    phrases = [
        TimePhrase("tomorrow", format_day(said_on + timedelta(days=1))),
        TimePhrase(f"in {_COUNTS[days]} days", format_day(said_on + timedelta(days=days))),
        TimePhrase("two weeks from today", format_day(said_on + timedelta(weeks=2))),
        TimePhrase("next month", _format_month(said_on, 1)),
        TimePhrase("next year", str(said_on.year + 1)),
    ]
    later = said_on + timedelta(days=rng.randint(8, 25))
    if later.year == said_on.year:
        phrases += [TimePhrase(f"on {later.day} {_MONTHS[later.month - 1]}", format_day(later))] * 2
    return rng.choice(phrases)
