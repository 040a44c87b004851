"""What happens to a whole run: killed, interrupted, out of disk, started twice. Every run here is a real process."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bench.report.table import FORMATS, build_table, render_table
from bench.store.dataframe import read_items

COMMAND = (sys.executable, "-c", "from bench.cli.app import main; main()", "run")
TOY = ("toy:houses=24", "toy-talk", "-s", "no-memory,full-history,embedding", "--workers", "2")
PDDL = (
    "pddl",
    "--split",
    "generated",
    "-s",
    "full-history,window:k=5",
    "--limit",
    "3",
    "--seeds",
    "0,1,2",
    "--workers",
    "2",
)
_PATIENCE_S, _POLL_S = 120.0, 0.02


@dataclass
class Runs:
    """Starts ``bench run`` in processes of their own and makes sure that none outlives its test."""

    folder: Path
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    def start(self, *words: str, before: Sequence[str] = ()) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*before, *COMMAND, *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
        self.started.append(process)
        return process

    def finish(self, *words: str) -> str:
        process = self.start(*words)
        out, err = process.communicate(timeout=_PATIENCE_S)
        assert process.returncode == 0, err
        return out

    def until(self, process: subprocess.Popen[str], run: Path, calls: int) -> None:
        """Return once the run's ledger holds so many calls, which is a moment that no clock decides."""
        for _ in range(int(_PATIENCE_S / _POLL_S)):
            if process.poll() is not None or count_calls(run) >= calls:
                return
            time.sleep(_POLL_S)
        raise AssertionError("the run does not get on")


@pytest.fixture(scope="module")
def whole_toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An unbroken run."""
    folder = tmp_path_factory.mktemp("toy")
    Runs(folder).finish(*TOY, "-o", "whole")
    return folder / "whole"


@pytest.fixture(scope="module")
def whole_pddl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An unbroken run in worker processes."""
    folder = tmp_path_factory.mktemp("pddl")
    Runs(folder).finish(*PDDL, "-o", "whole")
    return folder / "whole"


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    made = Runs(tmp_path)
    yield made
    for process in made.started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def count_calls(run: Path) -> int:
    """How many calls the ledger holds; 0 where there is no ledger yet."""
    try:
        ((count,),) = rows(run, "SELECT COUNT(*) FROM calls")
        return int(str(count))
    except sqlite3.Error:
        return 0


def rows(run: Path, query: str) -> list[tuple[object, ...]]:
    db = sqlite3.connect(f"{(run / 'run.sqlite').as_uri()}?mode=ro", uri=True)
    try:
        return db.execute(query).fetchall()
    finally:
        db.close()


def record(run: Path) -> object:
    """Everything that a run recorded but the wall times."""
    key = "t.suite, t.task, t.strategy, t.seed"
    columns = {
        "trials": "x.status, x.end_reason, x.error, x.opening, x.fingerprint",
        "items": "x.item, x.grp, x.cluster, x.scores",
        "steps": "x.step, x.stimulus, x.context, x.decision, x.observation, x.progress, x.prompt_tokens",
        "calls": "x.call, x.attempt, x.phase, x.role, x.step, x.request_hash, x.reply, x.prompt, x.status",
    }
    return {
        table: rows(run, f"SELECT {key}, {names} FROM {table} x JOIN trials t ON t.id = x.{of} ORDER BY {key}, {names}")
        for table, names in columns.items()
        for of in ["id" if table == "trials" else "trial"]
    }


def tables(run: Path) -> dict[str, str]:
    """The run's table in every format, less the wall times of JSON."""
    made = build_table(read_items([run]), reference="full-history")
    shown = {style: render_table(made, style, width=200, color=False) for style in FORMATS if style != "json"}
    lines = json.loads(render_table(made, "json"))
    for row in lines:
        for name in [name for name in row if name.startswith("wall_")]:
            del row[name]
    return {**shown, "json": json.dumps(lines)}


@pytest.mark.parametrize(("name", "words"), [("whole_toy", TOY), ("whole_pddl", PDDL)])
def test_run_killed_three_times_ends_with_the_same_record(
    runs: Runs, tmp_path: Path, request: pytest.FixtureRequest, name: str, words: tuple[str, ...]
) -> None:
    whole, broken = request.getfixturevalue(name), tmp_path / "broken"
    total = count_calls(whole)
    moments = sorted(random.Random(name).sample(range(1, total * 9 // 10), 3))
    for calls in moments:
        process = runs.start(*words, "-o", "broken", "--workers", "1")  # another number than the unbroken run's
        runs.until(process, broken, calls)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert process.returncode == -9, "the run was over before it was killed"
        assert count_calls(broken) >= calls
    assert count_calls(broken) < total
    runs.finish("broken")
    assert count_calls(broken) == total  # no call was made twice
    assert record(broken) == record(whole)
    assert tables(broken) == tables(whole)


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("toy:houses=200", *TOY[1:]), id="threads"),
        pytest.param((*PDDL, "--limit", "10", "--steps", "60"), id="processes"),
    ],
)  # long runs: a busy machine may look at the ledger late
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_exits_with_130_and_the_same_command_resumes(
    runs: Runs, tmp_path: Path, words: tuple[str, ...], number: signal.Signals
) -> None:
    process = runs.start(*words, "-o", "run")
    runs.until(process, tmp_path / "run", 3)
    os.killpg(process.pid, number)  # as a terminal does: the workers get it too
    out, err = process.communicate(timeout=_PATIENCE_S)
    assert process.returncode == 130, err
    assert err.splitlines()[-1] == "bench: run: stopped by the user; the same command goes on from here"
    assert "Traceback" not in err
    assert out == ""
    before = count_calls(tmp_path / "run")
    assert before >= 3
    committed = rows(tmp_path / "run", "SELECT trial, call, attempt, latency_s FROM calls")
    runs.finish(*words, "-o", "run")
    after = rows(tmp_path / "run", "SELECT trial, call, attempt, latency_s FROM calls")
    assert set(committed) < set(after)
    assert {status for (status,) in rows(tmp_path / "run", "SELECT status FROM trials")} == {"done"}


def test_second_process_on_one_folder_is_refused(runs: Runs, tmp_path: Path) -> None:
    first = runs.start(*TOY, "-o", "run")
    runs.until(first, tmp_path / "run", 5)
    first.send_signal(signal.SIGSTOP)  # so that it cannot be done before the second has begun
    second = runs.start(*TOY, "-o", "run")
    out, err = second.communicate(timeout=_PATIENCE_S)
    assert (second.returncode, out) == (2, "")
    assert err == (
        f"bench: run folder: expected no other run on run, got one (process {first.pid}); wait for it or stop it\n"
    )
    first.send_signal(signal.SIGCONT)
    first.communicate(timeout=_PATIENCE_S)
    assert first.returncode == 0


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="limits on file size are another matter on this system")
def test_full_disk_ends_the_run_with_one_error_and_loses_nothing(runs: Runs, tmp_path: Path, whole_toy: Path) -> None:
    limited = ["bash", "-c", 'ulimit -f 400; exec "$@"', "limited"]
    process = runs.start(*TOY, "-o", "run", before=limited)
    out, err = process.communicate(timeout=_PATIENCE_S)
    assert (process.returncode, out) == (2, "")
    last = err.splitlines()[-1]
    assert last.startswith("bench: run folder: expected a writable folder with free space, got run (")
    assert last.endswith("free space or choose another with -o, then resume: what was recorded is intact")
    assert "Traceback" not in err
    run = tmp_path / "run"
    calls = count_calls(run)
    assert calls > 0
    runs.finish("run")
    assert record(run) == record(whole_toy)
    assert rows(run, "PRAGMA integrity_check") == [("ok",)]
