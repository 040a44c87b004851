"""Parsing an acting prompt with any memory."""

from __future__ import annotations

import pytest

from adapters.alfworld.offline.prompt import Line, read_prompt
from bench.agents import compose, render
from bench.types import Event, EventKind, Frame, Message, Shape, Stimulus

GOAL = "You are in a room. You see a shelf 1.\n\nYour task is to: put a Mug in shelf."
FRAME = Frame("f", "Frame text.")


def prompt_of(memory: str, now: str = "Nothing happens.") -> tuple[Message, ...]:
    return compose(FRAME, Stimulus(Shape.EPISODE, now, GOAL, 3), memory)


def test_read_prompt_splits_parts() -> None:
    events = (
        Event("a1", EventKind.ACTION, "go to shelf 1", 1),
        Event("o1", EventKind.OBSERVATION, "On the shelf 1, you see nothing.", 1),
        Event("n1", EventKind.NOTE, "Look elsewhere.", 1),
    )
    prompt = read_prompt(prompt_of(render(events)))
    assert prompt.system == "frame text."
    assert prompt.task == "put a mug in shelf"
    assert prompt.opening.strip() == GOAL.lower()
    assert prompt.now.strip().splitlines()[0] == "observation: nothing happens."
    assert prompt.memory == (
        Line(1, "action", "go to shelf 1"),
        Line(1, "observation", "on the shelf 1, you see nothing."),
        Line(1, "note", "look elsewhere."),
    )


def test_read_prompt_gives_empty_missing_parts() -> None:
    prompt = read_prompt(compose(FRAME, Stimulus(Shape.EPISODE, "", GOAL, 1), ""))
    assert (prompt.memory, prompt.now) == ((), "")
    assert prompt.task == "put a mug in shelf"
    bare = read_prompt((Message("user", "hello"),))
    assert (bare.task, bare.memory, bare.now) == ("", (), "")


def test_read_prompt_accepts_missing_observation() -> None:
    prompt = read_prompt(compose(FRAME, Stimulus(Shape.EPISODE, "", GOAL, 1), "A hint."))
    assert [line.text for line in prompt.memory][:1] == ["a hint."]
    assert prompt.now == ""


def test_read_prompt_sorts_lines_by_step() -> None:
    memory = "Summary first.\n[7] Observation: late\nstill late\n[2] Action: early\n[3] without a label"
    lines = read_prompt(prompt_of(memory)).memory
    assert [line.text for line in lines] == ["summary first.", "early", "without a label", "late", "still late"]
    assert [line.step for line in lines] == [-1, 2, 3, 7, -1]


def test_read_prompt_keeps_headings_inside_memory() -> None:
    memory = "# Now\nold\n# Memory\n[2] Action: look"
    lines = read_prompt(prompt_of(memory, "The last word.")).memory
    assert "look" in [line.text for line in lines]
    assert "the last word." in read_prompt(prompt_of(memory, "The last word.")).now


@pytest.mark.parametrize("end", ["# This episode\n[1] Action: look", "[1] Action: look"])
def test_read_prompt_drops_other_tasks_episode(end: str) -> None:
    memory = f"[0] Task: Your task is to: put a cup in fridge.\n[1] Action: go to fridge 1\n[2] Action: wait\n{end}"
    assert [line.text for line in read_prompt(prompt_of(memory)).memory if line.label] == ["look"]


def test_read_prompt_keeps_repeated_own_task() -> None:
    memory = "[0] Task: Your task is to: put a mug in shelf.\n[1] Action: look"
    assert [line.text for line in read_prompt(prompt_of(memory)).memory if line.label == "action"] == ["look"]


def test_read_prompt_joins_chat_messages() -> None:
    messages = (
        Message("system", "Frame text."),
        Message("user", f"# Task\n{GOAL}\n# Memory"),
        Message("assistant", "go to shelf 1"),
        Message("user", "Observation: On the shelf 1, you see nothing."),
        Message("assistant", "Action: look"),
        Message("user", "# Now\nObservation: You are facing the shelf 1."),
    )
    prompt = read_prompt(messages)
    assert [(line.label, line.text) for line in prompt.memory] == [
        ("action", "go to shelf 1"),
        ("observation", "on the shelf 1, you see nothing."),
        ("action", "look"),
    ]
    assert prompt.now.strip() == "observation: you are facing the shelf 1."
