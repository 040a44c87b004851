"""The toy conversations: facts that change, unanswerable questions, and the offline model."""

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


def render_turns(conversation: ToyConversation) -> list[str]:
    return [f"[{e.time}] {e.speaker}: {e.text}" for e in conversation.events() if e.kind is EventKind.TURN]


def answer(memory: str, question: str) -> str:
    asked = (Message("system", FRAME.instructions), Message("user", f"{memory}\n\n# Question\n{question}\n\nAnswer:"))
    assert RuleTable(RULES).find(asked, "answer") is RULES[1]
    return RULES[1].reply(asked).removeprefix("Answer: ")


@given(SEEDS)
def test_conversation_depends_on_its_seed_alone(seed: int) -> None:
    conversation = ToyConversation(seed)
    assert conversation.events() == ToyConversation(seed).events()
    assert Counter(event.kind for event in conversation.events()) == {EventKind.TURN: 24, EventKind.SESSION_END: 4}
    assert len(conversation.questions()) == 6
    assert len({event.speaker for event in conversation.events() if event.speaker}) == 2


@given(SEEDS)
def test_offline_model_with_all_turns_answers_every_question(seed: int) -> None:
    conversation = ToyConversation(seed)
    memory = "\n".join(render_turns(conversation))
    for question in conversation.questions():
        got = answer(memory, question.text)
        assert conversation.score(question, got)[0].value == 1.0
        assert (got == "unknown") == (question.group == "unanswerable")
        assert answer("", question.text) == "unknown"


@given(SEEDS)
def test_offline_model_with_half_the_turns_answers_from_that_half(seed: int) -> None:
    conversation = ToyConversation(seed)
    half = render_turns(conversation)[:12]
    for question in conversation.questions():
        assert answer("\n".join(half), question.text) in "unknown " + " ".join(half)


@pytest.mark.parametrize(
    ("reference", "text", "right"),
    [
        ("Oslo", "oslo", 1.0), ("Oslo", " Oslo. ", 1.0), ("Oslo", "Oslo, I think", 0.0), ("Oslo", "", 0.0),
        ("cat", "a cat", 1.0), ("cat", "The cat.", 1.0), ("cat", "cat a", 0.0), ("cat", "a", 0.0),
        ("cat", "a black cat", 0.0), ("unknown", "a unknown", 1.0),
    ],
)  # fmt: skip
def test_score_ignores_case_punctuation_and_an_article_in_front(reference: str, text: str, right: float) -> None:
    for seed in range(200):
        conversation = ToyConversation(seed)
        for question in conversation.questions():
            if conversation.score(question, reference)[0].value == 1.0:
                assert conversation.score(question, text)[0].value == right
                return
    pytest.fail(f"no conversation has {reference} in it")
