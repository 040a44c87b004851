"""Days computed from relative phrases, and the time between two days."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.shared.answering.moments import Unit, count_units, find_day, parse_number

SAID = date(2023, 5, 10)  # a Wednesday
DAYS = st.dates(date(1, 1, 1), date(9999, 12, 31))


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("I did it today", SAID),
        ("yesterday", date(2023, 5, 9)),
        ("the day before yesterday", date(2023, 5, 8)),
        ("tomorrow", date(2023, 5, 11)),
        ("three days ago", date(2023, 5, 7)),
        ("a couple of weeks ago", date(2023, 4, 26)),
        ("2 months ago", date(2023, 3, 10)),
        ("a year ago", date(2022, 5, 10)),
        ("last Saturday", date(2023, 5, 6)),
        ("on Wednesday", SAID),
        ("last Wednesday", date(2023, 5, 3)),
        ("next Friday", date(2023, 5, 12)),
        ("last weekend", date(2023, 5, 6)),
        ("last week", date(2023, 5, 3)),
        ("on March 15th", date(2023, 3, 15)),
        ("the 15th of March", date(2023, 3, 15)),
        ("on Mar. 15", date(2023, 3, 15)),
        ("on December 20th", date(2022, 12, 20)),
        ("on 3/22", date(2023, 3, 22)),
        ("on Valentine's day", date(2023, 2, 14)),
        ("on February 30", SAID),
        ("on 8 May, 2019", date(2019, 5, 8)),
        ("some day", None),
        ("on 45/67", SAID),
    ],
)
def test_find_day_computes_relative_dates(text: str, day: date | None) -> None:
    assert find_day(text, SAID) == day


@given(st.text(max_size=60), st.sampled_from(("", "yesterday", "tomorrow", "9999 years ago", "next Monday")), DAYS)
def test_find_day_accepts_any_text(text: str, end: str, day: date) -> None:
    found = find_day(f"{text} {end}", day)
    assert found is None or isinstance(found, date)


@pytest.mark.parametrize(("unit", "count"), [(Unit.DAY, 31), (Unit.WEEK, 4), (Unit.MONTH, 1), (Unit.YEAR, 0)])
def test_count_units_rounds_to_the_unit(unit: Unit, count: int) -> None:
    assert count_units(date(2023, 3, 1), date(2023, 4, 1), unit) == count


@given(DAYS, DAYS, st.sampled_from(Unit))
def test_count_units_is_symmetric(one: date, other: date, unit: Unit) -> None:
    assert count_units(one, other, unit) == count_units(other, one, unit) >= 0


def test_parse_number_reads_words_and_figures() -> None:
    assert [parse_number(word) for word in ("12", "Three", "couple", "many")] == [12, 3, 2, 1]
