"""Benchmark, not a test: what the strategies for long conversations cost in time, as ratios measured in one run.

Synthetic LoCoMo conversations of 30 sessions, the offline reader, one worker. Prints the wall seconds of each strategy,
writing and answering together, and how many times those of the full history they are, which writes nothing. Goal:
below 20 for strategies of this project; a wrapped package takes the time it takes.
With $BENCH_DATA it also streams LongMemEval S and prints the most memory that took. Goal: below 1 GB.
Run: ``python tests/perf/bench_conversations.py [STRATEGY ...]``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from bench.config import RunConfig
from bench.registry import load_strategy, split_names, strategy_names
from bench.runner.batch import run
from bench.store.read import read_trials
from bench.types import Shape

SUITE = "locomo:talks=2,sessions=30,turns=22,questions=120"
REFERENCE = "full-history"
S_SPLIT = """
import re
from pathlib import Path
from bench.protocols import Params, SuiteOptions
from adapters.longmemeval.suite import SUITE
suite = SUITE.build(SuiteOptions("s", Params(SUITE.params), Path({root!r})))
tasks = suite.tasks()
turns = sum(1 for task in tasks for _ in suite.open(task).events())
most = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]
print(len(tasks), turns, int(most) // 1024)
"""


def seconds(strategy: str) -> float:
    """Return the wall seconds of all trials of one strategy."""
    with tempfile.TemporaryDirectory() as folder:
        config = RunConfig(suites=(SUITE,), split="generated", strategies=(strategy,), workers=1)
        run(config, Path(folder), root=Path(folder))
        return sum(trial.wall_s for trial in read_trials(Path(folder), Shape.CONVERSATION))


def main(strategies: list[str]) -> None:
    """Measure and print."""
    base = seconds(REFERENCE)
    print(f"{REFERENCE:28} {base:7.2f} s  1.00")
    for name in strategies:
        spent = seconds(name)
        print(f"{name:28} {spent:7.2f} s {spent / base:5.2f}")
    if root := os.environ.get("BENCH_DATA"):
        began = perf_counter()
        code = S_SPLIT.format(root=str(Path(root).resolve()))
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        tasks, turns, peak_mb = done.stdout.split()
        print(f"LongMemEval S: {tasks} tasks, {turns} events in {perf_counter() - began:.0f} s, at most {peak_mb} MB")


if __name__ == "__main__":
    served = [name for name in strategy_names() if Shape.CONVERSATION in load_strategy(name).serves]
    main(split_names(",".join(sys.argv[1:])) or [name for name in served if name != REFERENCE])
