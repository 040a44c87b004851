"""ExpeL's published leak: recall among the successes of the evaluated side is refused, or allowed and marked."""

from __future__ import annotations

from pathlib import Path

from bench.runner.artifacts import read_artifact
from bench.store.dataframe import read_items
from bench.store.read import read_trials
from tests.conftest import RunBench

SUITE = "toy:houses=8"
LEARN = (SUITE, "--learn-policy", "half-random", "--embedder", "hash", "--workers", "1")


def test_task_of_the_artifact_is_refused_without_the_flag_and_marked_with_it(bench: RunBench, tmp_path: Path) -> None:
    assert bench("learn", *LEARN, "-s", "expel", "-o", "learned").code == 0
    learned = read_artifact(tmp_path / "learned" / "artifacts" / "toy_houses=8" / "expel").artifact.tasks
    evaluate = ("run", SUITE, "-s", "expel", "--artifact", "learned", "--embedder", "hash", "-o", "run")
    refused = bench(*evaluate)
    assert refused.code == 2
    assert "expected no task that it was learned from, got 4" in refused.err
    assert not (tmp_path / "run").exists()
    allowed = bench(*evaluate, "--leak", "official")
    assert allowed.code == 0, allowed.err
    assert "expel (leak): learned from tasks that it is evaluated on" in allowed.out
    assert set(learned) < set(read_items([tmp_path / "run"])["task"])


def test_leak_recalls_successes_of_the_evaluated_side_but_never_the_task_itself(
    bench: RunBench, tmp_path: Path
) -> None:
    done = bench("run", *LEARN, "-s", "full-history,expel", "--leak", "official", "-o", "leaky")
    assert done.code == 0, done.err
    assert "  expel (leak): learned from tasks that it is evaluated on" in done.out
    openings = {trial.key.task: trial.opening for trial in read_trials(tmp_path / "leaky", where="attempt > 0")}
    from_evaluated = 0
    for trial in read_trials(tmp_path / "leaky", where="strategy = 'expel' AND attempt > 0"):
        shown = " ".join(trial.steps[0].decision.context.text.split())
        recalled = {task for task, opening in openings.items() if " ".join(opening.split()) in shown}
        assert trial.key.task not in recalled
        from_evaluated += len(recalled)
    assert from_evaluated > 0


def test_without_the_leak_nothing_of_the_evaluated_side_is_recalled(bench: RunBench, tmp_path: Path) -> None:
    assert bench("run", *LEARN, "-s", "expel", "-o", "fair").code == 0
    trials = read_trials(tmp_path / "fair", where="attempt > 0")
    openings = [" ".join(trial.opening.split()) for trial in trials]
    shown = [" ".join(trial.steps[0].decision.context.text.split()) for trial in trials]
    assert all("Task (solved):" in text for text in shown)
    assert not any(opening in text for opening in openings for text in shown)
