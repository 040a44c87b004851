"""Dates: read in every suite's form, worked out from how a thing was said, and never an error."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.shared.answering.dates import (
    parse_day,
    parse_month,
    parse_span,
    resolve,
    tells_when,
    when,
    without_dates,
)

DAYS = st.dates(date(1, 1, 1), date(9999, 12, 31))


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("8 May, 2023", date(2023, 5, 8)),
        ("8th of May 2023", date(2023, 5, 8)),
        ("1:56 pm on 8 May, 2023", date(2023, 5, 8)),
        ("May 8th, 2023", date(2023, 5, 8)),
        ("2023/05/08 (Mon) 10:30", date(2023, 5, 8)),
        ("2023-5-8", date(2023, 5, 8)),
        ("31 June, 2023", None),
        ("2023/13/01", None),
        ("0 May 2023", None),
        ("May 2023", None),
        ("", None),
    ],
)
def test_a_day_is_read_in_every_form(text: str, day: date | None) -> None:
    assert parse_day(text) == day


@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("I went yesterday", "7 May 2023"),
        ("see you tomorrow", "9 May 2023"),
        ("two weeks ago", "2 weeks before 8 May 2023"),
        ("a week ago", "The week before 8 May 2023"),
        ("three days ago", "5 May 2023"),
        ("five months ago", "December 2022"),
        ("a few years ago", "2020"),
        ("last Friday", "The Friday before 8 May 2023"),
        ("last weekend", "The weekend before 8 May 2023"),
        ("next month", "June 2023"),
        ("last year", "2022"),
        ("last summer", "summer 2022"),
        ("this week", "The week of 8 May 2023"),
        ("last night", "7 May 2023"),
        ("on April 3rd", "3 April 2023"),
        ("on April 3rd, 2021 and yesterday", "3 April 2021"),
        ("in June", "June 2023"),
        ("in June 2020", "June 2020"),
        ("back in 2016", "2016"),
        ("for 4 years", "2019"),
        ("for about a month now", "April 2023"),
        ("what a day", "8 May 2023"),
        ("9999 days ago", "22 December 1995"),
    ],
)
def test_how_it_was_said_gives_when_it_was(said: str, then: str) -> None:
    assert resolve(said, date(2023, 5, 8)) == then
    assert when(said, date(2023, 5, 8)) == then


@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("On 7 May 2023, Zoë adopted a hedgehog.", "7 May 2023"),
        ("Zoë adopted a hedgehog in May 2023.", "May 2023"),
        ("Zoë adopted a hedgehog in 2023.", "2023"),
        ("Zoë adopted a hedgehog yesterday.", ""),
    ],
)
def test_without_a_day_of_speaking_only_what_stands_there_counts(said: str, then: str) -> None:
    assert when(said, None) == then


@given(st.text(st.sampled_from("abcdefghi 0123456789"), max_size=60), DAYS.filter(lambda day: day > date(1, 1, 1)))
def test_yesterday_is_the_day_before(text: str, day: date) -> None:
    assert resolve(f"{text} yesterday", day) == resolve("so it is", day - timedelta(days=1))


@given(st.text(max_size=80), DAYS)
def test_any_text_said_on_any_day_has_a_date(text: str, day: date) -> None:
    assert resolve(text, day)
    assert resolve(f"9999 days ago {text} tomorrow", day)


def test_a_date_in_a_question_means_the_days_after_it() -> None:
    month, day = parse_span("What did Zoë do in May 2023?"), parse_span("What happened on 8 May, 2023?")
    assert month is not None
    assert day is not None
    assert ((month.last - month.first).days, (day.last - day.first).days) == (38, 7)
    assert parse_span("What did Zoë do in May?") is None
    assert parse_span("on 31 June, 2023") is None
    assert without_dates("What did Zoë do in May 2023?") == "What did Zoë do?"


def test_a_month_may_be_named_without_a_year() -> None:
    assert parse_month("When did Zoë go camping in July?") == 7
    assert parse_month("When did Zoë go camping in July 2023?") == 0
    assert parse_month("When did Zoë go camping?") == 0
    assert without_dates("When did Zoë go camping in July?") == "When did Zoë go camping?"


def test_a_text_tells_when_or_does_not() -> None:
    assert tells_when("I went yesterday")
    assert tells_when("on 8 May, 2023")
    assert not tells_when("I went there")
