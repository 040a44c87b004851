"""The suite, the files on disk, the generators."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from adapters.pddl.data import LABELS, Fault, check, list_problem_files, read_labels, read_problem
from adapters.pddl.domain import DOMAINS
from adapters.pddl.generate import generate_tasks, problem_text
from adapters.pddl.problem import parse_problem
from adapters.pddl.suite import SUITE
from adapters.pddl.wording import GOAL_LEAD
from bench.errors import DataError, UsageError
from bench.protocols import SuiteSpec
from bench.types import Shape

FETCH = "bench data get pddl"


def test_spec_names_splits_and_data() -> None:
    assert isinstance(SUITE, SuiteSpec)
    assert (SUITE.name, SUITE.shape, SUITE.default_split) == ("pddl-v1", Shape.EPISODE, "agentboard")
    assert (SUITE.splits, SUITE.offline_splits) == (("agentboard", "generated", "own"), ("generated",))
    assert SUITE.workers == "process"


def test_generated_split_needs_no_data(arena: Any) -> None:
    tasks = arena.suite("generated").tasks()
    assert [task.id for task in tasks] == sorted(task.id for task in tasks)
    assert {name: sum(t.group == name for t in tasks) for name in DOMAINS} == dict.fromkeys(DOMAINS, 10)
    assert all(task.cluster == task.group and task.payload and task.digest for task in tasks)
    assert all(1 <= (task.optimal_steps or 0) <= 40 for task in tasks)
    assert len({task.digest for task in tasks}) == 40


def test_problem_text_depends_on_domain_and_number_alone() -> None:
    for item in generate_tasks():
        assert item.text == problem_text(item.domain, int(item.task[-2:]))
        problem = parse_problem(item.text, item.domain, item.task)
        assert problem.count_satisfied(problem.init) < len(problem.goal)


def test_domain_param_selects_tasks(arena: Any) -> None:
    assert {task.group for task in arena.suite("generated", domain="barman").tasks()} == {"barman"}
    with pytest.raises(UsageError, match="barman"):
        arena.suite("generated", domain="barmen")


@pytest.mark.parametrize(("preset", "cap"), [("default", 40), ("agentboard", 30), ("hiagent", 30), ("h2r", 40)])
def test_preset_sets_step_cap(arena: Any, preset: str, cap: int) -> None:
    assert arena.suite("generated", preset=preset).limits().step_cap == cap
    assert arena.suite("generated", step_cap=7, preset=preset).limits().step_cap == 7


def test_fingerprint_differs_by_split_cap_and_data(arena: Any) -> None:
    base = dict(arena.suite("generated").fingerprint().entries)
    assert {"suite", "split", "data", "domains", "wording", "pddl_library", "step_cap", "hint", "protocol"} == set(base)
    assert base == dict(arena.suite("generated").fingerprint().entries)
    other = dict(arena.suite("generated", preset="agentboard").fingerprint().entries)
    assert {key for key in base if base[key] != other[key]} == {"step_cap"}


def test_missing_data_folder_error_names_the_command(arena: Any, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=FETCH):
        arena.suite("agentboard", tmp_path).tasks()
    assert len(check(tmp_path)) == 61
    assert arena.suite("generated", tmp_path).difficulty("barman/g01") == ""


def test_open_returns_fresh_environment(arena: Any) -> None:
    suite = arena.suite("generated")
    task = suite.tasks()[0]
    first, second = suite.open(task), suite.open(task)
    opening = first.reset()
    first.step("left grasp shot1")
    assert second.reset() == opening
    first.close()
    suite.close()


@pytest.mark.data
def test_agentboard_split_has_sixty_tasks(arena: Any, data_root: Path) -> None:
    tasks = arena.suite("agentboard", data_root).tasks()
    assert len(tasks) == 60
    assert {n: sum(t.group == n for t in tasks) for n in DOMAINS} == {
        "barman": 20,
        "blockworld": 10,
        "gripper": 20,
        "tyreworld": 10,
    }
    by_id = {task.id: task for task in tasks}
    assert by_id["blockworld/problem10"].optimal_steps == 18
    assert by_id["tyreworld/p04"].optimal_steps == 39
    assert all(by_id[file.task].digest == file.sha256 for file in list_problem_files())
    assert check(data_root) == ()


@pytest.mark.data
def test_labels_join_by_file_order_within_a_domain(arena: Any, data_root: Path) -> None:
    """The goal in a label is AgentBoard's wording of the goal in the file: the join is right for all 60."""
    joined = {label.task: label for label in read_labels(data_root)}
    for file in list_problem_files():
        problem = parse_problem(read_problem(data_root, file), file.domain, file.task)
        wanted = sorted(sorted(atom.args) for atom in problem.goal)
        names = {name for name, _ in problem.objects}
        told = joined[file.task].goal.split(":", 1)[1]
        sentences = [[w for w in s.replace(",", " ").split() if w in names] for s in told.split(".")]
        assert sorted(sorted(s) for s in sentences if s) == wanted
    assert joined["blockworld/problem10"].number == 21
    suite = arena.suite("agentboard", data_root)
    hard = {n: sum(suite.difficulty(f.task) == "hard" for f in list_problem_files() if f.domain == n) for n in DOMAINS}
    assert hard == {"barman": 15, "blockworld": 5, "gripper": 0, "tyreworld": 4}


@pytest.mark.data
def test_broken_file_fails_its_own_task_only(arena: Any, data_root: Path, tmp_path: Path) -> None:
    shutil.copytree(data_root / "agentboard_pddl", tmp_path / "agentboard_pddl")
    altered = tmp_path / "agentboard_pddl/pddlgym/pddl/barman/p01.pddl"
    altered.chmod(0o644)
    altered.write_text("(define (problem", encoding="utf-8")
    missing = tmp_path / "agentboard_pddl/pddlgym/pddl/barman/p02.pddl"
    missing.parent.chmod(0o755)
    missing.unlink()
    suite = arena.suite("agentboard", tmp_path)
    tasks = {task.id: task for task in suite.tasks()}
    assert len(tasks) == 60
    for name, path in (("barman/p01", altered), ("barman/p02", missing)):
        with pytest.raises(DataError, match=FETCH) as caught:
            suite.open(tasks[name])
        assert str(path) in str(caught.value)
    assert suite.open(tasks["barman/p03"]).reset().goal.startswith(GOAL_LEAD)
    assert [fault.problem for fault in check(tmp_path)] == ["altered", "missing"]


@pytest.mark.parametrize("content", ["not json\n", '{"id": 0}\n', ""])
def test_broken_label_file_is_a_data_error(tmp_path: Path, content: str) -> None:
    path = tmp_path / LABELS
    path.parent.mkdir(parents=True)
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=FETCH) as caught:
        read_labels(tmp_path)
    assert str(path) in str(caught.value)
    assert Fault(LABELS, "altered") in check(tmp_path)


def test_frame_reaches_the_environment(arena: Any) -> None:
    for frame in ("full", "bare"):
        suite = arena.suite("generated", frame=frame)
        assert bool(suite.open(suite.tasks()[0]).reset().frame.examples) is (frame == "full")
