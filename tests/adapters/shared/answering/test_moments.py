"""Days to count with: worked out from how a thing was said, never an error, and never more than a year off."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.shared.answering.moments import Unit, apart, moment, number_of

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
def test_how_it_was_said_gives_the_day(text: str, day: date | None) -> None:
    assert moment(text, SAID) == day


@given(st.text(max_size=60), st.sampled_from(("", "yesterday", "tomorrow", "9999 years ago", "next Monday")), DAYS)
def test_any_text_is_a_day_or_none(text: str, end: str, day: date) -> None:
    found = moment(f"{text} {end}", day)
    assert found is None or isinstance(found, date)


@pytest.mark.parametrize(("unit", "count"), [(Unit.DAY, 31), (Unit.WEEK, 4), (Unit.MONTH, 1), (Unit.YEAR, 0)])
def test_days_are_counted_in_a_unit(unit: Unit, count: int) -> None:
    assert apart(date(2023, 3, 1), date(2023, 4, 1), unit) == count


@given(DAYS, DAYS, st.sampled_from(Unit))
def test_two_days_are_as_far_apart_either_way(one: date, other: date, unit: Unit) -> None:
    assert apart(one, other, unit) == apart(other, one, unit) >= 0


def test_numbers_are_words_or_figures() -> None:
    assert [number_of(word) for word in ("12", "Three", "couple", "many")] == [12, 3, 2, 1]
