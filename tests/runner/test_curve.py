"""A learning curve: parts of one collection, learned from as a run of their own would, paid for once, resumable."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.config import LearnConfig, RunConfig, read_config
from bench.errors import BudgetStop, UsageError
from bench.runner.artifacts import read_artifact
from bench.runner.batch import Outcome, run
from bench.runner.budget import list_collections, sum_runs
from bench.runner.curve import run_curve
from bench.runner.resolve import resolve_run
from bench.store.database import DATABASE
from bench.store.dataframe import read_items
from bench.store.ledger_queries import sum_spending

QUESTION = RunConfig(
    suites=("toy:houses=16",),
    strategies=("full-history", "expel", "exprag"),
    learn=LearnConfig(attempts=2, collectors=("window:k=1", "full-history")),
    steps=14,
    embedder="hash",
    workers=2,
)
SUITE = "toy_houses=16"


def ask(**fields: object) -> RunConfig:
    return QUESTION.model_copy(update=fields)


def draw(folder: Path, *counts: int, config: RunConfig = QUESTION) -> tuple[Outcome, ...]:
    return run_curve(resolve_run(config, folder.parent), counts, folder)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "run"
    made = draw(folder, 5, 2)
    assert [outcome.folder for outcome in made] == [*(folder / "curve" / f"tasks-{n}" for n in (2, 5)), folder]
    assert [(outcome.done, outcome.unscored) for outcome in made] == [(16, 0), (16, 0), (24, 0)]
    return folder


def list_runs(folder: Path) -> list[Path]:
    parts = [path.parent for path in sorted((folder / "curve").glob(f"*/{DATABASE}"))]
    return [folder, *list_collections(folder), *parts]


def read_files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("strategy", ["expel", "exprag"])
def test_part_is_learned_as_a_run_with_so_many_training_tasks_would(whole: Path, tmp_path: Path, strategy: str) -> None:
    assert QUESTION.learn is not None
    alone = ask(strategies=(strategy,), learn=QUESTION.learn.model_copy(update={"tasks": 5}))
    run(alone, tmp_path / "run", root=tmp_path)
    made = read_artifact(whole / "curve" / "learned-5" / SUITE / strategy)
    assert made == read_artifact(tmp_path / "run" / "artifacts" / SUITE / strategy)
    assert len(made.artifact.tasks) == 5


def test_tasks_of_a_smaller_number_are_among_those_of_a_larger_one(whole: Path) -> None:
    folders = [whole / "curve" / "learned-2", whole / "curve" / "learned-5", whole / "artifacts"]
    tasks = [set(read_artifact(folder / SUITE / "expel").artifact.tasks) for folder in folders]
    assert tasks[0] < tasks[1] < tasks[2]
    assert [len(one) for one in tasks] == [2, 5, 8]


def test_collection_is_played_once_and_every_point_on_the_same_tasks(whole: Path) -> None:
    assert len(list(whole.rglob("collect"))) == 1
    evaluated = [set(read_items([folder])["task"]) for folder in (whole, *(whole / "curve").glob("tasks-*"))]
    assert evaluated == evaluated[:1] * 3
    costs = [read_artifact(folder / SUITE / "exprag").about.costs for folder in
             (whole / "curve" / "learned-2", whole / "artifacts")]  # fmt: skip
    assert costs[1].gather_tokens == sum_runs(list_collections(whole)).tokens
    assert 0 < (costs[0].gather_tokens or 0) < (costs[1].gather_tokens or 0)


def test_part_can_be_gone_on_with_by_itself_and_gathers_nothing(whole: Path) -> None:
    folder = whole / "curve" / "tasks-2"
    assert run(read_config(folder / "run.toml"), folder, root=whole.parent) == Outcome(folder, 16, 0, 16)
    assert not (folder / "collect").exists()


@pytest.mark.parametrize("share", [0.15, 0.5, 0.7, 0.97])
def test_stopped_curve_goes_on_and_pays_nothing_twice(whole: Path, tmp_path: Path, share: float) -> None:
    folder, total = tmp_path / "run", sum_runs(list_runs(whole))
    with pytest.raises(BudgetStop):
        draw(folder, 2, 5, config=ask(max_tokens=int(share * total.tokens), workers=1))
    assert sum_runs(list_runs(folder)).tokens < total.tokens
    draw(folder, 2, 5)
    assert sum_runs(list_runs(folder)) == total
    assert read_files(folder / "curve" / "learned-2") == read_files(whole / "curve" / "learned-2")


def test_what_earlier_parts_spent_counts_while_another_is_learned(tmp_path: Path) -> None:
    draw(tmp_path / "run", 2)
    spent = sum_runs(list_runs(tmp_path / "run"))
    with pytest.raises(BudgetStop, match=f"max_tokens {spent.tokens:,} reached"):
        draw(tmp_path / "run", 2, 5, config=ask(max_tokens=spent.tokens))
    assert sum_runs(list_runs(tmp_path / "run")) == spent


def test_run_that_is_there_gets_a_curve(tmp_path: Path) -> None:
    run(QUESTION, tmp_path / "run", root=tmp_path)
    spent = sum_spending(tmp_path / "run" / "collect" / "full-history")
    assert [outcome.total for outcome in draw(tmp_path / "run", 3)] == [16, 24]
    assert sum_spending(tmp_path / "run" / "collect" / "full-history") == spent


def test_suite_that_nobody_learns_on_has_no_say(tmp_path: Path) -> None:
    both = ask(suites=("toy:houses=16", "toy-talk"), strategies=("full-history", "exprag"), learn=LearnConfig())
    made = draw(tmp_path / "run", 5, config=both)  # toy-talk has fewer training tasks than that
    assert [set(read_items([outcome.folder])["suite"]) for outcome in made] == [
        {"toy:houses=16"},
        {"toy:houses=16", "toy-talk"},
    ]


@pytest.mark.parametrize(
    ("counts", "fields", "message"),
    [
        ((), {}, "expected at least one number of training tasks, got none"),
        ((0, 2), {}, "expected fewer than the 8 training tasks of toy:houses=16, and at least one, got 0"),
        ((2, 8), {}, "expected fewer than the 8 training tasks of toy:houses=16, and at least one, got 8"),
        ((2,), {"strategies": ("window",)}, "expected a strategy that learns and has no artifact yet, got window"),
        ((2,), {"learn": None, "strategies": ("window",)}, "expected a question with training tasks, got none"),
    ],
)
def test_question_without_a_curve_is_refused_before_any_work(
    counts: tuple[int, ...], fields: dict[str, object], message: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=message):
        draw(tmp_path / "run", *counts, config=ask(**fields))
    assert not (tmp_path / "run").exists()
