"""Attempts: which trial comes next, what the next one begins with, and that a killed run pays for nothing twice."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bench.cli.table import TableOptions, format_table
from bench.config import RunConfig
from bench.errors import BudgetStop
from bench.report.items import prepare
from bench.runner.attempts import follow, list_open
from bench.runner.batch import run
from bench.runner.concealment import conceal
from bench.runner.parts import seed_of
from bench.store.database import Plan
from bench.store.dataframe import read_items
from bench.store.read import read_trials
from bench.store.rows import TrialRow
from bench.types import EndReason, Evidence, Phase, Status, Task, Trial, TrialKey

KEY = TrialKey("toy", "houses", "house-000", "reflexion", "offline/reader")
PLAN = Plan(KEY, Task("house-000", "toy-v1", "houses", "04 rooms", "house-000"))
QUESTION = RunConfig(
    suites=("toy:houses=8",), strategies=("full-history", "reflexion"), attempts=3, steps=5, embedder="hash", workers=2
)


def at(attempt: int) -> TrialKey:
    return TrialKey(KEY.suite, KEY.split, KEY.task, KEY.strategy, KEY.model, 0, attempt)


@pytest.mark.parametrize(
    ("status", "end", "attempts", "expected"),
    [
        (Status.DONE, EndReason.STEP_CAP, 2, 2),
        (Status.DONE, EndReason.WON, 2, None),
        (Status.DONE, EndReason.STEP_CAP, 1, None),
        (Status.STRATEGY_ERROR, EndReason.ERROR, 2, 2),
        (Status.MODEL_ERROR, EndReason.ERROR, 2, None),
    ],
)
def test_follow_plans_another_attempt_after_a_scored_failure(
    status: Status, end: EndReason, attempts: int, expected: int | None
) -> None:
    following = follow(PLAN, Trial(KEY, status, end), attempts)
    assert (following.key.attempt if following else None) == expected


def test_list_open_returns_the_first_attempt_without_a_score() -> None:
    first, second = TrialRow(1, at(1), "done", end="step-cap"), TrialRow(2, at(2), "planned")
    assert [plan.key for plan in list_open([PLAN], [first, second])] == [at(2)]
    assert list_open([PLAN], [first]) == []
    assert [plan.key for plan in list_open([PLAN], [TrialRow(1, at(1), "model-error")])] == [at(1)]


def read_everything(folder: Path) -> list[tuple[object, ...]]:
    """The record of a run less wall times, in the order of its keys."""
    with sqlite3.connect(folder / "run.sqlite") as db:
        key, of = "t.task, t.strategy, t.attempt", "JOIN trials t ON t.id = trial"
        return [
            *db.execute(f"SELECT {key}, status, end_reason, fingerprint FROM trials t ORDER BY {key}"),
            *db.execute(f"SELECT {key}, call, request_hash, reply, phase, role FROM calls c {of} ORDER BY {key}, call"),
            *db.execute(f"SELECT {key}, f.attempt, text FROM feedback f {of} ORDER BY {key}, 4"),
        ]  # fmt: skip


def make_table(folder: Path) -> object:
    rows = json.loads(format_table([folder], TableOptions("json")))
    return [{name: value for name, value in row.items() if not name.startswith("wall_")} for row in rows]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    run(QUESTION, folder, root=folder)
    return folder


@pytest.mark.parametrize("tokens", [8_000, 15_000, 22_000])
def test_stopped_run_ends_as_one_that_was_not_stopped(whole: Path, tmp_path: Path, tokens: int) -> None:
    with pytest.raises(BudgetStop):
        run(QUESTION.model_copy(update={"max_tokens": tokens}), tmp_path, root=tmp_path)
    run(QUESTION, tmp_path, root=tmp_path)
    assert read_everything(tmp_path) == read_everything(whole)
    assert make_table(tmp_path) == make_table(whole)


def test_next_attempt_begins_with_all_reflections_and_its_prompt_shows_them(whole: Path) -> None:
    trials = {(t.key.task, t.key.attempt): t for t in read_trials(whole, where="strategy = 'reflexion'")}
    third = [trial for (_, attempt), trial in trials.items() if attempt == 3]
    assert third
    for trial in third:
        second = trials[trial.key.task, 2]
        assert trial.feedback == (*second.feedback, trial.feedback[-1])
        assert all(text in trial.steps[0].decision.context.text for text in trial.feedback)
        reflections = [call for call in trial.calls if call.role == "reflect"]
        assert [(call.phase, call.step) for call in reflections] == [(Phase.WRITE, 0)]


def test_strategy_without_reflection_repeats_with_the_attempt_in_the_seed(whole: Path) -> None:
    again = read_trials(whole, where="strategy = 'full-history' AND attempt > 1")
    assert again
    assert all(trial.feedback == () for trial in again)
    assert seed_of(again[0].key) != seed_of(replace(again[0].key, attempt=1))


def test_won_task_is_not_tried_again(whole: Path) -> None:
    items = read_items([whole])
    won = items[(items["success"] == 1.0)]
    later = items.merge(won[["task", "strategy", "attempt"]], on=["task", "strategy"], suffixes=("", "_won"))
    assert (later["attempt"] <= later["attempt_won"]).all()


def test_table_keeps_first_attempts_apart_from_all_attempts(whole: Path) -> None:
    rows = {row["strategy"]: row for row in json.loads(format_table([whole], TableOptions("json")))}
    reflexion, plain = rows["reflexion"], rows["full-history"]
    assert reflexion["success_rate"] == plain["success_rate"]
    assert reflexion["success_at_attempt_1"] == reflexion["success_rate"]
    assert reflexion["success_at_n"] == reflexion["success_at_attempt_3"] > reflexion["success_rate"]
    assert reflexion["success_at_n_low"] < reflexion["success_at_n"] <= reflexion["success_at_n_high"]
    assert plain["success_at_n"] == plain["success_rate"]
    assert reflexion["tokens_at_n"] > reflexion["tokens_total"]


def test_attempt_without_a_score_leaves_the_best_of_all_unknown(whole: Path) -> None:
    items = read_items([whole])
    lost = items.index[(items["attempt"] == 2) & (items["success"] == 0.0)][0]
    items.loc[lost, "scored"] = False
    task, strategy = items.loc[lost, ["task", "strategy"]]
    folded = prepare(items)
    row = folded[(folded["task"] == task) & (folded["strategy"] == strategy)].iloc[0]
    assert row["attempt"] == 1
    assert bool(row[["success_at_n", "success_at_attempt_2", "tokens_at_n"]].isna().all()) == (row["success_at_n"] != 1)
    assert row["success_at_attempt_1"] == 0.0


def test_conversation_is_asked_once_whatever_the_attempts(tmp_path: Path) -> None:
    config = RunConfig(suites=("toy-talk",), strategies=("no-memory",), attempts=3, embedder="hash", limit=2)
    outcome = run(config, tmp_path, root=tmp_path)
    assert (outcome.done, outcome.total) == (2, 2)


def test_concealed_trial_holds_texts_and_no_scores(whole: Path) -> None:
    recorded = read_trials(whole)[0]
    known = replace(recorded, steps=tuple(replace(step, evidence=Evidence(("o1",))) for step in recorded.steps))
    trial = conceal(known, "task-1")
    assert (trial.key.suite, trial.key.task, trial.items, trial.calls, trial.fingerprint.entries) == (
        "", "task-1", (), (), (),
    )  # fmt: skip
    assert trial.opening.startswith("You are in")
    assert {step.observation.progress for step in trial.steps} == {0.0}
    assert {step.evidence for step in trial.steps} == {None}
    assert "toy" not in repr(trial).lower()


@pytest.fixture
def kill_at(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Let the run die in the middle of a commit, as a kill between attempts would."""

    def arm(number: int) -> None:
        from bench.store.database import Store  # noqa: PLC0415

        finish, count = Store.finish, iter(range(1_000_000))

        def die(store: Store, *args: object) -> None:
            if next(count) == number:
                raise KeyboardInterrupt
            finish(store, *args)  # type: ignore[arg-type]

        monkeypatch.setattr(Store, "finish", die)

    return arm


@pytest.mark.parametrize("number", [3, 14, 20])
def test_run_killed_before_an_attempt_is_recorded_goes_on_from_there(
    whole: Path, tmp_path: Path, kill_at: Callable[[int], None], monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    kill_at(number)
    with pytest.raises(KeyboardInterrupt):
        run(QUESTION, tmp_path, root=tmp_path)
    monkeypatch.undo()
    run(QUESTION, tmp_path, root=tmp_path)
    assert read_everything(tmp_path) == read_everything(whole)
