"""Parsing questions: kind of answer, keywords without names and dates, and the parts of a prompt."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.shared.answering.question import Kind, parse_question, read_prompt
from bench.agents import compose
from bench.types import Frame, Message, Shape, Stimulus

PEOPLE = frozenset(("zoë", "łukasz"))


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When did Zoë move?", Kind.WHEN),
        ("Which month did Zoë move in?", Kind.WHEN),
        ("What day of the week is the class?", Kind.WEEKDAY),
        ("In which year did Zoë move?", Kind.YEAR),
        ("What time do I wake up?", Kind.CLOCK),
        ("How long has Zoë played?", Kind.LENGTH),
        ("How much screen time do I have?", Kind.LENGTH),
        ("How many weeks did it take?", Kind.LENGTH),
        ("How often does Zoë swim?", Kind.OFTEN),
        ("As of May, how many dogs has she?", Kind.COUNT),
        ("Who sang?", Kind.WHO),
        ("Where does Zoë live?", Kind.WHERE),
        ("What city does Zoë live in?", Kind.WHERE),
        ("Why did Zoë move?", Kind.WHY),
        ("What is the name of the dog?", Kind.NAME),
        ("Which book did Zoë read?", Kind.NAME),
        ("Did Zoë move?", Kind.POLAR),
        ("Did Zoë move to Oslo or to Rome?", Kind.THING),
        ("We spoke of trips. Can you remind me how many stops there were?", Kind.COUNT),
        ("What does Zoë play?", Kind.THING),
    ],
)
def test_parse_question_finds_kind_of_answer(question: str, kind: Kind) -> None:
    assert parse_question(question, PEOPLE).kind is kind


def test_parse_question_leaves_names_and_dates_out_of_keywords() -> None:
    parsed = parse_question("What did Zoë's friend buy in May 2023?", PEOPLE)
    assert parsed.names == {"zoë"}
    assert parsed.keywords == {"friend", "buy"}
    assert parsed.span is not None
    assert parse_question("When did Zoë buy it, in May 2023?", PEOPLE).span is None


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("What instruments does Zoë play?", True),
        ("Which kinds of books has Zoë read?", True),
        ("What does Zoë play?", False),
        ("What news has Zoë?", False),
        ("Who has seen the films?", False),
    ],
)
def test_parse_question_marks_plural_as_several(question: str, several: bool) -> None:
    assert parse_question(question, PEOPLE).several is several


def test_read_prompt_splits_question_memory_and_day() -> None:
    goal = "What did I buy? (asked on 2023/06/01 (Thu) 10:00)"
    messages = compose(Frame("x", "Do."), Stimulus(Shape.CONVERSATION, "What did I buy?", goal, 1), "User: a cello.")
    prompt = read_prompt(messages)
    assert (prompt.question, prompt.memory, prompt.asked_on) == ("What did I buy?", "User: a cello.", date(2023, 6, 1))
    bare = read_prompt((Message("user", "# Question\nWhat (asked on the way)?\n\nAnswer:"),))
    assert (bare.question, bare.memory, bare.asked_on) == ("What (asked on the way)?", "", None)


@given(st.text(max_size=80))
def test_parse_question_accepts_any_text(question: str) -> None:
    parsed = parse_question(question, PEOPLE)
    assert parsed == parse_question(question, PEOPLE)
    assert parsed.names <= PEOPLE
    assert read_prompt((Message("user", question),)).memory == ""
