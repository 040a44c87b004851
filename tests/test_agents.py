"""The default agent and the one prompt skeleton: strategies differ in the context slot alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.agents import (
    ATTEMPTS_HEADING,
    EXPERIENCE_HEADING,
    EXPERIENCE_NOTE,
    PRESENT_HEADING,
    DefaultAgent,
    compose,
    default_agent,
    read_value,
    recall,
    render,
    render_event,
    render_experience,
)
from bench.embedders.hash import HashEmbedder
from bench.errors import ModelError, StrategyError
from bench.models.scripted import ScriptedModel
from bench.protocols import Budget, Kit
from bench.types import Context, Event, EventKind, Frame, Message, Phase, Query, Shape, Stimulus

FRAME = Frame("f", "Act.", "Example.", max_tokens=7, stop=("\n\n",))
ACT = Stimulus(Shape.EPISODE, "A shelf.", "Find the mug.", 3, "o2")
ASK = Stimulus(Shape.CONVERSATION, "Where?", "Where? (asked on 9 May)", 1)


class Fixed:
    """A memory that always returns the same context and records its queries."""

    def __init__(self, context: Context):
        self.context = context
        self.queries: list[Query] = []

    def observe(self, event: Event) -> None:
        pass

    def recall(self, query: Query) -> Context:
        self.queries.append(query)
        return self.context


class Broken(Fixed):
    def recall(self, query: Query) -> Context:
        raise KeyError(query.text)


def kit(*replies: str, budget: Budget | None = None) -> Kit:
    return Kit(ScriptedModel(replies), HashEmbedder(), FRAME, budget or Budget())


def test_compose_episode_has_frame_goal_context_and_observation() -> None:
    system, user = compose(FRAME, ACT, "[1] Action: look")
    assert system == Message("system", "Act.\n\nExample.")
    assert user.content == (
        "# Task\nFind the mug.\n\n# Memory\n[1] Action: look\n\n# Now\nObservation: A shelf.\n\nAction:"
    )


def test_render_experience_heads_each_part_once_and_says_whose_names_these_are() -> None:
    given = ["# Tips\nOpen it.", " ", "## More\nLook."]
    text = render_experience(given, "[1] Action: look", attempts=["It was shut."])
    assert text == (
        f"{EXPERIENCE_HEADING}\n{EXPERIENCE_NOTE}\n\n### Tips\nOpen it.\n\n### More\nLook.\n\n"
        f"{ATTEMPTS_HEADING}\nIt was shut.\n\n"
        f"{PRESENT_HEADING}\n[1] Action: look"
    )
    assert render_experience(["Look."]) == f"{EXPERIENCE_HEADING}\n{EXPERIENCE_NOTE}\n\nLook."


def test_render_experience_without_any_is_the_present() -> None:
    assert render_experience([], "# Notes\n[1] Action: look") == "# Notes\n[1] Action: look"
    assert render_experience([""], "", attempts=()) == ""


def test_compose_conversation_has_question_once_with_its_date() -> None:
    _, user = compose(replace(FRAME, label="Answer:"), ASK, "Ann: Oslo")
    assert user.content == "# Memory\nAnn: Oslo\n\n# Question\nWhere? (asked on 9 May)\n\nAnswer:"


def test_compose_omits_empty_parts_and_puts_the_answer_format_between() -> None:
    frame = replace(FRAME, answer_format="One line.")
    system, user = compose(frame, replace(ACT, text=""), "")
    assert system.content == "Act.\n\nOne line.\n\nExample."
    assert user.content == "# Task\nFind the mug.\n\nAction:"


def test_compose_ends_with_the_cue_of_a_frame_that_has_one() -> None:
    _, user = compose(replace(FRAME, label="Answer:", cue="Answer (step by step):"), ASK, "")
    assert user.content.endswith("(asked on 9 May)\n\nAnswer (step by step):")


def test_compose_has_a_dialect_in_place_of_answer_format_and_cue() -> None:
    frame = replace(FRAME, answer_format="One line.", cue="Now:")
    system, user = compose(frame, replace(ACT, text=""), "", dialect="Or: note.")
    assert system.content == "Act.\n\nOr: note.\n\nExample."
    assert user.content == "# Task\nFind the mug."


@given(st.text(max_size=40), st.text(max_size=40), st.sampled_from([ACT, ASK]))
def test_compose_differs_in_context_slot_alone(one: str, two: str, stimulus: Stimulus) -> None:
    with_one, with_two = compose(FRAME, stimulus, one), compose(FRAME, stimulus, two)
    assert with_one[0] == with_two[0]
    if one and two:
        assert with_one[1].content.replace(f"# Memory\n{one}", "", 1) == with_two[1].content.replace(
            f"# Memory\n{two}", "", 1
        )


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (Event("a1", EventKind.ACTION, "look", 1), "[1] Action: look"),
        (Event("o1", EventKind.OBSERVATION, "Dark.", 1), "[1] Observation: Dark."),
        (Event("n", EventKind.NOTE, "Hm.", 2), "[2] Note: Hm."),
        (Event("f", EventKind.FEEDBACK, "No.", 2), "[2] Feedback: No."),
        (Event("g", EventKind.GOAL, "Find."), "[0] Task: Find."),
        (Event("t", EventKind.TURN, "Hi.", 1, "Ann", "8 May"), "[8 May] Ann: Hi."),
        (Event("t", EventKind.TURN, "Hi.", 1, "Ann"), "Ann: Hi."),
        (Event("m", EventKind.SESSION_END, "end of session", 1), ""),
    ],
)
def test_render_event_is_one_line_by_kind(event: Event, line: str) -> None:
    assert render_event(event) == line
    assert render([event, event]) == "\n".join([line, line] if line else [])


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("Action: go to shelf 1", "go to shelf 1"),
        ("I think.\n  action:  look  \nAction: wait", "look"),
        ("look", "look"),
        ("**Thought:** The mug is near.\n**Action:** take mug 1 from shelf 1", "take mug 1 from shelf 1"),
        ("I think I should look around first.", ""),
        ("Action:", ""),
        ("", ""),
    ],
)
def test_read_value_returns_the_action_and_no_guess(text: str, action: str) -> None:
    assert read_value(text, FRAME, Shape.EPISODE).value == action


@given(st.text(max_size=80))
def test_read_value_never_fails_and_returns_one_trimmed_line(text: str) -> None:
    action = read_value(text, FRAME, Shape.EPISODE).value
    assert action == action.strip()
    assert len(action.splitlines()) <= 1


def test_default_agent_recalls_then_calls_model_once() -> None:
    memory = Fixed(Context("[1] Action: look", ("a1",)))
    decision = DefaultAgent(memory, kit("Action: take mug", budget=Budget(10))).decide(ACT)
    assert (decision.text, decision.reply, decision.context) == ("take mug", "Action: take mug", memory.context)
    assert memory.queries == [Query("A shelf.", "Find the mug.", 3, Shape.EPISODE, 10, "o2")]


@pytest.mark.parametrize(("stimulus", "role"), [(ACT, "act"), (ASK, "answer")])
def test_default_agent_role_depends_on_shape(stimulus: Stimulus, role: str) -> None:
    built = default_agent(lambda _: Fixed(Context()))(replace(kit(), model=ScriptedModel(lambda _, role: role)))
    assert built.decide(stimulus).text == role


def test_recall_refuses_context_over_budget() -> None:
    memory = Fixed(Context("one two three"))
    assert recall(kit(budget=Budget(3)), memory, ACT) == memory.context
    with pytest.raises(StrategyError, match="expected at most 2 context tokens, got 3"):
        recall(kit(budget=Budget(2)), memory, ACT)


def test_default_agent_turns_memory_exception_into_strategy_error_and_passes_model_error() -> None:
    with pytest.raises(StrategyError, match=r"recall: KeyError: 'A shelf.'"):
        DefaultAgent(Broken(Context()), kit("x")).decide(ACT)
    with pytest.raises(ModelError):
        DefaultAgent(Fixed(Context()), kit()).decide(ACT)


def test_recall_books_inner_calls_as_read() -> None:
    seen: list[Phase] = []

    @contextmanager
    def phase(entered: Phase) -> Iterator[None]:
        seen.append(entered)
        yield

    recall(replace(kit(), phase=phase), Fixed(Context()), ACT)
    assert seen == [Phase.READ]
