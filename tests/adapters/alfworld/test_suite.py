"""The suite as the runner sees it: splits, switches, caps, fingerprint."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.alfworld.engines import ENGINES, build_engines
from adapters.alfworld.environment import HouseholdEnvironment
from adapters.alfworld.suite import PRESETS, SUITE, AlfworldSuite
from bench.errors import DataError, UsageError
from bench.protocols import Params, SuiteOptions
from bench.types import Shape

pytest.importorskip("alfworld", reason="needs package alfworld")


def suite(split: str = "procedural", root: str | Path = "-", step_cap: str = "0", **given: str) -> AlfworldSuite:
    built = SUITE.build(SuiteOptions(split, Params(SUITE.params, given), Path(root), int(step_cap)))
    assert isinstance(built, AlfworldSuite)
    return built


def test_spec_names_splits_and_params() -> None:
    assert (SUITE.name, SUITE.shape) == ("alfworld-v1", Shape.EPISODE)
    assert set(SUITE.splits) == {"valid_unseen", "valid_seen", "valid_train", "train", "procedural", "own"}
    assert SUITE.offline_splits == ("procedural",)
    assert SUITE.default_split == "valid_unseen"


def test_workers_depend_on_engine() -> None:
    assert callable(SUITE.workers)
    assert SUITE.workers(Params(SUITE.params)) == "process"
    assert SUITE.workers(Params(SUITE.params, {"engine": "official"})) == "thread"


@pytest.mark.parametrize(
    ("preset", "steps", "loop"),
    [("default", 50, 0), ("react", 49, 0), ("agentboard", 30, 0), ("h2r", 30, 0), ("expel", 20, 2)],
)
def test_preset_sets_caps(preset: str, steps: int, loop: int) -> None:
    limits = suite(preset=preset).limits()
    assert (limits.step_cap, limits.loop_cap) == (steps, loop)
    assert suite(preset=preset, step_cap="7").limits().step_cap == 7
    assert preset in PRESETS


def test_unknown_protocol_is_an_error_with_the_nearest_name() -> None:
    with pytest.raises(UsageError, match=r"expected protocol=house\|agentboard\|expel\|react\|reflexion, got 'reakt'"):
        suite(protocol="reakt")


def test_protocol_without_its_files_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"prompts/react/.*, got none .*; fetch it with: bench data get prompts"):
        suite(root=tmp_path, protocol="react")


def test_fingerprint_has_every_switch() -> None:
    plain = dict(suite().fingerprint().entries)
    assert plain["engine"] == next(iter(ENGINES))
    assert plain["packages"] == "none"  # the fast engine's rows are the same with and without them
    assert (plain["step_cap"], plain["loop_cap"], plain["split"]) == ("50", "0", "procedural")
    for given, fields in (
        ({"preset": "expel"}, {"preset", "step_cap", "loop_cap"}),
        ({"normalise": "off"}, {"normaliser"}),
        ({"fuzzy": "on"}, {"normaliser"}),
        ({"hint": "on"}, {"hint"}),
        ({"version": "put"}, {"version", "data"}),
        ({"engine": "official"}, {"engine", "packages"}),
    ):
        other = dict(suite(**given).fingerprint().entries)
        assert {name for name in plain if plain[name] != other[name]} == fields


def test_open_takes_engine_and_close_ends_pool() -> None:
    built = suite()
    first = built.open(built.tasks()[0])
    assert isinstance(first, HouseholdEnvironment)
    first.close()
    built.close()


def test_missing_data_and_unknown_engine_are_errors(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="bench data get alfworld"):
        suite("valid_unseen", tmp_path).tasks()
    with pytest.raises(UsageError, match="did you mean official"):
        build_engines("oficial")
    with pytest.raises(UsageError, match="version"):
        suite(version="push")


@pytest.mark.data
def test_fingerprint_differs_between_wordings_only(data_root: Path) -> None:
    digests = [
        dict(suite("valid_unseen", data_root, version=name).fingerprint().entries)["data"]
        for name in ("move", "move", "put")
    ]
    assert digests[0] == digests[1] != digests[2]


def test_frame_reaches_the_environment() -> None:
    opened = {}
    for frame in ("full", "bare"):
        built = suite(frame=frame)
        env = built.open(built.tasks()[0])
        opened[frame] = env.reset().frame
        env.close()
    assert opened["full"].examples
    assert not opened["bare"].examples
