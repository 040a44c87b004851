"""Facts of a text: one form for dates, numbers and words, whatever they are written like."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.scoring.stated import Date, Stated, read_stated

DAY = Date(2023, 5, 3)
SHAPES = (
    "{d} {month} {y}",
    "{d}th of {month}, {y}",
    "{month} {d}, {y}",
    "{y}-{m:02}-{d:02}",
    "{y}/{m:02}/{d:02} (Wed)",
)
MONTHS = ("January", "feb", "March", "Apr.", "May", "june", "Jul", "August", "Sept", "October", "nov.", "December")


@pytest.mark.parametrize(
    "text",
    [
        "3rd of May, 2023",
        "May 3 2023",
        "may 3rd, 2023",
        "2023/05/03 (Wed)",
        "2023-5-3",
        "On 3 May, 2023.",
        "3May, 2023",
    ],
)
def test_read_stated_gives_one_date_for_every_way_to_write_it(text: str) -> None:
    assert read_stated(text).dates == {DAY}
    assert read_stated(text).numbers == set()


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)), st.sampled_from(SHAPES))
def test_read_stated_finds_any_day(day: date, shape: str) -> None:
    text = shape.format(d=day.day, m=day.month, y=day.year, month=MONTHS[day.month - 1])
    assert read_stated(f"It was on {text}, he said.").dates == {Date(day.year, day.month, day.day)}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("June 2023", {Date(2023, 6)}),
        ("December, 2019", {Date(2019, 12)}),
        ("in 2022 she", {Date(2022)}),
        ("7 May", {Date(0, 5, 7)}),
        ("Sept. 5", {Date(0, 9, 5)}),
        ("45 May 2023", {Date(2023, 5)}),
        ("2023/13/40", set()),
        ("2023-00-15", set()),
        ("2023-05-00", set()),
        ("2023-0-1", set()),
        ("00 May", set()),
        ("May 0", set()),
        ("0 May 2023", {Date(2023, 5)}),
        ("May 00, 2023", {Date(2023)}),
        ("30 February 2023", {Date(2023, 2)}),
        ("29 February", {Date(0, 2, 29)}),
        ("31 April", set()),
        ("It may be", set()),
        ("march on", set()),
        ("events/2023-05-03_party.md", {DAY}),
        ("2023-05-03: party", {DAY}),
        ("at 2023:45 or 1.2023", set()),
        ("room 2022b, 12022", set()),
    ],
)
def test_read_stated_takes_parts_of_dates_and_leaves_what_is_none(text: str, found: set[Date]) -> None:
    assert read_stated(text).dates == found


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("two cats", {"2"}),
        ("twenty", {"20"}),
        ("$4,250 and 07 of 2.50", {"4250", "7", "2.5"}),
        ("7:30 am, 5:00 pm, 05:45", {"7:30", "5", "5:45"}),
        ("twice, then a third time", {"2", "3"}),
        ("0 of 00.0", {"0"}),
    ],
)
def test_read_stated_gives_one_form_for_a_number(text: str, numbers: set[str]) -> None:
    assert read_stated(text).numbers == numbers


@pytest.mark.parametrize(
    "words",
    [
        ("moved", "moving", "moves", "move"),
        ("cities", "city"),
        ("classes", "class"),
        ("planned", "planning", "plan"),
        ("Beckett's", "Beckett"),
        ("hiked", "hike", "HIKING"),
        ("Töpfe", "töpfe"),
    ],
)
def test_read_stated_gives_one_stem_for_the_forms_of_a_word(words: tuple[str, ...]) -> None:
    assert len({read_stated(word).words for word in words}) == 1
    assert read_stated(words[0]).words


@pytest.mark.parametrize("text", ["", "Yes.", "No, not likely", "she was with him, wasn't she", "…!"])
def test_text_without_content_states_nothing(text: str) -> None:
    assert len(read_stated(text)) == 0


def test_date_says_what_it_holds_and_no_more() -> None:
    assert DAY.says(Date(2023, 5))
    assert DAY.says(Date(2023))
    assert DAY.says(Date(0, 5, 3))
    assert not Date(2023, 5).says(DAY)
    assert not DAY.says(Date(2023, 6))


def test_stated_is_compared_date_by_date_and_word_by_word() -> None:
    answer, text = read_stated("3 dogs in May 2023 and Oslo"), read_stated("On 3 May 2023 two dogs")
    assert answer & text == Stated(frozenset({Date(2023, 5)}), frozenset(), frozenset({"dog"}))
    assert answer - text == Stated(frozenset(), frozenset({"3"}), frozenset({"oslo"}))
    assert len(answer | text) == 6
    assert len(answer) == 4


@given(st.text(max_size=40), st.text(max_size=40))
def test_what_two_texts_share_and_what_they_do_not_is_all_of_it(one: str, other: str) -> None:
    first, second = read_stated(one), read_stated(other)
    assert (first & second) | (first - second) == first
    assert not len((first - second) & second)
