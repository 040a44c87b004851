"""The answering rule: supporting lines, lists, refusals, any form of memory."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.locomo.data import read_file
from adapters.locomo.loading import load
from adapters.locomo.offline import rules as offline
from adapters.locomo.offline.rules import RULES
from adapters.locomo.scoring import compute_official_f1
from adapters.locomo.suite import FRAME
from bench.agents import compose
from bench.models.offline.rule_table import RuleTable
from bench.types import Message, Shape, Stimulus

MEMORY = """[8 May, 2023] Zoë: Hi Łukasz! I adopted a hedgehog yesterday.
[8 May, 2023] Łukasz: Lovely! I bought a cello last week.
[1 June, 2023] Zoë: The hedgehog is called Truffle.
[1 June, 2023] Łukasz: We started surfing five years ago near Gdańsk."""
FACTS = """## 8 May, 2023
- Zoë adopted a hedgehog yesterday. (D1:1)
- Łukasz bought a cello last week. (D1:2)
## 1 June, 2023
- Zoë has a hedgehog that is called Truffle. (D2:1)
- Łukasz started surfing five years ago near Gdańsk. (D2:2)"""
NOTES = """[8 May, 2023] Zoë: I adopted a hedgehog yesterday.
keywords: pets, hedgehog
[8 May, 2023] Łukasz: I bought a cello last week.
tags: music
[1 June, 2023] Zoë: The hedgehog is called Truffle.
context: Zoë names her pet
[1 June, 2023] Łukasz: We started surfing five years ago near Gdańsk."""


def answer(memory: str, question: str) -> str:
    asked = compose(FRAME, Stimulus(Shape.CONVERSATION, question, question, 1), memory)
    assert RuleTable(RULES).find(asked, "answer") is RULES[0]
    assert RuleTable(RULES).find(asked, "act") is None
    return RULES[0].reply(asked).removeprefix("Answer: ")


@pytest.mark.parametrize("memory", [MEMORY, FACTS, NOTES], ids=["turns", "facts", "notes"])
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
def test_reply_uses_supporting_line(memory: str, question: str, want: str) -> None:
    assert answer(memory, question) == want
    assert answer("", question) == "not mentioned"


def test_reply_to_denied_statement_is_no() -> None:
    assert answer("Zoë: I never liked surfing.", "Does Zoë like surfing?") == "no"


def test_reply_joins_several_things() -> None:
    notes = "Łukasz: I play the harp.\nkeywords: instruments\nŁukasz: I play the drums.\nkeywords: instruments"
    said = answer(f"{MEMORY}\n{notes}", "Which instruments does Łukasz play?")
    assert {"harp", "drums"} <= {word for part in said.split(", ") for word in part.split()}


def test_reply_refuses_fact_of_other_person_in_summary() -> None:
    summary = "Zoë adopted a hedgehog. She named it Truffle. Łukasz bought a cello. Zoë sings. Łukasz swims."
    assert "cello" in answer(summary, "What did Łukasz buy?")
    assert answer(summary, "What did Zoë buy, a cello?") == "not mentioned"


def test_matches_only_own_frame() -> None:
    assert RuleTable(RULES).find((Message("system", "You are in a house."),), "answer") is None
    assert RuleTable(RULES).find((), "answer") is None


def test_rule_depends_on_messages_alone() -> None:
    assert list(inspect.signature(RULES[0].reply).parameters) == ["messages"]
    imported = [name for name, value in vars(offline).items() if inspect.ismodule(value)]
    assert set(imported) <= {"math", "re", "people", "rules"}
    modules = {value.__module__ for value in vars(offline).values() if hasattr(value, "__module__")}
    known = {"adapters.locomo.offline.rules", "adapters.locomo.offline.people"}
    assert not {name for name in modules if name.startswith("adapters.locomo")} - known


@given(st.text(max_size=200), st.text(max_size=60))
def test_reply_is_one_line_for_any_input(memory: str, question: str) -> None:
    first = answer(memory, question)
    assert first
    assert "\n" not in first
    assert answer(memory, question) == first


@given(st.permutations(MEMORY.splitlines()))
def test_reply_ignores_order_of_lines(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert answer(text, "When did Zoë adopt a hedgehog?") == "7 May 2023"
    assert answer(text, "What is Zoë's hedgehog called?") == "Truffle"


@pytest.mark.data
def test_offline_model_beats_refusals_on_held_out_conversations(data_root: Path) -> None:
    scores, refusals = [], []
    for raw in read_file(data_root)[-3:]:
        conversation = load(raw)
        memory = "\n".join(f"[{turn.day}] {turn.speaker}: {turn.text}" for turn in conversation.turns)
        for one in conversation.questions:
            scores.append(compute_official_f1(one.category, answer(memory, one.text), one.reference_answer))
            refusals.append(compute_official_f1(one.category, "not mentioned", one.reference_answer))
    assert sum(scores) / len(scores) > sum(refusals) / len(refusals) + 0.1
