"""Amounts in a text: plain numbers with the unit of time that follows them, comparable across units.

A week is seven days, a year twelve months and an hour sixty minutes; days and months are not converted into each other.
Knows no question type and no score.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from adapters.longmemeval.words import parse_amount, stem, words

__all__ = ["UNITS", "Amount", "find_amounts", "find_unit"]

_TIMES = {
    "second": ("second", 1),
    "minut": ("minute", 1),
    "hour": ("minute", 60),
    "day": ("day", 1),
    "week": ("day", 7),
    "month": ("month", 1),
    "year": ("month", 12),
}
_NEAR = frozenset(("day", "week", "month"))
UNITS = frozenset(
    (*_TIMES, *map(stem, ("percent", "dollars", "miles", "pounds", "times", "points", "pages", "people", "ago", "old")))
)
"""Stems of words that may follow a number without adding meaning."""
_REACH = 2
_ASKED = re.compile(r"\bhow many (?:more )?(\w+)|\b(?:number|total) of (\w+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number and the stem of its unit of time; the unit is empty if it counts something else."""

    value: float
    unit: str = ""

    def equals(self, other: Amount) -> bool:
        """True if both amounts are equal after conversion of units."""
        mine, its = _TIMES.get(self.unit, ("", 1)), _TIMES.get(other.unit, ("", 1))
        return mine[0] == its[0] and math.isclose(self.value * mine[1], other.value * its[1], abs_tol=1e-9)

    def close_to(self, other: Amount) -> bool:
        """True if both count days, weeks or months (the same unit) and differ by at most one."""
        return self.unit == other.unit and self.unit in _NEAR and abs(self.value - other.value) <= 1


def find_amounts(text: str, unit: str) -> list[Amount]:
    """Return the plain numbers of a text in order; one without a unit of its own counts in ``unit``."""
    found = words(text)
    result = []
    for at, word in enumerate(found):
        if (value := parse_amount(word)) is not None:
            near = map(stem, found[at + 1 : at + 1 + _REACH])
            result.append(Amount(value, next((one for one in near if one in _TIMES), unit)))
    return result


def find_unit(question: str) -> str:
    """Return the stem of the unit of time that a question counts in; empty if it counts something else."""
    return next(
        (unit for pair in _ASKED.findall(question) for one in pair if (unit := stem(one.lower())) in _TIMES), ""
    )
