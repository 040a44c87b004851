"""Foreign experience beside the full history costs the offline reader nothing: it is never read as the present.

Each text is put above the history bare, as a strategy might write it, and under the documented heading.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import pytest

from baselines.full_history import FullHistory
from bench.agents import DefaultAgent, render, render_experience
from bench.drivers import run_episode
from bench.embedders.hash import HashEmbedder
from bench.protocols import Environment, EpisodeSuite, Kit, Model, SuiteOptions
from bench.registry import load_source, resolve_suite
from bench.types import Context, EndReason, Event, EventKind, Query, Step, Task

Show = Callable[[str, str], str]
"""Puts a text beside the history."""
BARE: Show = lambda text, present: f"{text}\n{present}".strip()  # noqa: E731
HEADED: Show = lambda text, present: render_experience([text], present)  # noqa: E731
ATTEMPT: Show = lambda text, present: render_experience([], present, attempts=[text])  # noqa: E731
ROOT = Path(os.environ.get("BENCH_DATA", "-")).resolve()


class Beside(FullHistory):
    """The full history, and a fixed text."""

    def __init__(self, kit: Kit, text: str, show: Show):
        super().__init__(kit)
        self._text, self._show = text, show

    def recall(self, query: Query) -> Context:
        return Context(self._show(self._text, super().recall(query).text))


@cache
def suite(name: str, split: str) -> EpisodeSuite:
    found = resolve_suite(name, split)
    built = found.spec.build(SuiteOptions(split, found.params, ROOT))
    assert not isinstance(built, Environment)
    return built  # type: ignore[return-value]


@cache
def model() -> Model:
    return load_source("offline/reader").model(0)


def play(house: EpisodeSuite, task: Task, text: str = "", show: Show = BARE) -> tuple[EndReason, list[Step], str]:
    env = house.open(task)
    opening = env.reset()
    kit = Kit(model(), HashEmbedder(), opening.frame)
    steps: list[Step] = []
    end = run_episode(DefaultAgent(Beside(kit, text, show), kit), env, opening, house.limits(), steps)
    env.close()
    return end, steps, opening.goal


@cache
def told(name: str, split: str, task: str, cut: int = 0) -> tuple[str, tuple[Step, ...]]:
    """Return the opening and the steps of a task, played without any teaching."""
    house = suite(name, split)
    _, steps, goal = play(house, next(one for one in house.tasks() if one.id == task))
    return goal, tuple(steps[: cut or None])


def events(steps: Sequence[Step]) -> list[Event]:
    pairs = ((step.index, step.decision.text, step.observation.text) for step in steps)
    return [
        event
        for number, action, seen in pairs
        for event in (
            Event(f"a{number}", EventKind.ACTION, action, number),
            Event(f"o{number}", EventKind.OBSERVATION, seen, number),
        )
    ]


def trajectory(goal: str, steps: Sequence[Step]) -> str:
    return f"{goal}\n{without_task(goal, steps)}"


def without_task(_goal: str, steps: Sequence[Step]) -> str:
    return render(events(steps))


def units(_goal: str, steps: Sequence[Step]) -> str:
    """Return a trajectory as sub-goals, each with its actions and what came of them."""
    lines = [f"> {step.decision.text}\n{step.observation.text}" for step in steps]
    parts = ["\n".join(lines[at : at + 3]) for at in range(0, len(lines), 3)]
    return "\n".join(f"Sub-goal {n}: a part of the task\n{part}" for n, part in enumerate(parts, start=1))


@pytest.mark.parametrize("show", [BARE, HEADED], ids=["bare", "headed"])
@pytest.mark.parametrize("domain", ["barman", "tyreworld"])
def test_planning_keeps_its_wins_beside_a_trajectory_of_the_domain(domain: str, show: Show) -> None:
    worlds = suite(f"pddl:domain={domain}", "generated")
    tasks = worlds.tasks()
    text = trajectory(*told(f"pddl:domain={domain}", "generated", tasks[-1].id))
    for task in tasks[:-1]:
        before = play(worlds, task)
        after = play(worlds, task, text, show)
        assert after[0] is before[0] is EndReason.WON
        assert [step.decision.text for step in after[1]] == [step.decision.text for step in before[1]]


@pytest.mark.data
@pytest.mark.skipif(not (ROOT / "alfworld").is_dir(), reason="no ALFWorld games under $BENCH_DATA")
@pytest.mark.parametrize("show", [BARE, HEADED], ids=["bare", "headed"])
@pytest.mark.parametrize("write", [without_task, units], ids=["without-task-line", "sub-goal-units"])
def test_household_keeps_its_wins_beside_foreign_experience(write: Callable[..., str], show: Show) -> None:
    house = suite("alfworld", "valid_unseen")
    tasks = house.tasks()[::12]
    text = write(*told("alfworld", "valid_unseen", house.tasks()[1].id))
    for task in tasks:
        before, after = play(house, task), play(house, task, text, show)
        assert after[0] is before[0] is EndReason.WON
        assert len(after[1]) == len(before[1])


@pytest.mark.data
@pytest.mark.skipif(not (ROOT / "alfworld").is_dir(), reason="no ALFWorld games under $BENCH_DATA")
@pytest.mark.parametrize("show", [BARE, ATTEMPT], ids=["bare", "headed"])
def test_household_keeps_its_wins_beside_an_earlier_attempt(show: Show) -> None:
    """An attempt at the same task that stopped halfway: things lie elsewhere now than it left them."""
    house = suite("alfworld", "valid_unseen")
    for task in house.tasks()[::12]:
        goal, steps = told("alfworld", "valid_unseen", task.id)
        text = trajectory(goal, steps[: max(3, len(steps) - 1)])
        before, after = play(house, task), play(house, task, text, show)
        assert after[0] is before[0] is EndReason.WON
        assert len(after[1]) == len(before[1])
