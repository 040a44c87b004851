"""Questions: the kind of thing they want, their words without names and dates, and the parts of a prompt."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.shared.answering.asking import Kind, ask, read_prompt
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
def test_a_question_wants_a_kind_of_thing(question: str, kind: Kind) -> None:
    assert ask(question, PEOPLE).kind is kind


def test_names_and_dates_are_no_words_to_look_for() -> None:
    asked = ask("What did Zoë's friend buy in May 2023?", PEOPLE)
    assert asked.names == {"zoë"}
    assert asked.wanted == {"friend", "buy"}
    assert asked.span is not None
    assert ask("When did Zoë buy it, in May 2023?", PEOPLE).span is None


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
def test_a_plural_asks_for_several_things(question: str, several: bool) -> None:
    assert ask(question, PEOPLE).several is several


def test_a_prompt_is_taken_apart() -> None:
    goal = "What did I buy? (asked on 2023/06/01 (Thu) 10:00)"
    messages = compose(Frame("x", "Do."), Stimulus(Shape.CONVERSATION, "What did I buy?", goal, 1), "User: a cello.")
    prompt = read_prompt(messages)
    assert (prompt.question, prompt.memory, prompt.asked_on) == ("What did I buy?", "User: a cello.", date(2023, 6, 1))
    bare = read_prompt((Message("user", "# Question\nWhat (asked on the way)?\n\nAnswer:"),))
    assert (bare.question, bare.memory, bare.asked_on) == ("What (asked on the way)?", "", None)


@given(st.text(max_size=80))
def test_any_question_can_be_asked(question: str) -> None:
    asked = ask(question, PEOPLE)
    assert asked == ask(question, PEOPLE)
    assert asked.names <= PEOPLE
    assert read_prompt((Message("user", question),)).memory == ""
