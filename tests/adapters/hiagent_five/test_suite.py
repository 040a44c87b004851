"""The combined suite: each task is that of its part, under one step cap."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from adapters.hiagent_five.suite import SUITE, HiAgentFiveSuite
from adapters.jericho.suite import SUITE as JERICHO
from adapters.pddl.suite import SUITE as PDDL
from bench.errors import DataError
from bench.protocols import Params, SuiteOptions


def suite(root: Path, split: str, step_cap: int = 0, **params: str) -> HiAgentFiveSuite:
    return HiAgentFiveSuite(SuiteOptions(split, Params(SUITE.params, params), root, step_cap))


def test_generated_split_has_the_four_planning_domains() -> None:
    made = suite(Path("/nowhere"), "generated")
    tasks = made.tasks()
    assert Counter(task.group for task in tasks) == dict.fromkeys(("barman", "blockworld", "gripper", "tyreworld"), 10)
    assert {(task.suite, task.split) for task in tasks} == {("hiagent-five-v1", "generated")}
    part = PDDL.build(SuiteOptions("generated", Params(PDDL.params), Path("/nowhere"), 30))
    assert [(task.id, task.digest, task.optimal_steps) for task in tasks] == [
        (task.id, task.digest, task.optimal_steps) for task in part.tasks()
    ]
    assert made.open(tasks[0]).reset() == part.open(part.tasks()[0]).reset()
    assert not any(name.startswith("jericho") for name, _ in made.fingerprint().entries)
    made.close()


def test_preset_sets_step_cap() -> None:
    made = [
        suite(Path("/nowhere"), "generated"),
        suite(Path("/nowhere"), "generated", preset="paper"),
        suite(Path("/nowhere"), "generated", preset="code"),
        suite(Path("/nowhere"), "generated", step_cap=9, preset="code"),
    ]
    assert [one.limits().step_cap for one in made] == [30, 30, 50, 9]
    prints = [dict(one.fingerprint().entries) for one in made]
    assert [one["step_cap"] for one in prints] == [one["pddl.step_cap"] for one in prints] == ["30", "30", "50", "9"]


def test_missing_data_error_names_what_to_fetch(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="bench data get pddl"):
        suite(tmp_path, "zork").tasks()
    assert SUITE.data is not None
    missing = {problem.path.split("/", 1)[0] for problem in SUITE.data.check(tmp_path)}
    assert missing == {"agentboard_pddl", "jericho"}


def test_data_sources_are_those_of_the_parts() -> None:
    assert SUITE.data is not None
    assert PDDL.data is not None
    assert JERICHO.data is not None
    assert SUITE.data.sources == (*PDDL.data.sources, *JERICHO.data.sources)


@pytest.mark.data
@pytest.mark.parametrize(("split", "adventures"), [("zork", 3), ("agentboard", 20)])
def test_tasks_are_those_of_both_suites(split: str, adventures: int, data_root: Path) -> None:
    made = suite(data_root, split)
    tasks = made.tasks()
    assert Counter(task.group for task in tasks) == {
        "barman": 20,
        "blockworld": 10,
        "gripper": 20,
        "jericho": adventures,
        "tyreworld": 10,
    }
    assert [task.id for task in tasks] == sorted({task.id for task in tasks})
    assert "jericho/zork1" in {task.id for task in tasks}
    made.close()


@pytest.mark.data
def test_open_uses_the_suite_of_the_part(data_root: Path) -> None:
    made = suite(data_root, "zork")
    env = made.open(next(task for task in made.tasks() if task.id == "jericho/zork1"))
    opening = env.reset()
    assert opening.frame.id == "jericho-v1/commands"
    assert env.step("open mailbox").valid
    env.close()
    assert {"pddl.data", "jericho.data", "jericho.engine", "suite"} <= {name for name, _ in made.fingerprint().entries}
    made.close()
