"""Dates: read in every suite's format, computed from relative phrases, never an error."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.shared.answering.dates import (
    find_date,
    mentions_time,
    parse_day,
    parse_month,
    parse_span,
    remove_dates,
    resolve_date,
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
def test_parse_day_reads_every_format(text: str, day: date | None) -> None:
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
def test_resolve_date_computes_relative_dates(said: str, then: str) -> None:
    assert resolve_date(said, date(2023, 5, 8)) == then
    assert find_date(said, date(2023, 5, 8)) == then


@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("On 7 May 2023, Zoë adopted a hedgehog.", "7 May 2023"),
        ("Zoë adopted a hedgehog in May 2023.", "May 2023"),
        ("Zoë adopted a hedgehog in 2023.", "2023"),
        ("Zoë adopted a hedgehog yesterday.", ""),
    ],
)
def test_find_date_without_day_uses_only_dates_in_the_text(said: str, then: str) -> None:
    assert find_date(said, None) == then


@given(st.text(st.sampled_from("abcdefghi 0123456789"), max_size=60), DAYS.filter(lambda day: day > date(1, 1, 1)))
def test_resolve_date_yesterday_is_the_day_before(text: str, day: date) -> None:
    assert resolve_date(f"{text} yesterday", day) == resolve_date("so it is", day - timedelta(days=1))


@given(st.text(max_size=80), DAYS)
def test_resolve_date_never_fails(text: str, day: date) -> None:
    assert resolve_date(text, day)
    assert resolve_date(f"9999 days ago {text} tomorrow", day)


def test_parse_span_covers_the_days_after_a_date() -> None:
    month, day = parse_span("What did Zoë do in May 2023?"), parse_span("What happened on 8 May, 2023?")
    assert month is not None
    assert day is not None
    assert ((month.last - month.first).days, (day.last - day.first).days) == (38, 7)
    assert parse_span("What did Zoë do in May?") is None
    assert parse_span("on 31 June, 2023") is None
    assert remove_dates("What did Zoë do in May 2023?") == "What did Zoë do?"


def test_parse_month_reads_month_without_year() -> None:
    assert parse_month("When did Zoë go camping in July?") == 7
    assert parse_month("When did Zoë go camping in July 2023?") == 0
    assert parse_month("When did Zoë go camping?") == 0
    assert remove_dates("When did Zoë go camping in July?") == "When did Zoë go camping?"


def test_mentions_time_detects_dates() -> None:
    assert mentions_time("I went yesterday")
    assert mentions_time("on 8 May, 2023")
    assert not mentions_time("I went there")
