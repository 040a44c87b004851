"""Dates as suites write them, made sortable: ``1:56 pm on 8 May, 2023`` is ``2023-05-08``."""

from __future__ import annotations

import re
from datetime import date

__all__ = ["find_date"]

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]{{0,6}}\.?"
_FORMS = (
    re.compile(r"\b(?P<year>\d{4})[-/.](?P<number>\d{1,2})[-/.](?P<day>\d{1,2})\b"),
    re.compile(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH},? (?P<year>\d{{4}})\b", re.IGNORECASE),
    re.compile(rf"\b{_MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}})\b", re.IGNORECASE),
)


def find_date(text: str) -> date | None:
    """Return the first date of the first form that the text has, None if it has none or one that does not exist."""
    for form in _FORMS:
        if found := form.search(text):
            parts = found.groupdict()
            month = int(parts["number"]) if parts.get("number") else _MONTHS.index(parts["month"].lower()[:3]) + 1
            try:
                return date(int(parts["year"]), month, int(parts["day"]))
            except ValueError:
                return None
    return None
