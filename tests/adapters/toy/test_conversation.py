"""The toy talks: facts that change, questions that nobody answered, and a model that reads what it is shown."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.toy.conversation import FRAME, ToyConversation
from adapters.toy.offline.rules import RULES
from bench.models.offline.rule_table import RuleTable
from bench.types import EventKind, Message

SEEDS = st.integers(0, 10**6)


def said(conversation: ToyConversation) -> list[str]:
    return [f"[{e.time}] {e.speaker}: {e.text}" for e in conversation.events() if e.kind is EventKind.TURN]


def answer(memory: str, question: str) -> str:
    asked = (Message("system", FRAME.instructions), Message("user", f"{memory}\n\n# Question\n{question}\n\nAnswer:"))
    assert RuleTable(RULES).find(asked, "answer") is RULES[1]
    return RULES[1].reply(asked).removeprefix("Answer: ")


@given(SEEDS)
def test_a_talk_is_what_its_seed_says(seed: int) -> None:
    conversation = ToyConversation(seed)
    assert conversation.events() == ToyConversation(seed).events()
    assert Counter(event.kind for event in conversation.events()) == {EventKind.TURN: 24, EventKind.SESSION_END: 4}
    assert len(conversation.questions()) == 6
    assert len({event.speaker for event in conversation.events() if event.speaker}) == 2


@given(SEEDS)
def test_the_latest_word_counts_and_a_model_that_saw_everything_has_it(seed: int) -> None:
    conversation = ToyConversation(seed)
    memory = "\n".join(said(conversation))
    for question in conversation.questions():
        got = answer(memory, question.text)
        assert conversation.score(question, got)[0].value == 1.0
        assert (got == "unknown") == (question.group == "unanswerable")
        assert answer("", question.text) == "unknown"


@given(SEEDS)
def test_a_model_that_saw_the_first_half_only_has_what_was_said_there(seed: int) -> None:
    conversation = ToyConversation(seed)
    half = said(conversation)[:12]
    for question in conversation.questions():
        assert answer("\n".join(half), question.text) in "unknown " + " ".join(half)


@pytest.mark.parametrize(("text", "right"), [("oslo", 1.0), (" Oslo. ", 1.0), ("Oslo, I think", 0.0), ("", 0.0)])
def test_an_answer_is_right_whatever_its_case_and_points(text: str, right: float) -> None:
    for seed in range(200):
        conversation = ToyConversation(seed)
        for question in conversation.questions():
            if conversation.score(question, "Oslo")[0].value == 1.0:
                assert conversation.score(question, text)[0].value == right
                return
    pytest.fail("no talk has Oslo in it")
