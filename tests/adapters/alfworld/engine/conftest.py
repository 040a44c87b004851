"""Fixtures of the engine tests: a game (workshop) with every construct, and the comparison script as a module."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType

import pytest

from adapters.alfworld.engine import Game

HERE = Path(__file__).parent
ROOT = HERE.parents[3]


@pytest.fixture(scope="session")
def texts() -> Mapping[str, str]:
    """The workshop's three texts by their key in a game file."""
    files = {"pddl_domain": "workshop.pddl", "grammar": "workshop.twl2", "pddl_problem": "workshop_problem.pddl"}
    return {key: (HERE / name).read_text() for key, name in files.items()}


@pytest.fixture(scope="session")
def workshop(texts: Mapping[str, str]) -> Callable[..., Game]:
    """Loads the workshop with pieces of its texts replaced: ``workshop(pddl_problem=("old", "new"))``."""

    def load(*, strict: bool = True, solvable: bool = True, **changes: tuple[str, str]) -> Game:
        content: dict[str, object] = {**texts, "solvable": solvable}
        for key, (old, new) in changes.items():
            assert old in texts[key]
            content[key] = texts[key].replace(old, new)
        return Game.load(json.dumps(content), name="workshop.tw-pddl", strict=strict)

    return load


@pytest.fixture(scope="session")
def comparison() -> ModuleType:
    """``tests/parity/alfworld_engine.py``."""
    spec = importlib.util.spec_from_file_location(
        "alfworld_engine_comparison", ROOT / "tests/parity/alfworld_engine.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
