"""A learner that is called after each attempt: one trial at a time, what it knows in its artifact, and resumable."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from bench import registry
from bench.cli.table import TableOptions, format_table
from bench.config import LearnConfig, RunConfig, read_config
from bench.errors import BudgetStop, UsageError
from bench.protocols import Kit, Strategy
from bench.runner.artifacts import read_artifact
from bench.runner.batch import run
from bench.store.ledger_queries import sum_spending
from bench.store.read import read_trials
from bench.types import Artifact, Trial

QUESTION = RunConfig(
    suites=("toy:houses=8",),
    strategies=("dynamic-cheatsheet", "reasoning-bank"),
    learn=LearnConfig(attempts=2, every="attempt"),
    steps=12,
    embedder="hash",
    workers=1,
)
LEARNED = Path("artifacts") / "toy_houses=8"


def ask(**fields: object) -> RunConfig:
    assert QUESTION.learn is not None
    learn = QUESTION.learn.model_copy(
        update={name: fields.pop(name) for name in ("every", "attempts") if name in fields}
    )
    return QUESTION.model_copy(update={"learn": learn, **fields})


def play(folder: Path, config: RunConfig = QUESTION) -> None:
    run(config, folder, root=folder)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "run"
    play(folder)
    return folder


def read_files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def list_learning(folder: Path, strategy: str) -> list[tuple[str, str, int]]:
    """Return phase, role and step of the calls of one learner."""
    with sqlite3.connect(folder / "run.sqlite") as db:
        query = (
            "SELECT phase, role, step FROM calls c JOIN trials t ON t.id = trial WHERE task = '(learning)' AND strategy"
        )
        return db.execute(f"{query} = ? ORDER BY call", [strategy]).fetchall()


def test_each_attempt_makes_its_calls_at_a_step_of_its_own(whole: Path) -> None:
    trials = read_artifact(whole / LEARNED / "dynamic-cheatsheet").about.trials
    assert list_learning(whole, "dynamic-cheatsheet") == [("learn", "distill", n) for n in range(1, trials + 1)]
    steps = {
        kind: [step for _, role, step in list_learning(whole, "reasoning-bank") if role == kind]
        for kind in ("distill", "embed")
    }
    files = len(list((whole / LEARNED / "reasoning-bank" / "items").iterdir()))
    assert steps["distill"] == list(range(1, trials + 1))
    assert len(steps["embed"]) == files < trials  # an attempt that taught nothing has no vector
    assert set(steps["embed"]) < set(steps["distill"])


def test_what_needs_nothing_but_its_artifact_learns_the_same_in_both_ways(whole: Path, tmp_path: Path) -> None:
    play(tmp_path / "once", ask(every="run", strategies=("dynamic-cheatsheet",)))
    folders = [folder / LEARNED / "dynamic-cheatsheet" for folder in (whole, tmp_path / "once")]
    each, once = map(read_artifact, folders)
    assert (each.artifact, each.digest) == (once.artifact, once.digest)
    assert (each.about.every, once.about.every) == ("attempt", "run")
    assert "every" not in (folders[1] / "manifest.toml").read_text()
    rows = json.loads(format_table([whole, tmp_path / "once"], TableOptions("json")))
    assert sorted(row["strategy"] for row in rows)[:2] == [
        "dynamic-cheatsheet (4 tasks)",
        "dynamic-cheatsheet (4 tasks, each attempt)",
    ]


def test_table_says_that_learners_were_called_after_each_attempt(whole: Path) -> None:
    assert "won; called after each);" in " ".join(format_table([whole], TableOptions("md")).split())


@pytest.mark.parametrize("share", [0.35, 0.55, 0.65])
def test_stopped_stage_goes_on_where_it_was(whole: Path, tmp_path: Path, share: float) -> None:
    spent = sum_spending(whole), sum_spending(whole / "collect" / "full-history")
    with pytest.raises(BudgetStop):
        play(tmp_path / "run", ask(max_tokens=int(share * sum(one.tokens for one in spent))))
    play(tmp_path / "run")
    assert read_files(tmp_path / "run" / "artifacts") == read_files(whole / "artifacts")
    assert sum_spending(tmp_path / "run") == spent[0]


def test_collection_does_not_depend_on_when_learners_are_called(whole: Path) -> None:
    learn = read_config(whole / "collect" / "full-history" / "run.toml").learn
    assert learn is not None
    assert learn.every == "run"


def test_learner_that_needs_all_trials_is_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"strategy expel: expected a learner that can be called after each attempt"):
        play(tmp_path / "run", ask(strategies=("reasoning-bank", "expel")))
    assert not (tmp_path / "run").exists()


def test_artifact_that_is_given_is_learned_in_any_way(tmp_path: Path) -> None:
    play(tmp_path / "made", ask(every="run", strategies=("exprag",)))
    play(tmp_path / "run", ask(strategies=("exprag",), artifacts=(str(tmp_path / "made" / "artifacts"),)))
    assert read_artifact(tmp_path / "made" / LEARNED / "exprag").about.every == "run"


SEEN: list[tuple[str, int, dict[str, tuple[str, ...]]]] = []


def keep(trial: Trial, kit: Kit) -> Artifact:
    """Add one file for the attempt."""
    before = kit.artifact
    SEEN.append((trial.key.task, trial.key.attempt, dict(before.sources)))
    name = f"{len(before.files):02d}.txt"
    return Artifact({**before.files, name: trial.opening}, {**before.sources, name: (trial.key.task,)})


def keep_all(_trials: Sequence[Trial], _kit: Kit) -> Artifact:
    raise AssertionError("not called")


def test_learner_sees_one_attempt_and_its_artifact_in_the_order_of_collectors_and_tasks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exprag = registry.load_strategy("exprag")
    made = Strategy("mine-v1", exprag.build, keep_all, keep, params=exprag.params, source="a test")
    monkeypatch.setitem(globals(), "MINE", made)
    monkeypatch.setitem(registry.builtin.STRATEGIES, "mine", f"{__name__}:MINE")
    SEEN.clear()
    learn = LearnConfig(attempts=2, every="attempt", collectors=("window:k=1", "full-history"))
    play(tmp_path / "run", QUESTION.model_copy(update={"learn": learn, "strategies": ("mine",)}))
    played = [
        trial.key
        for name in ("window_k=1", "full-history")
        for trial in read_trials(tmp_path / "run" / "collect" / name)
    ]
    names = {task: f"task-{n:04d}" for n, task in enumerate(sorted({key.task for key in played}), start=1)}
    assert [one[:2] for one in SEEN] == [(names[key.task], key.attempt) for key in played]
    assert SEEN[-1][2] == {f"{n:02d}.txt": (task,) for n, (task, _, _) in enumerate(SEEN[:-1])}
