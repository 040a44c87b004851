"""A stream: each block is played with what was learned from those before alone, and a stopped one goes on."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.cli.table import TableOptions, format_table
from bench.config import LearnConfig, RunConfig
from bench.errors import BudgetStop, StoreError, UsageError
from bench.export.items import select_items
from bench.runner.artifacts import read_artifact
from bench.runner.batch import Outcome, learn_resolved, run
from bench.runner.build import RunContext
from bench.runner.progress import RunProgress
from bench.runner.resolve import resolve_run
from bench.runner.streaming import order_tasks, play_stream
from bench.store.database import Plan, Store
from bench.store.dataframe import read_items
from bench.store.ledger_queries import sum_spending
from bench.store.read import open_read_only, read_trials
from bench.types import Task, Trial

QUESTION = RunConfig(
    suites=("toy:houses=7",),
    strategies=("full-history", "exprag", "exprecent"),
    stream=2,
    seeds=(0, 1),
    embedder="hash",
    workers=2,
)
SUITE = "toy:houses=7"
LEARNED = Path("stream") / "toy_houses=7" / "exprag"


def ask(**fields: object) -> RunConfig:
    return QUESTION.model_copy(update=fields)


def play(folder: Path, config: RunConfig = QUESTION) -> Outcome:
    return run(config, folder, root=folder)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "run"
    assert play(folder) == Outcome(folder, 42, 0, 42)
    return folder


def read_order(folder: Path, seed: int) -> list[str]:
    db = open_read_only(folder)
    try:
        (text,) = db.execute("SELECT value FROM meta WHERE key = ?", (f"stream order of seed {seed}",)).fetchone()
    finally:
        db.close()
    order: list[str] = json.loads(text)[SUITE]
    return order


def list_recalled(trial: Trial, openings: dict[str, str]) -> set[str]:
    """Return the tasks that the first prompt of a trial shows solved."""
    shown = " ".join(trial.steps[0].decision.context.text.split())
    return {task for task, opening in openings.items() if " ".join(opening.split()) in shown}


def write_tables(folder: Path) -> list[str]:
    """Return the tables of a run as they are printed, and the items that they are made of."""
    items = read_items([folder])
    stable = items[[name for name in items.columns if not name.startswith("wall_")]]
    return [*(format_table([folder], TableOptions(kind)) for kind in ("md", "rich", "latex")), stable.to_csv()]


def read_files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# --- the order


@given(st.sets(st.text("abc123", min_size=1), min_size=1), st.integers(0, 9))
def test_order_is_that_of_the_seed_whatever_order_the_tasks_come_in(names: set[str], seed: int) -> None:
    tasks = [Task(name, "toy", "houses", "g", name) for name in sorted(names)]
    order = order_tasks(tasks, seed)
    assert sorted(task.id for task in order) == sorted(names)
    assert order_tasks(tasks[::-1], seed) == order
    assert order_tasks(tasks[1:], seed) == [task for task in order if task != tasks[0]]


def test_order_of_each_seed_is_recorded_and_its_own(whole: Path) -> None:
    first, second = read_order(whole, 0), read_order(whole, 1)
    assert first != second
    assert set(first) == set(second) == set(read_items([whole])["task"])


# --- what a trial may know


@pytest.mark.parametrize("strategy", ["exprag", "exprecent"])
def test_trial_recalls_tasks_of_earlier_blocks_alone(whole: Path, strategy: str) -> None:
    trials = read_trials(whole, where="strategy = ? AND attempt > 0", args=[strategy])
    openings = {trial.key.task: trial.opening for trial in trials}
    for trial in trials:
        order = read_order(whole, trial.key.seed)
        start = order.index(trial.key.task) // 2 * 2
        recalled = list_recalled(trial, openings)
        assert recalled <= set(order[:start])
        assert len(recalled) == min(2, start)
        if strategy == "exprecent":  # the last in the order of play, not in that of names
            assert recalled == set(order[max(0, start - 2) : start])


def test_artifact_of_each_update_is_kept_with_the_tasks_it_came_from(whole: Path) -> None:
    for seed in (0, 1):
        folders = sorted((whole / LEARNED / f"seed-{seed}").iterdir())
        assert [folder.name for folder in folders] == ["after-0002", "after-0004", "after-0006"]
        for folder, count in zip(folders, (2, 4, 6), strict=True):
            assert set(read_artifact(folder).artifact.tasks) == set(read_order(whole, seed)[:count])


def test_strategy_that_does_not_learn_plays_as_without_a_stream(whole: Path, tmp_path: Path) -> None:
    play(tmp_path, ask(strategies=("full-history",), stream=0))
    plain, streamed = (
        {(str(t.key), tuple(step.decision.text for step in t.steps)) for t in read_trials(folder, where=where)}
        for folder, where in ((tmp_path, "1"), (whole, "strategy = 'full-history'"))
    )
    assert plain == streamed


# --- costs and tables


def test_what_all_updates_took_is_shared_out_among_all_trials(whole: Path) -> None:
    rows = {row["strategy"]: row for row in json.loads(format_table([whole], TableOptions("json")))}
    stages = read_trials(whole, where="strategy = 'exprag' AND attempt = 0")
    took = sum((call.usage.prompt or 0) + (call.usage.completion or 0) for one in stages for call in one.calls)
    assert len(stages) == 6
    assert took > 0
    assert rows["exprag"]["tokens_learn"] == pytest.approx(took / 14)
    assert rows["exprag"]["tokens_gather"] == rows["full-history"]["tokens_build"] == 0


def test_table_says_that_memory_was_updated(whole: Path) -> None:
    text = " ".join(format_table([whole], TableOptions("md")).split())
    assert "exprag, exprecent learned from the tasks before, in the order of each seed, updated after every 2" in text


def test_items_know_their_place_and_the_table_its_thirds(whole: Path) -> None:
    items = read_items([whole])
    for (seed, _), part in items.groupby(["seed", "strategy"]):
        assert part.sort_values("place")["task"].tolist() == read_order(whole, int(str(seed)))
    last = items[items["place"] > 4].groupby(["strategy", "seed"])["success"].mean()
    (row,) = (row for row in json.loads(format_table([whole], TableOptions("json"))) if row["strategy"] == "exprag")
    assert row["success_last_third"] == pytest.approx(last["exprag"].mean())
    assert row["last_third_lowest"] == pytest.approx(last["exprag"].min())
    assert select_items([whole], ["place"])["place"].tolist() == select_items([whole])["place"].tolist()


def test_stream_shares_no_table_with_what_was_learned_beforehand(whole: Path, tmp_path: Path) -> None:
    learned = ask(stream=0, strategies=("exprag:k=1",), learn=LearnConfig())
    play(tmp_path / "sides", learned)
    given_ = ask(
        stream=0, strategies=("exprag:k=1",), artifacts=(str(tmp_path / "sides" / "artifacts"),), leak="official"
    )
    play(tmp_path / "given", given_)
    for other in ("sides", "given"):
        with pytest.raises(UsageError, match=r"env\.(learning|side)"):
            format_table([whole, tmp_path / other])


# --- going on after a stop


@pytest.mark.parametrize("share", [0.05, 0.3, 0.55, 0.8, 0.99])
def test_stopped_stream_ends_with_the_same_tables_and_artifacts(whole: Path, tmp_path: Path, share: float) -> None:
    folder = tmp_path / "run"
    with pytest.raises(BudgetStop):
        play(folder, ask(max_tokens=int(share * sum_spending(whole).tokens), workers=1))
    assert play(folder) == Outcome(folder, 42, 0, 42)
    assert write_tables(folder) == write_tables(whole)
    assert read_files(folder / "stream") == read_files(whole / "stream")
    assert sum_spending(folder) == sum_spending(whole)  # no call was made twice


def test_update_that_was_changed_by_hand_is_refused(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with pytest.raises(BudgetStop):
        play(folder, ask(max_tokens=int(0.3 * sum_spending(whole).tokens), workers=1))
    for file in (folder / "stream").rglob("experience/*.txt"):
        file.write_text("by hand")
    with pytest.raises(UsageError, match="expected it as it was learned"):
        play(folder)


def test_lost_update_of_the_block_under_way_is_made_again_from_the_ledger(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with pytest.raises(BudgetStop):
        play(folder, ask(max_tokens=int(0.3 * sum_spending(whole).tokens), workers=1))
    shutil.rmtree(folder / "stream")
    play(folder)
    assert write_tables(folder) == write_tables(whole)


def test_stream_ends_after_a_block_with_a_trial_that_has_no_score(tmp_path: Path) -> None:
    parts: list[tuple[Plan, ...]] = []

    def lose(_progress: RunProgress, part: tuple[Plan, ...]) -> int:
        parts.append(part)
        return 1

    context = RunContext(resolve_run(QUESTION, tmp_path))
    with Store(tmp_path / "run") as store:
        store.plan(context.plans)
        play_stream(context, store, None, lose)
    assert [len(part) for part in parts] == [6]  # two tasks, three strategies, one seed
    assert {plan.key.seed for plan in parts[0]} == {0}


# --- what is refused


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"learn": LearnConfig()}, "expected memories that begin empty, got a learning stage too"),
        ({"artifacts": ("nowhere",)}, "artifact nowhere"),
        ({"strategies": ("window", "full-history")}, "expected a strategy that learns, got window, full-history"),
    ],
)
def test_question_that_is_no_stream_is_refused(tmp_path: Path, fields: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        play(tmp_path / "run", ask(**fields))
    assert not (tmp_path / "run").exists()


def test_artifact_beside_a_stream_is_refused(whole: Path, tmp_path: Path) -> None:
    given_ = ask(strategies=("exprag",), artifacts=(str(whole / LEARNED / "seed-0" / "after-0006"),))
    with pytest.raises(UsageError, match="expected memories that begin empty, got an artifact too"):
        play(tmp_path / "run", given_)


def test_learning_alone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="got a stream; play it with bench run"):
        learn_resolved(resolve_run(QUESTION, tmp_path), tmp_path / "run")


def test_other_stream_in_the_same_folder_is_refused(whole: Path) -> None:
    with pytest.raises(StoreError, match="stream: 2 -> 3"):
        play(whole, ask(stream=3))
