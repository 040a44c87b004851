"""What the offline model keeps of an observation or a talk: sentences, each fact once, within a length."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.shared.extractive import PromptEvent, condense, is_refusal, read_events, read_limit


def kept(*observations: str, limit: int | None = None) -> str:
    return condense([PromptEvent("Observation", text) for text in observations], limit)


@pytest.mark.parametrize(
    ("observations", "text"),
    [
        (["A is on B.", "A is on B."], "A is on B."),
        (["A is on B. C is free.", "A is on B."], "C is free. A is on B."),
        (["Nothing happens.", "A is on B."], "A is on B."),
        (["The wish is heard, but its terms are not met.", "A is on B."], "A is on B."),
        (["The hand holds A.", "The hand no longer holds A."], ""),  # as it was before
        (["The hand no longer holds A.", "The hand holds A."], ""),
        (["The hand holds A.", "The hand no longer holds A.", "The hand holds A."], "The hand holds A."),
        (["A is on B. Current state: C is on D.", "E is on F."], "Current state: C is on D. E is on F."),
        (["Current state: C is on D. E is free.", "C is no longer on D."], "Current state: E is free."),
        (["Current state: C is on D.", "E is no longer free."], "Current state: C is on D."),
        (["Current state: A is on B.", "Current state: B is on A."], "Current state: B is on A."),
        (
            ["On the shelf 1, you see a mug 1.", "On the desk 1, you see a pen 1.", "On the shelf 1, you see nothing."],
            "On the desk 1, you see a pen 1. On the shelf 1, you see nothing.",
        ),
        (
            ["You open the safe 1. The safe 1 is open. In it, you see a key 1.", "You close the safe 1."],
            "The safe 1 is open. In it, you see a key 1. You close the safe 1.",
        ),
        (["You arrive at desk 1. On it, you see a pen 1.", "You arrive at shelf 1."], "You arrive at shelf 1."),
        (
            [
                "You pick up the mug 1 from the desk 1.",
                "You clean the mug 1 using the sink 1.",
                "You put the mug 1 on the bed 1."],
            "You clean the mug 1 using the sink 1. You put the mug 1 on the bed 1.",
        ),
        (["Valid actions: a; b; c.", "A is on B."], "A is on B."),
        ([], ""),
    ],
)  # fmt: skip
def test_condense_keeps_the_latest_statement_of_each_fact(observations: list[str], text: str) -> None:
    assert kept(*observations) == text


def test_condense_drops_a_former_place_with_sentences_that_refer_to_it() -> None:
    """A sentence about "it" goes with the one before, so a list must name its place to outlive it."""
    assert kept("You arrive at desk 1. On the desk 1, you see a pen 1.", "You arrive at bed 1.") == (
        "On the desk 1, you see a pen 1. You arrive at bed 1."
    )


def test_condense_drops_the_oldest_first() -> None:
    assert kept("A is on B. C is on D. E is on F.", limit=14) == "C is on D. E is on F."
    assert kept("A is on B.", limit=2) == ""


def test_condense_keeps_lines_of_a_conversation_and_drops_questions_first() -> None:
    said = ("Ann: Hello!", "Bob: How are you?", "Ann: I moved to Oslo in May 2023.", "Bob: Fine weather today.")
    lines = [f"[8 May] {text}" for text in said]
    conversation = "\n".join(lines)
    assert condense(read_events(conversation)) == conversation
    assert condense(read_events(conversation), 30) == f"{lines[2]}\n{lines[3]}"
    assert condense(read_events(conversation), 16) == lines[3]


def test_read_events_joins_continuation_lines() -> None:
    text = "[1] Action: go\n[1] Observation: One.\nTwo: more.\n\n[2] Note: x\nAnn: hi there"
    assert read_events(text) == [
        PromptEvent("Action", "go"),
        PromptEvent("Observation", "One."),
        PromptEvent("", "Two: more."),
        PromptEvent("Note", "x"),
        PromptEvent("", "Ann: hi there"),
    ]
    assert read_events("[1] Observation: One\ntwo.") == [PromptEvent("Observation", "One two.")]


def test_condense_ignores_actions_and_notes() -> None:
    assert (
        condense(read_events("[1] Action: go to A.\n[1] Note: A is far.\n[1] Observation: A is near.")) == "A is near."
    )


def test_read_limit_finds_the_limit_in_a_prompt() -> None:
    assert read_limit("Use about 90 words.") == 120
    assert read_limit("Be brief.") is None


def test_is_refusal_recognises_refusals() -> None:
    assert is_refusal("The action is understood, but its conditions are not met. Nothing happens.")
    assert not is_refusal("You see nothing.")


SENTENCES = st.sampled_from(
    ["A is on B.", "A is no longer on B.", "C holds D.", "C no longer holds D.", "Nothing happens.", "E is free."]
)


@given(st.lists(SENTENCES, max_size=12), st.integers(0, 60))
def test_condense_holds_the_current_state_and_is_idempotent(told: list[str], limit: int) -> None:
    once = kept(*told)
    assert kept(once) == once
    assert len(kept(*told, limit=limit)) <= len(once)
    for fact, denial in (("A is on B.", "A is no longer on B."), ("C holds D.", "C no longer holds D.")):
        said = [text for text in told if text in (fact, denial)]
        told_of = [text for text in (fact, denial) if text in once]
        # What ends as it began is told; what ends otherwise is as it was before anything was said.
        assert told_of == ([said[-1]] if said and said[-1] == said[0] else [])
