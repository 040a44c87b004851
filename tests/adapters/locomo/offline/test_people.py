"""Names in a question when the memory has lines of only one speaker."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.locomo.conversation import FRAME
from adapters.locomo.offline.people import find_unseen_names
from adapters.locomo.offline.rules import RULES
from adapters.shared.answering.memory import read_memory
from bench.agents import compose
from bench.types import Shape, Stimulus

ALONE = "[8 May, 2023] Mira: I finally joined a choir, it lifts me up every week."
ADDRESSED = "[8 May, 2023] Mira: Thanks, Jonas! I finally joined a choir."
OF_A_DOG = "[8 May, 2023] Mira: We walk Biscuit along the canal every morning."
BOTH = f"{ALONE}\n[8 May, 2023] Jonas: I still play chess on Fridays."


def names(question: str, memory: str) -> set[str]:
    return set(find_unseen_names(question, read_memory(memory)))


def answer(memory: str, question: str) -> str:
    messages = compose(FRAME, Stimulus(Shape.CONVERSATION, question, question, 1), memory)
    return RULES[0].reply(messages).removeprefix("Answer: ")


@pytest.mark.parametrize("memory", [ALONE, ADDRESSED])
def test_find_unseen_names_takes_addressed_or_new_name(memory: str) -> None:
    assert names("What did Jonas join?", memory) == {"jonas"}
    assert names("What is Jonas's hobby?", memory) == {"jonas"}
    assert answer(memory, "What did Jonas join?") == "not mentioned"
    assert "choir" in answer(memory, "What did Mira join?")


def test_find_unseen_names_leaves_third_parties_out() -> None:
    assert names("Where does Biscuit walk every morning?", OF_A_DOG) == set()
    assert "canal" in answer(OF_A_DOG, "Where does Biscuit walk every morning?")


def test_find_unseen_names_leaves_speaker_and_months_out() -> None:
    assert names("What did Mira join in May?", ALONE) == set()
    assert names("What has May to do with it?", ALONE) == set()
    assert names("Which choir did she join? What did she sing?", ALONE) == set()


def test_find_unseen_names_with_both_speakers_is_empty() -> None:
    assert names("What did Biscuit join?", BOTH) == set()
    assert names("What did Jonas join?", "") == set()


def test_single_line_needs_a_smaller_share() -> None:
    question = "Which pastime lifts Mira on grey days?"
    filler = "\n".join(f"[9 May, 2023] Mira: I cooked dish number {n} from the old book." for n in range(40))
    assert answer(ALONE, question) != "not mentioned"
    assert answer(f"{ALONE}\n{filler}", question) == "not mentioned"


@given(st.text(max_size=80), st.text(max_size=200))
def test_find_unseen_names_accepts_any_text(question: str, memory: str) -> None:
    assert names(question, memory) == names(question, memory)
