"""Generated tasks: reproducible, all six types, won by their walkthrough and not before."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.alfworld.environment import HouseholdEnvironment
from adapters.alfworld.games import parse_game
from adapters.alfworld.generate.game import generate
from adapters.alfworld.generate.house import ABILITY, TOOL, build_names, draw_house, to_pddl_id
from adapters.alfworld.generate.material import load_material
from adapters.alfworld.grammar import Grammar, probe
from adapters.alfworld.official import OfficialEngine, OfficialEngines
from adapters.alfworld.procedural import GeneratedGames
from adapters.alfworld.progress import TASK_TYPES, read_goal
from bench.errors import DataError

pytest.importorskip("alfworld", reason="needs the floor plans of package alfworld")

SEEDS = st.integers(0, 10_000)
TYPES = st.sampled_from(TASK_TYPES)


def test_tasks_are_ten_of_each_type() -> None:
    tasks = GeneratedGames(Grammar.MOVE).tasks()
    assert set(Counter(task.group for task in tasks).values()) == {10}
    assert len({task.id for task in tasks}) == len(tasks) == 60
    assert [task.id for task in tasks] == sorted(task.id for task in tasks)
    assert all(task.id == f"{task.cluster}/s{task.payload}" for task in tasks)
    assert all(task.digest == hashlib.sha256(GeneratedGames(Grammar.MOVE).read(task)).hexdigest() for task in tasks[:5])


def test_generate_is_independent_of_hash_seed() -> None:
    code = (
        "import hashlib; from adapters.alfworld.procedural import GeneratedGames;"
        "from adapters.alfworld.grammar import Grammar;"
        "print([task.digest for task in GeneratedGames(Grammar.MOVE, 3).tasks()])"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    assert b"[" in runs[0]


@settings(max_examples=60)
@given(task_type=TYPES, seed=SEEDS, grammar=st.sampled_from(tuple(Grammar)))
def test_generate_any_seed_gives_valid_game(task_type: str, seed: int, grammar: Grammar) -> None:
    made = generate(load_material(), task_type, seed, grammar)
    game = parse_game(made.data, "g")
    assert probe(game.grammar, "g") is grammar
    goal = read_goal(task_type, game.problem, "g")
    kind, thing, nothing, target, _plan = made.folder.split("-")
    assert (kind, thing.lower(), nothing, target.lower()) == (goal.kind, goal.thing, "None", goal.target)
    assert "UNKNOWN GOAL" not in game.grammar
    assert game.walkthrough == made.walkthrough
    assert 2 < len(made.walkthrough) < 16
    assert game.problem.count("(") == game.problem.count(")")


@settings(max_examples=60)
@given(task_type=TYPES, seed=SEEDS)
def test_draw_house_is_solvable_and_not_solved(task_type: str, seed: int) -> None:
    material = load_material()
    house = draw_house(material, task_type, random.Random(seed))
    wanted = [thing for thing in house.things if thing.kind == house.thing]
    assert len(wanted) >= (2 if task_type == "pick_two_obj_and_place" else 1)
    assert all(house.kind_of_place(thing.place) != house.target for thing in wanted)
    kinds = {spot.place.kind for spot in house.spots}
    assert house.target in kinds | {"DeskLamp"}
    if task_type in ABILITY:
        assert TOOL[ABILITY[task_type]] in kinds
        assert house.thing in material.abilities[ABILITY[task_type]]
    assert len({spot.location for spot in house.spots} | {house.start}) == len(house.spots) + 1
    ids = [thing.id for thing in house.things] + [spot.place.id for spot in house.spots]
    assert len(set(map(to_pddl_id, ids))) == len(ids)
    assert len(set(build_names(ids).values())) == len(ids)


def test_read_rejects_changed_generator() -> None:
    games = GeneratedGames(Grammar.MOVE, 1)
    task = games.tasks()[0]
    with pytest.raises(DataError, match="expected SHA-256"):
        games.read(replace(task, payload="99"))
    with pytest.raises(DataError, match="expected a seed, got 'x'"):
        games.read(replace(task, payload="x"))


def one_of_each_type() -> list[tuple[str, int]]:
    """The seed of each type whose game is smallest, for speed."""
    material = load_material()

    def smallest(kind: str) -> int:
        return min(range(10), key=lambda seed: len(generate(material, kind, seed).data))

    return [(kind, smallest(kind)) for kind in TASK_TYPES]


@pytest.mark.engine
@pytest.mark.parametrize("grammar", [Grammar.MOVE, Grammar.PUT])
def test_walkthrough_wins_on_official_engine(official: OfficialEngines, grammar: Grammar) -> None:
    games = GeneratedGames(grammar)
    smallest = one_of_each_type() if grammar is Grammar.MOVE else one_of_each_type()[:1]
    tasks = {(task.group, int(task.payload)): task for task in games.tasks()}
    for key in smallest:
        task = tasks[key]
        data = games.read(task)
        env = HouseholdEnvironment(task, data, official.take())
        env.reset()
        seen = [env.step(command) for command in parse_game(data, "g").walkthrough]
        env.close()
        assert [each.valid for each in seen] == [True] * len(seen)
        assert [each.won for each in seen] == [False] * (len(seen) - 1) + [True]
        values = [each.progress for each in seen]
        assert values == sorted(values)
        assert values[-1] == 1


@pytest.mark.engine
@pytest.mark.usefixtures("official")
def test_official_planner_solves_generated_games() -> None:
    engines = OfficialEngines(planner=True)
    material = load_material()
    for kind, seed in one_of_each_type()[:2]:
        made = generate(material, kind, seed)
        engine = engines.take()
        assert isinstance(engine, OfficialEngine)
        world = engine.start(made.data)
        steps = 0
        while not world.won and engine.plan and steps < 30:
            world = engine.step(engine.plan[0])
            steps += 1
        assert world.won
        assert steps <= len(made.walkthrough) + 2
        engine.close()
    engines.close()
