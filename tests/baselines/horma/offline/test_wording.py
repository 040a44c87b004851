"""English as the offline manager knows it."""

from __future__ import annotations

import pytest

from baselines.horma.dates import find_date
from baselines.horma.offline.wording import anchor_dates, find_names, find_things, shorten, split_statements

SAID_ON = "1:56 pm on 8 May, 2023"  # a Monday


@pytest.mark.parametrize(
    ("text", "day"),
    [
        (SAID_ON, "2023-05-08"),
        ("2023/05/20 (Sat) 02:21", "2023-05-20"),
        ("May 8th, 2023", "2023-05-08"),
        ("8th of Sept. 2022", "2022-09-08"),
        ("2023-02-31", ""),
        ("step 3", ""),
        ("", ""),
    ],
)
def test_find_date_reads_the_dates_of_suites(text: str, day: str) -> None:
    found = find_date(text)
    assert (found.isoformat() if found else "") == day


@pytest.mark.parametrize(
    ("text", "anchored"),
    [
        ("I sang yesterday.", "I sang yesterday (7 May 2023)."),
        ("We meet tomorrow", "We meet tomorrow (9 May 2023)"),
        ("two days ago it rained", "two days ago (6 May 2023) it rained"),
        ("a week ago", "a week ago (1 May 2023)"),
        ("last Friday", "last Friday (5 May 2023)"),
        ("last Monday", "last Monday (1 May 2023)"),
        ("next Monday", "next Monday (15 May 2023)"),
        ("last week", "last week (the week before 8 May 2023)"),
        ("next month", "next month (June 2023)"),
        ("five months ago", "five months ago (December 2022)"),
        ("last year", "last year (2022)"),
        ("3 years ago", "3 years ago (2020)"),
        ("at last I went", "at last I went"),
    ],
)
def test_anchor_dates_puts_the_date_behind_a_relative_one(text: str, anchored: str) -> None:
    assert anchor_dates(text, SAID_ON) == anchored


def test_anchor_dates_leaves_a_text_without_a_date_alone() -> None:
    assert anchor_dates("I sang yesterday.", "step 3") == "I sang yesterday."


def test_split_statements_leaves_out_questions_small_talk_and_what_is_not_wanted() -> None:
    text = "Hey Mel! How are you? I painted a lake last week. I don't eat fish any more. [shares a photo of a lake]"
    assert split_statements(text, denials=False, pictures=False) == ["I painted a lake last week."]
    assert split_statements(text, denials=True, pictures=True) == [
        "I painted a lake last week.",
        "I don't eat fish any more.",
        "shares a photo of a lake",
    ]


def test_shorten_keeps_times_and_details_if_it_is_told_to() -> None:
    sentence = "I really went to a very large and loud concert there in Oslo with 3 friends last Friday evening."
    assert shorten(sentence) == "I really went to a very large and loud concert"
    assert shorten(sentence, details=True).endswith("in Oslo with 3 friends last Friday")
    assert shorten(sentence, times=True).endswith("with 3 friends last Friday")
    assert shorten("Short one.") == "Short one."


def test_find_names_leaves_out_speaker_days_and_first_words() -> None:
    assert find_names("Yesterday Ann met Bob Lee in Oslo on Friday in May.", "Ann") == ["Bob Lee", "Oslo"]


def test_find_things_reads_numbered_things() -> None:
    assert find_things("On the desk 1, you see a mug 2, and a mug 2 and ball12.") == ["desk 1", "mug 2", "ball12"]
