"""The fast engine behind the adapter's interface: episodes equal the official ones; compiled games are shared."""

from __future__ import annotations

import threading

import pytest

from adapters.alfworld.environment import HouseholdEnvironment
from adapters.alfworld.fast import FastEngines
from adapters.alfworld.grammar import Grammar
from adapters.alfworld.official import OfficialEngines
from adapters.alfworld.procedural import GeneratedGames
from adapters.alfworld.world import FACTS, NOTHING, Engines
from bench.errors import DataError, EnvError
from bench.types import Observation, Task

GAMES = GeneratedGames(Grammar.MOVE)
TASKS = tuple(GAMES.tasks())


def play(engines: Engines, task: Task, actions: list[str]) -> list[Observation]:
    env = HouseholdEnvironment(task, GAMES.read(task), engines.take())
    env.reset()
    try:
        return [env.step(action) for action in actions]
    finally:
        env.close()


def test_world_has_listed_facts_and_exact_nothing_text() -> None:
    engine = FastEngines().take()
    opening = engine.start(GAMES.read(TASKS[0]))
    assert "Your task is to:" in opening.feedback
    assert {fact.name for fact in opening.facts} <= FACTS
    assert all(arg == arg.strip() for fact in opening.facts for arg in fact.args)
    assert engine.step("dance").feedback == NOTHING
    assert list(engine.admissible()) == sorted(engine.admissible())


def test_game_is_cached_up_to_cache_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adapters.alfworld.fast._CACHE_SIZE", 2)
    engines = FastEngines()
    first = engines.game(GAMES.read(TASKS[0]))
    assert engines.game(GAMES.read(TASKS[0])) is first
    for task in TASKS[1:3]:
        engines.game(GAMES.read(task))
    assert engines.game(GAMES.read(TASKS[0])) is not first


def test_step_before_start_and_broken_file_are_errors() -> None:
    engine = FastEngines().take()
    with pytest.raises(EnvError, match="expected a started game"):
        engine.step("look")
    with pytest.raises(DataError, match="break off"):
        engine.start(GAMES.read(TASKS[0])[:500])


def test_threads_share_game_but_not_episode() -> None:
    engines, task = FastEngines(), TASKS[0]
    actions = ["go to countertop 1", "look", "inventory", "go to drawer 1", "open drawer 1"]
    alone = play(engines, task, actions)
    found: list[list[Observation]] = []
    threads = [threading.Thread(target=lambda: found.append(play(engines, task, actions))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [alone] * 8


@pytest.mark.engine
def test_episode_is_equal_on_both_engines() -> None:
    official = OfficialEngines()
    try:
        for task in TASKS[:: len(TASKS) // 3][:3]:
            walkthrough = FastEngines().game(GAMES.read(task)).walkthrough
            actions = ["look", "help", "take nothing", *walkthrough[:2], "put mug 1 on desk 1", *walkthrough[2:]]
            assert play(FastEngines(), task, actions) == play(official, task, actions)
    finally:
        official.close()
