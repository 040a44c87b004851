"""Words and amounts: what is equal in two short answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.longmemeval.spans import Amount, find_amounts, find_unit
from adapters.longmemeval.words import content_stems, normalise, parse_amount, stem, words

ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("twenty-five", "25"),
        ("twenty five", "25.0"),
        ("two hundred", "200"),
        ("three thousand", "3,000"),
        ("a hundred", "100"),
        ("2 million", "2000000"),
        ("three and a half weeks", "3.5 weeks"),
        ("an hour and a half", "1.5 hour"),
        ("half an hour", "30 minutes"),
        ("$5,850", "5850"),
        ("10%", "ten percent"),
        ("16GB", "16 GB"),
        ("June 3rd", "Jun. 3"),
        ("2023/06/03", "June 3, 2023"),
        ("2023-06-03", "june 03 2023"),
        ("7:00 p.m.", "7 pm"),
        ("Sept 1st", "september 1"),
        ("García’s", "garcia"),
        ("I didn't", "i did not"),
        ("twice", "2"),
    ],
)
def test_words_normalise_equal_forms(one: str, other: str) -> None:
    assert words(one) == words(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("7:30", "7:45"), ("1:10", "10"), ("2023/13/03", "march 3"), ("fifteen", "fifty"), ("5-2", "5"), ("16", "1.6")],
)
def test_words_keep_different_things_different(one: str, other: str) -> None:
    assert words(one) != words(other)


@pytest.mark.parametrize(
    "forms",
    [
        "fix fixed fixes fixing",
        "trim trimmed trims trimming",
        "purchase purchased purchases purchasing",
        "city cities",
        "try tried tries",
        "movie movies",
        "class classes",
        "bus buses",
        "house houses",
        "shoe shoes",
        "pass passed passing",
        "sell selling",
    ],
)
def test_stem_joins_plurals_and_regular_verbs(forms: str) -> None:
    assert len({stem(word) for word in forms.split()}) == 1, [stem(word) for word in forms.split()]


def test_content_stems_drop_stop_words_and_keep_may() -> None:
    assert content_stems("It was the red one, and I saw it in May at 7 am.") == ("red", "1", "saw", "may", "7", "am")
    assert content_stems("I am, I'm") == ()
    assert content_stems("") == ()


@given(st.text(st.characters(codec="utf-8"), max_size=40))
def test_words_accept_any_text(text: str) -> None:
    found = words(text)
    assert all(word and not word.isspace() for word in found)
    assert len(content_stems(text)) <= len(found)
    assert normalise(text) == normalise(text.upper()) or not text.isascii()


@given(st.integers(0, 99))
def test_words_read_every_number_below_100(number: int) -> None:
    spelt = ONES[number] if number < 20 else TENS[number // 10 - 2] + (f"-{ONES[number % 10]}" if number % 10 else "")
    assert words(spelt) == (str(number),)
    assert parse_amount(words(spelt)[0]) == number


def test_find_amounts_uses_following_or_given_unit() -> None:
    assert find_amounts("3 full weeks and 2 cats", "day") == [Amount(3, "week"), Amount(2, "day")]
    assert find_amounts("at 7:30, 1/48 scale", "") == []
    assert find_unit("How many more days did it take?") == "day"
    assert find_unit("What is the total number of weeks?") == "week"
    assert find_unit("How many cats do I have?") == ""


def test_amount_equals_converts_units() -> None:
    assert Amount(1, "week").equals(Amount(7, "day"))
    assert Amount(1.5, "hour").equals(Amount(90, "minut"))
    assert Amount(2, "year").equals(Amount(24, "month"))
    assert not Amount(1, "month").equals(Amount(30, "day"))
    assert not Amount(3, "week").equals(Amount(3, "day"))
    assert not Amount(3, "week").equals(Amount(3, ""))
    assert Amount(3, "week").close_to(Amount(4, "week"))
    assert not Amount(3, "week").close_to(Amount(5, "week"))
    assert not Amount(3, "hour").close_to(Amount(4, "hour"))
    assert not Amount(3, "").close_to(Amount(4, ""))
