"""What can be learned: the right lessons help the novice, those of another task type do not, wrong ones hurt."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from adapters.alfworld.offline.novice import build_rules
from adapters.alfworld.offline.rules import RULES
from adapters.alfworld.suite import SUITE, AlfworldSuite
from baselines.full_history import FullHistory
from bench.agents import DefaultAgent, render, render_experience
from bench.drivers import run_episode
from bench.embedders.hash import HashEmbedder
from bench.models.offline.reader import OfflineReader
from bench.protocols import Kit, Params, SuiteOptions
from bench.types import Context, EndReason, Event, EventKind, Query, Step, Task

ROOT = Path(os.environ.get("BENCH_DATA", "-")).resolve()
NOVICE, READER = OfflineReader(build_rules(Params(()))), OfflineReader(RULES)
STEPS = 30
HEAT, CLEAN = "pick_heat_then_place_in_recep", "pick_clean_then_place_in_recep"
INSIGHTS = """
- When a hot object is wanted, take the object to the microwave and heat it there.
- Cooling is done with the fridge: hold the object, go to the fridge and cool it.
- Wash things in the sinkbasin.
- Food is usually on a countertop or in the fridge. Mugs and cups are on the countertop or in a cabinet.
"""
SWAPPED = INSIGHTS.replace("microwave", "?").replace("fridge", "microwave").replace("?", "fridge")

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not (ROOT / "alfworld").is_dir(), reason="no ALFWorld games under $BENCH_DATA"),
]


class Taught(FullHistory):
    """The full history, and experience of other tasks."""

    def __init__(self, kit: Kit, text: str):
        super().__init__(kit)
        self._text = text

    def recall(self, query: Query) -> Context:
        return Context(render_experience([self._text], super().recall(query).text))


@cache
def suite(split: str) -> AlfworldSuite:
    built = SUITE.build(SuiteOptions(split, Params(SUITE.params, {"frame": "bare"}), ROOT, STEPS))
    assert isinstance(built, AlfworldSuite)
    return built


def play(games: AlfworldSuite, task: Task, model: OfflineReader, text: str) -> tuple[bool, list[Step], str]:
    env = games.open(task)
    opening = env.reset()
    kit, steps = Kit(model, HashEmbedder(), opening.frame), list[Step]()
    end = run_episode(DefaultAgent(Taught(kit, text), kit), env, opening, games.limits(), steps)
    env.close()
    return end is EndReason.WON, steps, opening.goal


@cache
def success(group: str) -> str:
    """Return a solved task of a type, in a room of the training split."""
    games = suite("valid_train")
    won, steps, goal = play(games, [task for task in games.tasks() if task.group == group][3], READER, "")
    assert won
    pairs = ((step.index, step.decision.text, step.observation.text) for step in steps)
    told = [(Event("", EventKind.ACTION, a, n), Event("", EventKind.OBSERVATION, o, n)) for n, a, o in pairs]
    return f"{goal}\n{render(event for pair in told for event in pair)}"


@cache
def wins(text: str) -> int:
    games = suite("valid_unseen")
    return sum(play(games, task, NOVICE, text)[0] for task in [t for t in games.tasks() if t.group == HEAT][::2])


def test_success_of_the_same_type_helps_and_of_another_type_does_not() -> None:
    untaught, same, other = wins(""), wins(success(HEAT)), wins(success(CLEAN))
    assert untaught <= 2
    assert same >= untaught + 6
    assert other <= untaught + 2


def test_insights_help_and_swapped_ones_hurt() -> None:
    told, swapped = wins(INSIGHTS), wins(SWAPPED)
    assert told >= wins("") + 6
    assert swapped <= told - 6
