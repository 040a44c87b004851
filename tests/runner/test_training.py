"""``bench train``: which tasks a strategy may train on, what it is given, and what is refused at training and after."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bench import registry
from bench.agents import default_agent, render
from bench.config import RunConfig
from bench.data.root import data_root as find_data_root
from bench.errors import StoreError, UsageError
from bench.protocols import Kit, Param, Strategy, SuiteOptions, Training
from bench.registry import resolve_strategy, resolve_suite
from bench.runner.build import build_run
from bench.runner.splits import split_tasks
from bench.runner.trained import TrainedOn, hash_inputs, read_record, write_record
from bench.runner.training import TrainingPlan, train_on_run
from bench.types import Context, Event, EventKind, Query
from tests.conftest import RunBench

ROOT = Path(__file__).parents[2]
SUITE = "locomo:talks=4,sessions=2,turns=4,questions=3"
TRAINED: list[Training] = []


class Everything:
    """Shows all turns."""

    def __init__(self, _kit: Kit):
        self.events: list[Event] = []

    def observe(self, event: Event) -> None:
        if event.kind is EventKind.TURN:
            self.events.append(event)

    def recall(self, _query: Query) -> Context:
        return Context(render(self.events), tuple(event.ref for event in self.events))


def _train(training: Training) -> None:
    TRAINED.append(training)
    training.report("trained")
    (training.folder / "weights").write_text("weights")


STUDENT = Strategy(
    "student-v1",
    default_agent(Everything),
    train=_train,
    inputs=lambda params: {"weights": Path(params.text("weights"))} if params.text("weights") else {},
    params=(Param("weights", "", "a folder that bench train made"),),
)


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(registry.builtin.STRATEGIES, "student", f"{__name__}:STUDENT")
    monkeypatch.syspath_prepend(ROOT)  # worker processes import this file under its name, and start with this path
    TRAINED.clear()
    yield
    TRAINED.clear()


@pytest.fixture
def run(bench: RunBench, tmp_path: Path) -> Path:
    """A run of four synthetic conversations."""
    done = bench("run", SUITE, "--split", "generated", "-s", "student,full-history", "-o", "run")
    assert done.code == 0, done.err
    return tmp_path / "run"


def test_training_gets_its_own_memories_with_questions_and_evidence_of_one_side_alone(
    run: Path, bench: RunBench, tmp_path: Path
) -> None:
    done = bench("train", str(run), "--learn-policy", "seven-three", "-o", "trained")
    assert done.code == 0, done.err
    (training,) = TRAINED
    about = read_record(tmp_path / "trained")
    assert about is not None
    assert (len(about.tasks), len(about.left_out), set(about.tasks) & set(about.left_out)) == (3, 1, set())
    asked = sum(len(task.questions) for task in training.tasks)
    assert f"trained student on {asked} questions of {', '.join(about.tasks)}; trained" in done.out
    assert f"left out, not on the training side: {about.left_out[0]}" in done.out
    assert [task.name for task in training.tasks] == ["task-0001", "task-0002", "task-0003"]
    for task in training.tasks:
        assert isinstance(task.memory, Everything)
        refs = {event.ref for event in task.memory.events}
        assert len(refs) == 8
        assert [question.query.step for question in task.questions] == [*range(1, len(task.questions) + 1)]
        assert all(set(question.evidence) <= refs for question in task.questions)
        assert any(question.evidence for question in task.questions)
        assert all(question.query.goal for question in task.questions)
    held = json.dumps([[question.query.text for question in task.questions] for task in training.tasks])
    assert all(name not in held for name in (*about.tasks, *about.left_out))


def test_no_policy_ever_trains_on_a_task_of_the_other_side(run: Path, tmp_path: Path) -> None:
    about = train_on_run(TrainingPlan(run, policy="seven-three"), tmp_path / "out")
    suite = resolve_suite(SUITE, "generated")
    tasks = suite.spec.build(SuiteOptions("generated", suite.params, find_data_root())).tasks()
    sides = split_tasks(tasks, "seven-three")
    assert set(about.tasks) == {task.id for task in sides.train}
    assert set(about.left_out) == {task.id for task in sides.test}


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (TrainingPlan(Path()), "expected the training side, as --learn-split or as --learn-policy, got neither"),
        (TrainingPlan(Path(), split="train", policy="seven-three"), "got both"),
        (TrainingPlan(Path(), split="trian"), "expected a split of locomo.*, got 'trian'; known: all"),
        (TrainingPlan(Path(), policy="seven-tree"), "got 'seven-tree'; did you mean seven-three"),
        (TrainingPlan(Path(), strategy="full-history", policy="seven-three"), "got 'full-history' of student"),
        (
            TrainingPlan(Path(), policy="seven-three", settings=Path("none.toml")),
            "none.toml: expected a TOML file",
        ),
    ],
)
def test_training_that_cannot_be_meant_is_refused(plan: TrainingPlan, message: str, run: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        train_on_run(replace(plan, run=run), tmp_path / "out")
    assert not TRAINED
    assert not (tmp_path / "out").exists()


def test_run_without_trials_of_the_training_side_is_refused(bench: RunBench, tmp_path: Path) -> None:
    bench("run", SUITE, "--split", "generated", "-s", "student", "--learn-policy", "seven-three", "-o", "test-side")
    with pytest.raises(UsageError, match=r"expected trials of student on the training side in .*, got none of made-"):
        train_on_run(TrainingPlan(tmp_path / "test-side", policy="seven-three"), tmp_path / "out")
    bench("run", "toy", "-s", "student", "-o", "episodes")
    with pytest.raises(UsageError, match="expected a run of one suite of conversations, got 0"):
        train_on_run(TrainingPlan(tmp_path / "episodes", policy="seven-three"), tmp_path / "out")


def test_folder_of_another_training_is_refused_and_of_the_same_goes_on(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = train_on_run(TrainingPlan(run, policy="seven-three"), out)
    assert train_on_run(TrainingPlan(run, policy="seven-three"), out) == first
    with pytest.raises(StoreError, match=r"expected a folder of this training, got .* of another"):
        train_on_run(TrainingPlan(run, policy="half-random"), out)


def test_settings_reach_the_strategy(run: Path, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text("[train]\nupdates = 3\n")
    train_on_run(TrainingPlan(run, policy="seven-three", settings=tmp_path / "s.toml"), tmp_path / "out")
    assert TRAINED[0].settings == {"train": {"updates": 3}}


def test_evaluation_on_a_task_that_was_trained_on_is_refused(run: Path, bench: RunBench, tmp_path: Path) -> None:
    bench("train", str(run), "--learn-policy", "seven-three", "-o", "trained")
    words = ("run", SUITE, "--split", "generated", "-s", "student:weights=trained")
    refused = bench(*words, "-o", "leak")
    assert refused.code == 2
    assert "expected no task that trained was trained on, got 3 (made-0" in refused.err
    assert not (tmp_path / "leak").exists()
    allowed = bench(*words, "--learn-policy", "seven-three", "-o", "fair")
    assert (allowed.code, "student:weights=trained" in allowed.out) == (0, True), allowed.err
    assert bench(*words, "--learn-policy", "seven-three", "--leak", "official", "-o", "leak").code == 0


def test_weights_are_part_of_the_fingerprint_and_checkpoints_are_not(
    run: Path, bench: RunBench, tmp_path: Path
) -> None:
    bench("train", str(run), "--learn-policy", "seven-three", "-o", "trained")
    one = resolve_strategy(f"student:weights={tmp_path / 'trained'}")
    before = hash_inputs(one)
    (tmp_path / "trained" / "checkpoint.pt").write_text("no part of it")
    assert hash_inputs(one) == before
    (tmp_path / "trained" / "weights").write_text("others")
    assert hash_inputs(one) != before
    assert set(before) == {"row.weights"}
    assert hash_inputs(resolve_strategy("student")) == {}


def test_weights_are_read_once_in_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "weights").write_text("weights")
    read: list[str] = []
    monkeypatch.setattr("bench.runner.build.hash_inputs", lambda one: (read.append(one.label), hash_inputs(one))[1])
    context = build_run(RunConfig(suites=("toy",), strategies=(f"student:weights={tmp_path}",), limit=2), tmp_path)
    found = [dict(context.build_parts(plan.key).fingerprint.entries)["row.weights"] for plan in context.plans]
    assert (len(found), len(set(found)), len(read)) == (2, 1, 1)


def test_record_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    about = TrainedOn("student", "locomo-v1", ("a", "b"), 7, (), "train of seven-three")
    assert read_record(tmp_path) is None
    write_record(about, tmp_path)
    assert read_record(tmp_path) == about
    for text in ("{", "[]", '{"tasks": []}'):
        (tmp_path / "training.json").write_text(text)
        with pytest.raises(UsageError, match="expected the record of a training"):
            read_record(tmp_path)


@pytest.mark.data
def test_locomo_trains_on_its_first_seven_conversations_alone(
    data_root: Path, bench: RunBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCH_DATA", str(data_root))
    assert bench("run", "locomo:ask=2", "--split", "all", "-s", "student", "-o", "run").code == 0
    done = bench("train", "run", "--learn-split", "train", "-o", "trained")
    assert done.code == 0, done.err
    about = read_record(tmp_path / "trained")
    assert about is not None
    assert about.tasks == ("conv-26", "conv-30", "conv-41", "conv-42", "conv-43", "conv-44", "conv-47")
    assert about.left_out == ("conv-48", "conv-49", "conv-50")
    assert sum(len(task.questions) for task in TRAINED[0].tasks) == about.questions == 14
