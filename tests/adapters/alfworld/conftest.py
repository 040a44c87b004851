"""Fixtures of the ALFWorld tests: a scripted engine, a game file, the data root, the official engine."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from adapters.alfworld.official import OfficialEngines
from adapters.alfworld.world import NOTHING, Fact, World

GRAMMAR = 'action PutObject {\n    template :: "%s";\n    feedback :: "#PutObject.feedback#";\n}\n'
GOAL = (
    "(define (problem p) (:goal (and (exists (?r - receptacle) (exists (?o - object) (and "
    "(inReceptacle ?o ?r) (objectType ?o MugType) (receptacleType ?r ShelfType)))))))"
)


class ScriptedEngine:
    """An engine that returns prepared worlds."""

    def __init__(self, replies: Sequence[World], admissible: Sequence[str] = ()):
        self._replies = list(replies)
        self._admissible = tuple(admissible)
        self.commands: list[str] = []
        self.closed = 0

    def start(self, game: bytes) -> World:
        json.loads(game)
        return self._replies.pop(0)

    def step(self, command: str) -> World:
        self.commands.append(command)
        return self._replies.pop(0)

    def admissible(self) -> Sequence[str]:
        return self._admissible

    def close(self) -> None:
        self.closed += 1


def build_world(feedback: str = NOTHING, *facts: tuple[str, ...], won: bool = False, done: bool = False) -> World:
    """Return one moment: ``build_world("Hello", ("holds", "agent", "mug 1"))``."""
    return World(feedback, won, done, frozenset(Fact(name, tuple(args)) for name, *args in facts))


def game_bytes(template: str = "move {o} to {r}", problem: str = GOAL, **more: object) -> bytes:
    fields = {"pddl_domain": "d", "grammar": GRAMMAR % template, "pddl_problem": problem, "solvable": True, **more}
    return json.dumps(fields).encode()


@pytest.fixture
def scripted() -> type[ScriptedEngine]:
    return ScriptedEngine


@pytest.fixture
def world() -> object:
    """The function ``build_world``."""
    return build_world


@pytest.fixture
def game() -> object:
    """The function ``game_bytes``."""
    return game_bytes


@pytest.fixture(scope="session")
def data_root() -> Path:
    root = Path(os.environ.get("BENCH_DATA", "-")).resolve()
    if not (root / "alfworld" / "json_2.1.1" / "valid_unseen").is_dir():
        pytest.skip("needs the ALFWorld games under $BENCH_DATA")
    return root


@pytest.fixture(scope="session")
def official() -> Iterator[OfficialEngines]:
    if importlib.util.find_spec("textworld") is None or importlib.util.find_spec("alfworld") is None:
        pytest.skip("needs the official engine: pip install 'memfrontier[alfworld]'")
    engines = OfficialEngines()
    yield engines
    engines.close()
