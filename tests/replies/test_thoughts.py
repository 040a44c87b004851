"""Thoughts: read in the styles of chat models where they are allowed, never carried out elsewhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.agents import read_value
from bench.replies import ThoughtCounter, read_thought
from bench.replies.thoughts import WASTED
from bench.types import Frame, Shape, ThoughtRule

RULE = ThoughtRule()
ALLOWED = Frame("f", "Act.", thoughts=RULE)
FORBIDDEN = Frame("f", "Act.")
STYLES = (
    "Action: think: {}",
    "think: {}",
    "Think: {}",
    "> think: {}",
    "**Action:** think: {}",
    "**Action: think: {}**",
    "**think:** {}",
    "`think: {}`",
    '"think: {}"',
    "- think: {}",
    "```\nthink: {}\n```",
    "Action:\nthink: {}",
    "<think>quietly</think>\nAction: think: {}",
    "I will think first.\n\nAction: think: {}",
    "Command: think: {}",
    "**Next step:** think: {}",
    "It has not been seen yet. Action: think: {}",
    "Thought: it has not been seen yet. **Action:** think: {}",
)
THOUGHTS = ("the mug is on desk 1", "I see it. Next, I need to go to desk 1", "First: find a mug (1-4), then heat it")


@pytest.mark.parametrize("thought", THOUGHTS)
@pytest.mark.parametrize("style", STYLES)
def test_read_value_delivers_thought_where_frame_allows_it(style: str, thought: str) -> None:
    assert read_value(style.format(thought), ALLOWED, Shape.EPISODE).value == f"think: {thought}"


@pytest.mark.parametrize("thought", THOUGHTS)
@pytest.mark.parametrize("style", STYLES)
def test_read_value_executes_no_thought_where_frame_has_none(style: str, thought: str) -> None:
    assert read_value(style.format(thought), FORBIDDEN, Shape.EPISODE).value == ""


@pytest.mark.parametrize(
    "text",
    [
        "Action: go to desk 1",
        "Action: go to desk 1\nthink: it may be there",
        "Thought: it may be there\nAction: go to desk 1",
        "Thinking: it may be there.\n**Action:** go to desk 1",
        "I think it is there.\nAction: go to desk 1",
        "I think it is there. Action: go to desk 1",
        "Thought: it may be there. Action: go to desk 1\nthink: or not",
    ],
)
@pytest.mark.parametrize("frame", [ALLOWED, FORBIDDEN])
def test_read_value_takes_action_that_comes_first(text: str, frame: Frame) -> None:
    assert read_value(text, frame, Shape.EPISODE).value == "go to desk 1"


def test_read_value_takes_action_below_a_thought_that_is_not_allowed() -> None:
    assert read_value("Action: think: where?\nAction: go to desk 1", FORBIDDEN, Shape.EPISODE).value == "go to desk 1"


def test_read_thought_drops_and_counts_what_a_reply_plays_on() -> None:
    read = read_thought("> think: where?\nOK.\n> go to desk 1", "Action:", RULE)
    assert read is not None
    assert (read.value, read.repairs) == ("think: where?", ("quote", "played-on"))


def test_read_value_of_answer_knows_no_thought() -> None:
    frame = Frame("f", "Answer.", label="Answer:", thoughts=RULE)
    assert read_value("Answer: think: of me", frame, Shape.CONVERSATION).value == "think: of me"


@given(st.text(max_size=60))
def test_read_thought_accepts_any_text(text: str) -> None:
    read = read_thought(text, "Action:", RULE)
    assert read is None or read.value.startswith("think:")


def test_counter_answers_thoughts_and_leaves_actions_alone() -> None:
    counter = ThoughtCounter(RULE)
    cost, answer = counter.answer("think: where?", 0.5) or ("", None)
    assert answer is not None
    assert (cost, answer.text, answer.valid, answer.helper, answer.progress) == ("step", "OK.", True, False, 0.5)
    assert counter.answer("go to desk 1", 0.5) is None
    assert ThoughtCounter(None).answer("think: where?", 0.5) is None


def test_counter_wastes_a_step_after_the_most_in_a_row() -> None:
    counter = ThoughtCounter(ThoughtRule(costs_step=False, most=2))
    costs = []
    for action in ("think: a", "think: b", "think: c", "look", "think: d"):
        answered = counter.answer(action, 0.0)
        costs.append((answered[0], answered[1].text, answered[1].valid) if answered else None)
    free = ("free", "OK.", True)
    assert costs == [free, free, ("step", WASTED, False), None, free]


def test_rule_without_a_limit_for_free_thoughts_is_refused() -> None:
    with pytest.raises(ValueError, match="limit for thoughts that are free"):
        ThoughtRule(costs_step=False)
