"""The date on which something happened, as text, from a sentence and the day on which it was said.

Knows no question and no memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

__all__ = [
    "MONTHS",
    "NUMBERS",
    "WEEKDAYS",
    "Span",
    "find_date",
    "mentions_time",
    "parse_day",
    "parse_month",
    "parse_span",
    "remove_dates",
    "resolve_date",
]

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
NUMBERS = {
    **{"a": 1, "an": 1, "one": 1, "two": 2, "couple": 2, "three": 3, "few": 3, "four": 4, "five": 5},
    **{"six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10},
}
_FULL_DATE = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?({'|'.join(MONTHS)}),? (\d{{4}})\b"
    rf"|\b({'|'.join(MONTHS)}) (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})\b"
    r"|\b(\d{4})[/-](\d{1,2})[/-](\d{1,2})(?!\d)"
)
_AGO = re.compile(r"\b(\d{1,4}|" + "|".join(NUMBERS) + r")(?: of)? (day|week|month|year)s? (?:ago|back|before)\b", re.I)
_FOR = re.compile(r"\bfor (?:about |around |over |almost )?(\d{1,4}|" + "|".join(NUMBERS) + r") (month|year)s?\b", re.I)
_DAY_AND_MONTH = re.compile(
    rf"\b({'|'.join(MONTHS)}) (\d{{1,2}})(?:st|nd|rd|th)?\b"
    rf"|\b(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?({'|'.join(MONTHS)})\b"
)
_MONTH = re.compile(rf"\b(?:in|since|this|next|last|early|late) ({'|'.join(MONTHS)})\b(?:,? (\d{{4}})\b)?")
_YEAR = re.compile(r"\b(?:in|since|back in) ((?:19|20)\d\d)\b")
_WEEKDAY = re.compile(
    rf"\b(last|this|next|on|past) ({'|'.join(WEEKDAYS)}|weekend|week|month|year|summer|night)\b", re.I
)


_LATER_DAYS = 7
"""People tell what they did on a day on that day or soon after."""
_QUESTION_DATE = re.compile(
    rf"(?:\b(?:in|on|during|around) )?\b(?:(\d{{1,2}}) )?({'|'.join(MONTHS)})"
    r"(?: (\d{1,2})(?:st|nd|rd|th)?\b)?,? (\d{4})"
)


_BARE_MONTH = re.compile(rf"\b(?:in|during) ({'|'.join(MONTHS)})\b(?!,? \d)")


@dataclass(frozen=True, slots=True)
class Span:
    """The days on which people spoke of the event that a question dates."""

    first: date
    last: date


def parse_span(question: str) -> Span | None:
    """Return the days on which people spoke of what the question dates by month or by day; None without a date."""
    found = _QUESTION_DATE.search(question)
    if not found:
        return None
    day, month, year = int(found[1] or found[3] or 0), MONTHS.index(found[2]) + 1, int(found[4])
    try:
        first = date(year, month, day or 1)
    except ValueError:
        return None
    return Span(first, first + timedelta(days=_LATER_DAYS if day else 31 + _LATER_DAYS))


def remove_dates(question: str) -> str:
    """Return the question without the date that ``parse_span`` or ``parse_month`` reads."""
    return _BARE_MONTH.sub("", _QUESTION_DATE.sub("", question)).replace(" ?", "?")


def parse_day(text: str) -> date | None:
    """Return the day in a text like ``8 May, 2023``, ``May 8th, 2023`` or ``2023/05/08 (Mon) 10:30``; else None."""
    found = _FULL_DATE.search(text)
    if not found:
        return None
    day, month, year = (found[1] or found[5] or found[9], found[2] or found[4], found[3] or found[6] or found[7])
    try:
        return date(int(year), MONTHS.index(month) + 1 if month else int(found[8]), int(day))
    except ValueError:
        return None


def _format_day(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _format_month(day: date, shift: int) -> str:
    count = day.year * 12 + day.month - 1 + shift
    return f"{MONTHS[count % 12]} {count // 12}"


def _subtract(found: re.Match[str], said_on: date) -> str:
    count = int(found[1]) if found[1].isdigit() else NUMBERS[found[1].lower()]
    unit = found[2].lower()
    if unit == "day":
        return _format_day(said_on - timedelta(days=count))
    if unit == "week":
        return (
            f"{count} weeks before {_format_day(said_on)}" if count > 1 else f"The week before {_format_day(said_on)}"
        )
    return _format_month(said_on, -count) if unit == "month" else str(said_on.year - count)


def _name_period(found: re.Match[str], said_on: date) -> str:
    which, unit = found[1].lower(), found[2]
    shift = {"next": 1, "this": 0}.get(which, -1)
    side = "after" if shift == 1 else "before"
    if unit.lower() == "month":
        return _format_month(said_on, shift)
    if unit.lower() in ("year", "summer"):
        return str(said_on.year + shift) if unit.lower() == "year" else f"summer {said_on.year + shift}"
    if unit.lower() == "night":
        return _format_day(said_on - timedelta(days=1)) if which == "last" else _format_day(said_on)
    if shift == 0 and unit.lower() == "week":
        return f"The week of {_format_day(said_on)}"
    return f"The {unit if unit in WEEKDAYS else unit.lower()} {side} {_format_day(said_on)}"


def _name_day(found: re.Match[str], said_on: date) -> str:
    return f"{found[2] or found[3]} {found[1] or found[4]} {said_on.year}"


_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], str]], ...] = (
    (re.compile(r"\byesterday\b", re.I), lambda _, said_on: _format_day(said_on - timedelta(days=1))),
    (re.compile(r"\btomorrow\b", re.I), lambda _, said_on: _format_day(said_on + timedelta(days=1))),
    (_AGO, _subtract),
    (_DAY_AND_MONTH, _name_day),
    (_WEEKDAY, _name_period),
    (_YEAR, lambda found, _: found[1]),
    (_MONTH, lambda found, said_on: f"{found[1]} {found[2] or said_on.year}"),
    (_FOR, _subtract),
)


def resolve_date(text: str, said_on: date) -> str:
    """Return when the event in ``text`` happened, as a date or a period; else the day on which it was said."""
    if exact := parse_day(text):
        return _format_day(exact)
    for pattern, rule in _RULES:
        if found := pattern.search(text):
            try:
                return rule(found, said_on)
            except OverflowError:  # before the first day of the calendar
                break
    return _format_day(said_on)


def mentions_time(text: str) -> bool:
    """True if a text itself says when something happened."""
    return bool(parse_day(text)) or any(pattern.search(text) for pattern, _ in _RULES)


def parse_month(question: str) -> int:
    """Return the month that a question names without a day or a year, from 1; 0 if it names none."""
    found = _BARE_MONTH.search(question)
    return MONTHS.index(found[1]) + 1 if found else 0


def find_date(text: str, said_on: date | None) -> str:
    """Return when the event in ``text`` happened; empty if neither the text nor ``said_on`` gives a date."""
    if said_on:
        return resolve_date(text, said_on)
    if exact := parse_day(text):
        return _format_day(exact)
    if (month := _MONTH.search(text)) and month[2]:
        return f"{month[1]} {month[2]}"
    year = _YEAR.search(text)
    return year[1] if year else ""
