"""The share of teaching lines that the novice understood is a score of its episodes, and of no other model's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench.agents import render_experience
from bench.registry import load_source
from bench.runner.teaching import CountsTeaching, add_teaching
from bench.types import (
    Context,
    Decision,
    EndReason,
    Item,
    Observation,
    Shape,
    Status,
    Step,
    Stimulus,
    Trial,
    TrialKey,
)

GOAL = "Your task is to: put a mug in shelf."
PRESENT = "[1] Action: look"
TAUGHT = ["Heat things with the microwave.", "Be careful."]


def trial(*contexts: str, shape: Shape = Shape.EPISODE) -> Trial:
    steps = tuple(
        Step(at, Stimulus(shape, "", GOAL, at), Decision("look", context=Context(text)), Observation("x"))
        for at, text in enumerate(contexts, start=1)
    )
    key = TrialKey("s", "p", "t", "r", "offline/novice")
    return Trial(key, Status.DONE, EndReason.STEP_CAP, (Item("t", "g", "c"),), steps)


def score(one: Trial, model: str = "offline/novice") -> list[float | None]:
    done = add_teaching(one, load_source(model))
    return [score.value for item in done.items for score in item.scores if score.name == "teaching_understood"]


@pytest.mark.parametrize(
    ("contexts", "value"),
    [
        ((render_experience(TAUGHT, PRESENT),), 0.5),
        ((render_experience(TAUGHT[:1], PRESENT), render_experience(TAUGHT, PRESENT), PRESENT), 0.75),
        ((PRESENT,), None),
    ],
)
def test_share_is_averaged_over_the_steps_that_were_taught(contexts: tuple[str, ...], value: float | None) -> None:
    assert score(trial(*contexts)) == [value]


def test_only_episodes_of_a_model_that_can_tell_have_the_score() -> None:
    taught = trial(render_experience(TAUGHT))
    assert score(taught, "offline/reader") == []
    assert score(trial(render_experience(TAUGHT), shape=Shape.CONVERSATION)) == []
    assert add_teaching(replace(taught, items=()), load_source("offline/novice")).items == ()
    assert isinstance(load_source("offline/novice"), CountsTeaching)
