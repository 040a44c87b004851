"""The rule that answers from the prompt: dates that are worked out, spans that are cut, and refusals."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.answering.dates import parse_day, parse_span, resolve, without_dates
from adapters.locomo.data import read_file
from adapters.locomo.loading import load
from adapters.locomo.offline import RULES
from adapters.locomo.suite import FRAME
from bench.agents import compose
from bench.types import Message, Shape, Stimulus

MEMORY = """[8 May, 2023] Zoë: Hi Łukasz! I adopted a hedgehog yesterday.
[8 May, 2023] Łukasz: Lovely! I bought a cello last week.
[1 June, 2023] Zoë: The hedgehog is called Truffle.
[1 June, 2023] Łukasz: We started surfing five years ago near Gdańsk."""


def answer(memory: str, question: str) -> str:
    asked = compose(FRAME, Stimulus(Shape.CONVERSATION, question, question, 1), memory)
    assert RULES[0].matches(asked, "answer")
    assert not RULES[0].matches(asked, "act")
    return RULES[0].reply(asked, "answer").removeprefix("Answer: ")


@pytest.mark.parametrize(
    ("question", "want"),
    [
        ("When did Zoë adopt a hedgehog?", "7 May 2023"),
        ("When did Łukasz buy a cello?", "The week before 8 May 2023"),
        ("Which year did Łukasz start surfing?", "2018"),
        ("What is Zoë's hedgehog called?", "Truffle"),
        ("Did Łukasz start surfing?", "yes"),
        ("When did Zoë buy a cello?", "not mentioned"),
        ("What did Zoë's grandmother cook on Sunday?", "not mentioned"),
    ],
)
def test_an_answer_comes_from_the_line_that_supports_it(question: str, want: str) -> None:
    assert answer(MEMORY, question) == want
    assert answer("", question) == "not mentioned"


def test_other_frames_are_not_understood() -> None:
    assert not RULES[0].matches((Message("system", "You are in a house."),), "answer")
    assert not RULES[0].matches((), "answer")


@given(st.text(max_size=200), st.text(max_size=60))
def test_any_memory_and_question_get_one_line(memory: str, question: str) -> None:
    first = answer(memory, question)
    assert first
    assert "\n" not in first
    assert answer(memory, question) == first


@pytest.mark.parametrize(
    ("said", "when"),
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
        ("in June", "June 2023"),
        ("back in 2016", "2016"),
        ("for 4 years", "2019"),
        ("what a day", "8 May 2023"),
    ],
)
def test_how_it_was_said_gives_when_it_was(said: str, when: str) -> None:
    day = parse_day("8 May, 2023")
    assert day is not None
    assert resolve(said, day) == when


@given(st.text(st.sampled_from("abcdefghi 0123456789"), max_size=60), st.dates(date(1900, 1, 1), date(2100, 1, 1)))
def test_what_is_said_without_a_time_was_that_day(text: str, day: date) -> None:
    assert resolve(f"{text}yesterday" if text.endswith(" ") else "yesterday", day) == resolve(
        "so it is", day - timedelta(days=1)
    )


def test_a_date_in_a_question_means_the_days_after_it() -> None:
    month, day = parse_span("What did Zoë do in May 2023?"), parse_span("What happened on 8 May, 2023?")
    assert month is not None
    assert day is not None
    assert ((month.last - month.first).days, (day.last - day.first).days) == (38, 7)
    assert parse_span("What did Zoë do in May?") is None
    assert parse_span("on 31 June, 2023") is None
    assert parse_day("31 June, 2023") is None
    assert without_dates("What did Zoë do in May 2023?") == "What did Zoë do?"


@pytest.mark.data
def test_the_reader_of_a_whole_conversation_beats_refusing(data_root: Path) -> None:
    talk = load(read_file(data_root)[0])
    memory = "\n".join(f"[{turn.day}] {turn.speaker}: {turn.text}" for turn in talk.turns)
    dated = [one for one in talk.questions if one.category == 2]
    right = sum(answer(memory, one.text) == one.gold for one in dated)
    assert right >= len(dated) // 5
