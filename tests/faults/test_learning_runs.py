"""Runs with a learning stage and attempts, killed for real while gathering, learning, evaluating, reflecting."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.test_runs import Runs, count_calls, record, rows, tables

WORDS = (
    "toy:houses=32", "-s", "full-history,reflexion,exprag", "--attempts", "2", "--steps", "9",
    "--learn-policy", "grouped-by-spec", "--learn-attempts", "2", "--workers", "2", "--embedder", "hash",
)  # fmt: skip
STREAM = ("toy:houses=6", "-s", "full-history,exprag", "--stream", "1", "--workers", "2", "--embedder", "hash")
COLLECTED = Path("collect") / "full-history"
_PATIENCE_S, _POLL_S = 120.0, 0.02


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    made = Runs(tmp_path)
    yield made
    for process in made.started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An unbroken run."""
    folder = tmp_path_factory.mktemp("learning")
    Runs(folder).finish(*WORDS, "-o", "whole")
    return folder / "whole"


def count_all(run: Path) -> int:
    return count_calls(run) + count_calls(run / COLLECTED)


def list_trials(run: Path) -> list[tuple[object, ...]]:
    key = "task, strategy, attempt"
    feedback = "SELECT task, strategy, t.attempt, f.attempt, text FROM feedback f JOIN trials t ON t.id = trial"
    return [
        *rows(run, f"SELECT {key}, status, end_reason FROM trials ORDER BY {key}"),
        *rows(run, f"{feedback} ORDER BY 1, 2, 3, 4"),
    ]


def test_run_killed_at_every_stage_ends_with_the_same_record(runs: Runs, tmp_path: Path, whole: Path) -> None:
    broken, gathered, total = tmp_path / "broken", count_calls(whole / COLLECTED), count_all(whole)
    assert 0 < gathered < total
    for calls in (gathered // 2, gathered + 1, (gathered + total) // 2):
        process = runs.start(*WORDS, "-o", "broken")
        for _ in range(int(_PATIENCE_S / _POLL_S)):
            if process.poll() is not None or count_all(broken) >= calls:
                break
            time.sleep(_POLL_S)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert process.returncode == -9, "the run was over before it was killed"
    runs.finish("broken")
    assert count_all(broken) == total  # no call was made twice
    for part in (Path(), COLLECTED):
        assert record(broken / part) == record(whole / part)
        assert list_trials(broken / part) == list_trials(whole / part)
    assert tables(broken) == tables(whole)
    texts = [{path.relative_to(run): path.read_bytes() for path in run.rglob("artifacts/*/*/*")
              if path.is_file()} for run in (broken, whole)]  # fmt: skip
    assert texts[0] == texts[1] != {}


def test_whole_run_has_reflections_and_an_artifact(whole: Path) -> None:
    roles = {role for (role,) in rows(whole, "SELECT DISTINCT role FROM calls")}
    phases = {phase for (phase,) in rows(whole, "SELECT DISTINCT phase FROM calls")}
    assert {"act", "reflect"} <= roles
    assert {"act", "write"} <= phases
    assert (whole / "artifacts" / "toy_houses=32" / "exprag" / "manifest.toml").is_file()


def test_stream_killed_three_times_ends_with_the_same_record(runs: Runs, tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    runs.finish(*STREAM, "-o", "whole")
    total = count_calls(whole)
    for share in (0.2, 0.5, 0.8):
        process = runs.start(*STREAM, "-o", "broken")
        runs.until(process, broken, int(share * total))
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert process.returncode == -9, "the run was over before it was killed"
    runs.finish("broken")
    assert record(broken) == record(whole)
    assert tables(broken) == tables(whole)
    texts = [{path.relative_to(run): path.read_bytes() for path in (run / "stream").rglob("*.t*")}
             for run in (broken, whole)]  # fmt: skip
    assert texts[0] == texts[1] != {}
