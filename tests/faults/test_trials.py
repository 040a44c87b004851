"""What goes wrong inside one trial: who is blamed, what it costs, and that the others go on."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.config import RunConfig
from bench.errors import BudgetStop, Interrupted, StoreError
from bench.models.ledger.meter import reserve_nothing
from bench.report.table import build_table, render_table
from bench.runner import workers
from bench.runner.batch import Outcome
from bench.runner.build import build_run
from bench.runner.simulate import Job
from bench.store.database import Spending, Store
from bench.store.dataframe import read_items
from bench.store.read import open_read_only, read_trials
from bench.types import Call, EndReason, Status, Trial, TrialKey

Play = Callable[..., Outcome]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "run"


def by_task(folder: Path) -> Mapping[str, Trial]:
    return {trial.key.task: trial for trial in read_trials(folder)}


def read_spending(folder: Path) -> Spending:
    with Store(folder) as store:
        return store.sum_spending()


def count_statuses(folder: Path) -> Counter[str]:
    db = open_read_only(folder)
    try:
        return Counter(row[0] for row in db.execute("SELECT status FROM calls"))
    finally:
        db.close()


def test_faulty_plug_in_without_faults_scores_every_trial(play: Play, folder: Path) -> None:
    assert play("faulty") == Outcome(folder, 3, 0, 3)
    assert {trial.end for trial in read_trials(folder)} == {EndReason.WON}
    assert count_statuses(folder) == {"ok": 12}


@pytest.mark.parametrize(
    ("breaks", "status", "message", "steps"),
    [
        ("open", Status.DATA_ERROR, "faulty t1: expected a button, got nothing", 0),
        ("reset", Status.ENV_ERROR, "reset: RuntimeError: the button fell off", 0),
        ("step", Status.ENV_ERROR, "step: OSError: the button is stuck", 2),
        ("model-raises", Status.MODEL_ERROR, "rule for role 'act': ConnectionError: 503", 2),
        ("model-silent", Status.MODEL_ERROR, "offline/reader: expected a reply, got an empty one", 2),
    ],
)
def test_outage_is_unscored_and_resume_completes_it(
    play: Play, folder: Path, site: Any, breaks: str, status: Status, message: str, steps: int
) -> None:
    for _ in range(2):  # the fault lasts: resuming tries again, and pays for nothing that is already known
        assert play(f"faulty:breaks={breaks}") == Outcome(folder, 2, 1, 3)
        bad = by_task(folder)["t1"]
        assert (bad.status, bad.end, bad.items, len(bad.steps)) == (status, EndReason.ERROR, (), steps)
        assert message in bad.error
        assert {trial.status for task, trial in by_task(folder).items() if task != "t1"} == {Status.DONE}
    frame = read_items([folder])
    assert frame.set_index("task")["success"].isna().to_dict() == {"t0": False, "t1": True, "t2": False}
    site.fix()
    before = read_spending(folder).calls
    assert play(f"faulty:breaks={breaks}") == Outcome(folder, 3, 0, 3)
    assert {trial.end for trial in read_trials(folder)} == {EndReason.WON}
    assert read_spending(folder).calls - before == 4 - steps - (breaks == "step")
    assert count_statuses(folder)["ok"] == 12


def test_empty_replies_stay_in_the_ledger_after_a_good_reply(play: Play, folder: Path, site: Any) -> None:
    play("faulty:breaks=model-silent")
    play("faulty:breaks=model-silent")
    assert count_statuses(folder) == {"ok": 10, "empty": 2}
    assert [(call.index, call.status) for call in by_task(folder)["t1"].calls] == [
        (0, "ok"), (1, "ok"), (2, "empty"), (2, "empty"),
    ]  # fmt: skip
    site.fix()
    play("faulty:breaks=model-silent")
    assert count_statuses(folder) == {"ok": 12, "empty": 2}


def test_changed_environment_supersedes_calls_and_plays_again(play: Play, folder: Path, site: Any) -> None:
    assert play("faulty:breaks=drift").unscored == 1
    site.fix()
    assert play("faulty:breaks=drift").unscored == 1
    bad = by_task(folder)["t1"]
    assert bad.status is Status.ENV_ERROR
    assert "replay: expected request" in bad.error
    assert count_statuses(folder) == {"ok": 8, "superseded": 3}
    assert play("faulty:breaks=drift") == Outcome(folder, 3, 0, 3)
    assert count_statuses(folder) == {"ok": 12, "superseded": 3}
    assert read_spending(folder).calls == 15


@pytest.mark.parametrize(
    ("strategy", "message", "steps"),
    [
        ("raiser", "observe: ZeroDivisionError: cannot remember", 1),
        ("hoarder", "recall: expected at most 50 context tokens, got 1", 2),
        ("chatterbox", "decide: expected at most 5 model calls for one decision, got one more", 2),
        ("unbuilt", "build unbuilt-v1: LookupError: no memory today", 0),
    ],
)
def test_strategy_error_is_scored_as_a_failure_and_noted_in_the_table(
    play: Play, folder: Path, strategy: str, message: str, steps: int
) -> None:
    outcome = play("faulty", f"notes;{strategy}", budget_tokens=50)
    assert outcome == Outcome(folder, 6, 0, 6)
    failed = [trial for trial in read_trials(folder) if trial.key.strategy == strategy]
    assert {(trial.status, trial.end, len(trial.steps)) for trial in failed} == {
        (Status.STRATEGY_ERROR, EndReason.ERROR, steps)
    }
    assert all(message in trial.error for trial in failed)
    frame = read_items([folder]).groupby("strategy")["success"].mean()
    assert frame.to_dict() == {"notes": 1.0, strategy: 0.0}
    before = read_spending(folder)
    assert play("faulty", f"notes;{strategy}", budget_tokens=50) == outcome  # a scored failure is not tried again
    assert read_spending(folder) == before
    shown = render_table(build_table(read_items([folder])), "md")
    assert "3 trials ended in an error of the strategy itself; they count as failures." in shown


def test_dead_worker_fails_its_trial_only(play: Play, folder: Path, site: Any) -> None:
    assert play("faulty-process:breaks=die") == Outcome(folder, 2, 1, 3)
    bad = by_task(folder)["t1"]
    assert bad.status is Status.ENV_ERROR
    assert "worker: expected a finished trial, got a dead process (exit -9); resume to retry" in bad.error
    assert count_statuses(folder) == {"ok": 11}  # the calls before its death are in the ledger
    site.fix()
    assert play("faulty-process:breaks=die") == Outcome(folder, 3, 0, 3)
    assert count_statuses(folder) == {"ok": 12}


def test_hanging_worker_is_ended_at_the_wall_limit(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    config = RunConfig(suites=("faulty-process:breaks=hang",), strategies=("notes",))
    bench = build_run(config, site.root)
    jobs = [Job(plan.key, plan.task) for plan in bench.plans]
    worker = workers.ProcessWorker(bench.run, Paper(), lambda: False)
    assert worker.play(jobs[0]).end is EndReason.WON
    # Only now, so that the time a process takes to start is no part of it.
    monkeypatch.setattr(workers, "_GRACE_S", 0.0)
    limited = replace(bench.run, config=config.model_copy(update={"task_wall_s": 1.0}))
    monkeypatch.setattr(worker, "_run", limited)
    bad = worker.play(jobs[1])
    assert bad.status is Status.ENV_ERROR
    assert bad.error == "worker: expected an end within 1 s, got none; resume to retry"
    monkeypatch.setattr(worker, "_run", bench.run)
    assert worker.play(jobs[2]).end is EndReason.WON  # in a new process
    worker.close()


class Paper:
    """A recorder that keeps nothing."""

    def commit_call(self, key: TrialKey, call: Call) -> None:
        pass

    def supersede(self, key: TrialKey) -> None:
        pass

    reserve = staticmethod(reserve_nothing)


def test_processes_and_threads_give_the_same_trials(play: Play, folder: Path) -> None:
    play("faulty;faulty-process", "notes;raiser")
    threads, processes = (
        [
            (t.key.task, t.key.strategy, t.status, t.end, t.items, len(t.calls), t.error)
            for t in read_trials(folder, where="suite = ?", args=[name])
        ]
        for name in ("faulty", "faulty-process")
    )
    assert threads == processes


def test_token_limit_stops_cleanly_and_a_higher_limit_resumes(play: Play, folder: Path) -> None:
    with pytest.raises(BudgetStop, match=r"max_tokens 10 reached \([\d,]+\); raise it to go on"):
        play("faulty", max_tokens=10, workers=1)
    assert count_statuses(folder) == {"ok": 1}
    with pytest.raises(BudgetStop):
        play("faulty", max_tokens=10, workers=1)
    assert count_statuses(folder) == {"ok": 1}
    assert read_trials(folder) == []
    assert play("faulty", max_tokens=10**6) == Outcome(folder, 3, 0, 3)
    assert count_statuses(folder) == {"ok": 12}
    assert play("faulty", max_tokens=10) == Outcome(folder, 3, 0, 3)  # nothing is left to stop


def test_usd_limit_that_is_not_reached_stops_nothing(play: Play, folder: Path) -> None:
    assert play("faulty", max_usd=0.01) == Outcome(folder, 3, 0, 3)


def test_other_settings_in_the_same_folder_are_refused_with_the_difference(play: Play, folder: Path) -> None:
    play("faulty", limit=1)
    before = (folder / "run.toml").read_bytes()
    with pytest.raises(StoreError, match=r"got another \(limit: 1 -> 0; steps: 0 -> 9\); undo that in run\.toml"):
        play("faulty", steps=9)
    assert (folder / "run.toml").read_bytes() == before
    assert play("faulty", limit=1, workers=1) == Outcome(folder, 1, 0, 1)


def test_edited_run_file_is_refused_with_the_difference(play: Play, folder: Path) -> None:
    play("faulty")
    path = folder / "run.toml"
    path.write_text(path.read_text().replace("steps = 0", "steps = 5"))
    with pytest.raises(StoreError, match=r"got another \(steps: 0 -> 5\)"):
        play("faulty")


def test_run_with_nothing_but_strategy_errors_says_them_and_does_not_exit_with_0(
    site: Any, bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCH_DATA", str(site.root))
    done = bench("run", "faulty", "-s", "raiser,unbuilt", "-o", "run")
    assert done.code == 1
    assert "unscored" not in done.err.splitlines()[-1]
    assert done.err.splitlines()[-3:] == [
        "run: strategy-error in 3 trials, the first is raiser@t0: observe: ZeroDivisionError: cannot remember",
        "run: strategy-error in 3 trials, the first is unbuilt@t0: build unbuilt-v1: LookupError: no memory today",
        "run: every trial in run ended in a strategy-error: no score is one of a memory",
    ]
    done = bench("run", "faulty", "-s", "raiser,notes", "-o", "other")
    assert done.code == 0  # one of the two works
    assert done.err.splitlines()[-1].startswith("run: strategy-error in 3 trials, the first is raiser@t0: ")


@pytest.mark.parametrize("how", ["moved", "deleted", "replaced"])
@pytest.mark.parametrize("suite", ["faulty", "faulty-process"])
def test_folder_that_vanishes_ends_the_run_at_the_next_commit(
    site: Any, bench: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, how: str, suite: str
) -> None:
    commit, made = Store.commit_call, list[int]()

    def vanish(store: Store, key: TrialKey, call: Call) -> None:
        made.append(1)
        if len(made) == 3:
            folder.rename(folder.with_name("away"))
            if how == "replaced":
                folder.mkdir()
                (folder / "run.sqlite").touch()
            if how == "deleted":
                shutil.rmtree(folder.with_name("away"))
        commit(store, key, call)

    monkeypatch.setattr(Store, "commit_call", vanish)
    monkeypatch.setenv("BENCH_DATA", str(site.root))
    words = ("run", suite, "-s", "notes", "--workers", "1")
    done = bench(*words, "-o", "run")
    assert (done.code, done.out, len(made)) == (2, "", 3)
    assert done.err.splitlines()[-1] == (
        "bench: run folder: expected run/run.sqlite as this run began with it, got another file or none: it was moved "
        "or deleted meanwhile; put it back, then resume: what was recorded is in it"
    )
    if how == "moved":
        assert count_statuses(folder.with_name("away")) == {"ok": 3}  # the call of that very commit too
        monkeypatch.setattr(Store, "commit_call", commit)
        folder.with_name("away").rename(folder)
        assert bench(*words, "-o", "run").code == 0
        assert count_statuses(folder) == {"ok": 12}


def test_worker_that_is_told_to_terminate_stops_the_run_and_costs_no_trial(play: Play, folder: Path, site: Any) -> None:
    with pytest.raises(Interrupted, match="stopped by the user"):
        play("faulty-process:breaks=terminate", workers=1)
    assert {trial.key.task for trial in read_trials(folder)} == {"t0"}
    assert count_statuses(folder) == {"ok": 7}
    site.fix()
    assert play("faulty-process:breaks=terminate", workers=1) == Outcome(folder, 3, 0, 3)
    assert count_statuses(folder) == {"ok": 12}
