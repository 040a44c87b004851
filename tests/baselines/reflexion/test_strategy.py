"""Reflexion: what the next attempt sees, when an attempt is given up, what the model is asked to write."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from baselines.reflexion.memory import ReflexionMemory
from baselines.reflexion.offline import ReflectRule
from baselines.reflexion.strategy import STRATEGY, reflect
from bench.agents import ATTEMPTS_HEADING, PRESENT_HEADING
from bench.drivers import run_episode
from bench.embedders.hash import HashEmbedder
from bench.models.scripted import ScriptedModel
from bench.protocols import Budget, Kit, Params
from bench.types import (
    Decision,
    EndReason,
    Event,
    EventKind,
    Frame,
    Limits,
    Message,
    Observation,
    Opening,
    Query,
    Shape,
    Status,
    Step,
    Stimulus,
    Trial,
    TrialKey,
)

FRAME = Frame("f", "Act.")


class Prompts:
    """A model that keeps its prompts and always opens the box."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []

    def __call__(self, messages: Sequence[Message], role: str) -> str:
        self.seen.append((role, messages[-1].content))
        return "Action: open box" if role == "act" else "The attic is empty. Go to the hall."


def make_kit(model: Callable[[Sequence[Message], str], str] | None = None, **given: str) -> Kit:
    params = Params(STRATEGY.params, given)
    return Kit(ScriptedModel(model or Prompts()), HashEmbedder(), FRAME, Budget(None), params)


class Wall:
    """A world that says its lines; the last again and again."""

    def __init__(self, *lines: str):
        self._lines = list(lines)

    def reset(self) -> Opening:
        return Opening("Find it.", FRAME)

    def step(self, action: str) -> Observation:
        return Observation(self._lines.pop(0) if len(self._lines) > 1 else self._lines[0], executed=action)

    def close(self) -> None:
        pass


def play(kit: Kit, world: Wall, *feedback: str, cap: int = 50) -> tuple[EndReason, list[Step]]:
    steps: list[Step] = []
    opening = Opening("Find it.", FRAME, feedback=feedback)
    return run_episode(STRATEGY.build(kit), world, opening, Limits(step_cap=cap), steps), steps


def test_reflections_reach_the_actor_prompt_under_their_heading() -> None:
    model = Prompts()
    play(make_kit(model), Wall("a", "b"), "The box is locked.", "", "Use the key.", cap=2)
    first, second = (text for role, text in model.seen if role == "act")
    assert f"{ATTEMPTS_HEADING}\nThe box is locked.\n\nUse the key." in first
    assert PRESENT_HEADING not in first
    assert f"{PRESENT_HEADING}\n[1] Action: open box" in second


def test_only_the_last_reflections_are_shown() -> None:
    memory = ReflexionMemory(make_kit(memory="2"))
    for number in range(4):
        memory.observe(Event(f"f{number}", EventKind.FEEDBACK, f"text {number}"))
    context = memory.recall(Query("", "Find it."))
    assert context.text == f"{ATTEMPTS_HEADING}\ntext 2\n\ntext 3"
    assert context.refs == ("f2", "f3")


def test_attempt_without_feedback_is_full_history() -> None:
    _, steps = play(make_kit(), Wall("a", "b", "c"), cap=3)
    assert steps[-1].decision.context.text == "[1] Action: open box\n[1] Observation: a\n[2] Action: open box"


@pytest.mark.parametrize(("given", "expected"), [({}, 4), ({"repeats": "1"}, 2), ({"repeats": "0"}, 30)])
def test_attempt_that_repeats_itself_is_given_up(given: dict[str, str], expected: int) -> None:
    end, steps = play(make_kit(**given), Wall("Nothing happens."))
    assert (end, len(steps)) == (EndReason.GAVE_UP, expected)


def test_same_action_with_another_answer_is_no_repetition() -> None:
    end, steps = play(make_kit(actions="0"), Wall(*map(str, range(60))), cap=40)
    assert (end, len(steps)) == (EndReason.STEP_CAP, 40)


@pytest.mark.parametrize("memory", [1, 3])
def test_reflector_is_told_how_many_texts_the_next_attempt_sees(memory: int) -> None:
    asked: list[str] = []

    def reply(messages: Sequence[Message], _role: str) -> str:
        asked.append(messages[0].content)
        return "The attic is empty."

    reflect(failed("A door."), make_kit(reply, memory=str(memory)))
    assert f"It sees the last {memory} such texts, yours included" in asked[0]
    assert "about 150 words" in asked[0]


def failed(*seen: str, feedback: tuple[str, ...] = ()) -> Trial:
    steps = tuple(
        Step(i, Stimulus(Shape.EPISODE, "", "Find it."), Decision(f"go {i}"), Observation(text))
        for i, text in enumerate(seen, start=1)
    )
    key = TrialKey("", "", "task", "", "")
    return Trial(key, Status.DONE, EndReason.STEP_CAP, steps=steps, opening="Find it.", feedback=feedback)


def test_reflection_is_asked_about_the_attempt_and_the_last_reflections() -> None:
    model = Prompts()
    trial = failed("A door.", "A wall.", feedback=("one", "two", "three", "four"))
    assert reflect(trial, make_kit(model)) == "The attic is empty. Go to the hall."
    ((role, request),) = model.seen
    assert role == "reflect"
    assert "# Task\nFind it." in request
    assert "# Written after earlier attempts\ntwo\n\nthree\n\nfour" in request
    assert "[2] Action: go 2\n[2] Observation: A wall." in request
    assert request.endswith(
        "# End\nThe task was not solved. It was stopped after 2 actions, the most that were allowed."
    )


def test_offline_rule_keeps_what_was_where_before_anything_was_moved() -> None:
    model = Prompts()
    seen = ("The shelf holds a cup.", "Nothing happens.", "You look around.", "You take the cup. The shelf is empty.")
    reflect(failed(*seen, feedback=("On the desk there is a pen.",)), make_kit(model))
    written = ReflectRule().reply((Message("system", "about 150 words"), Message("user", model.seen[0][1])))
    assert written == "The shelf holds a cup.\nOn the desk there is a pen."


def test_offline_rule_says_so_where_nothing_was_found_out_and_keeps_to_its_limit() -> None:
    model = Prompts()
    reflect(failed("Nothing happens."), make_kit(model))
    request = Message("user", model.seen[0][1])
    assert ReflectRule().reply((Message("system", ""), request)) == "Nothing was found out."
    reflect(failed("There is a long row of shelves.", "There is a cup."), make_kit(model))
    short = ReflectRule().reply((Message("system", "about 7 words"), Message("user", model.seen[1][1])))
    assert short == "There is a long row of shelves."
