"""How people say when something happened or will happen, seen from the day they say it, and the date that is meant."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta

__all__ = ["When", "day_text", "past", "shown_day", "soon"]

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_COUNTS = ("zero", "one", "two", "three", "four", "five", "six")


@dataclass(frozen=True, slots=True)
class When:
    """A time as it is said, and the date, month or year that it means."""

    said: str
    meant: str


def day_text(day: date) -> str:
    """Return a day as a gold gives it: ``5 May 2023``."""
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def shown_day(day: date) -> str:
    """Return a day as LoCoMo's sessions show it: ``5 May, 2023``."""
    return f"{day.day} {_MONTHS[day.month - 1]}, {day.year}"


def _month(day: date, shift: int) -> str:
    count = day.year * 12 + day.month - 1 + shift
    return f"{_MONTHS[count % 12]} {count // 12}"


def past(said_on: date, rng: random.Random) -> When:
    """Return a time in the past. A weekday is only named where it can mean but one day: it lies in the week before."""
    days, weeks, months = rng.randint(2, 6), rng.randint(2, 3), rng.randint(2, 3)
    ways = [
        When("yesterday", day_text(said_on - timedelta(days=1))),
        When(f"{_COUNTS[days]} days ago", day_text(said_on - timedelta(days=days))),
        When(f"{_COUNTS[weeks]} weeks ago today", day_text(said_on - timedelta(weeks=weeks))),
        When("last month", _month(said_on, -1)),
        When(f"{_COUNTS[months]} months ago", _month(said_on, -months)),
        When("last year", str(said_on.year - 1)),
    ]
    if said_on.weekday() < 6:
        ways += [_last_weekday(said_on, rng)] * 3
    earlier = said_on - timedelta(days=rng.randint(8, 25))
    if earlier.year == said_on.year:
        ways += [When(f"on {earlier.day} {_MONTHS[earlier.month - 1]}", day_text(earlier))]
    return rng.choice(ways)


def _last_weekday(said_on: date, rng: random.Random) -> When:
    weekday = rng.randint(said_on.weekday() + 1, 6)
    return When(f"last {_WEEKDAYS[weekday]}", day_text(said_on - timedelta(days=said_on.weekday() + 7 - weekday)))


def soon(said_on: date, rng: random.Random) -> When:
    """Return a time to come."""
    days = rng.randint(2, 6)
    ways = [
        When("tomorrow", day_text(said_on + timedelta(days=1))),
        When(f"in {_COUNTS[days]} days", day_text(said_on + timedelta(days=days))),
        When("two weeks from today", day_text(said_on + timedelta(weeks=2))),
        When("next month", _month(said_on, 1)),
        When("next year", str(said_on.year + 1)),
    ]
    later = said_on + timedelta(days=rng.randint(8, 25))
    if later.year == said_on.year:
        ways += [When(f"on {later.day} {_MONTHS[later.month - 1]}", day_text(later))] * 2
    return rng.choice(ways)
