"""The learners in whole runs: gather, learn, freeze, evaluate, with the offline model and without data."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.store.read import read_trials
from bench.types import Shape, Trial
from tests.conftest import RunBench

LEARN = ("--learn-policy", "grouped-by-spec", "--learn-tasks", "4", "--limit", "3", "--workers", "1")
SHOWN = {
    "ace": "Playbook, strategies:\n- To ",
    "awm": "Workflow: ",
    "g-memory-single": "Insights:\n- ",
    "h2r": "Sub-goal (reached): ",
    "memp": "Script:\n1. ",
}


def read(run: Path, strategy: str) -> list[Trial]:
    return read_trials(run, Shape.EPISODE, "strategy = ? AND attempt > 0", [strategy])


@pytest.mark.parametrize("strategy", SHOWN)
def test_learner_wins_toy_tasks_with_what_it_learned_in_its_prompts(
    bench: RunBench, tmp_path: Path, strategy: str
) -> None:
    done = bench("run", "toy", "-s", strategy, *LEARN, "-o", "run")
    assert done.code == 0, done.err
    trials = read(tmp_path / "run", strategy)
    assert len(trials) == 3
    for trial in trials:
        assert trial.end == "won"
        assert all(SHOWN[strategy] in step.decision.context.text for step in trial.steps)
    assert (tmp_path / "run" / "artifacts" / "toy" / strategy / "manifest.toml").is_file()


def test_one_pool_serves_all_learners(bench: RunBench, tmp_path: Path) -> None:
    done = bench(
        "run", "alfworld", "--split", "procedural", "-s", ",".join(SHOWN), *LEARN, "--steps", "15", "-o", "run"
    )
    assert done.code == 0, done.err
    for strategy in SHOWN:
        assert len(read(tmp_path / "run", strategy)) == 3
    assert [path.name for path in (tmp_path / "run" / "collect").iterdir()] == ["full-history"]


def test_failed_attempts_are_compared_with_the_one_that_won(bench: RunBench, tmp_path: Path) -> None:
    gather = ("--learn-policy", "half-random", "--learn-collectors", "reflexion", "--learn-attempts", "3")
    done = bench("run", "toy", "-s", "h2r,memp", *gather, "--steps", "9", "--limit", "1", "-o", "run")
    assert done.code == 0, done.err
    learned = tmp_path / "run" / "artifacts" / "toy"
    assert "pairs = 8\n" in (learned / "h2r" / "log" / "learning.txt").read_text()
    stages = read_trials(tmp_path / "run", Shape.EPISODE, "attempt = 0", [])
    roles = {str(call.role) for stage in stages for call in stage.calls}
    assert roles == {"infer", "insight", "segment", "ground", "embed", "distill", "update"}
