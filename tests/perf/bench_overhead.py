"""Benchmark, not a test: what the harness itself costs per step, everything stored.

Toy world, a zero-latency scripted model that never wins, 30-step episodes. Overhead is the wall time of the whole run
less the time inside the model and the environment, divided by the steps. Run: ``python tests/perf/bench_overhead.py``.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from time import perf_counter

from bench.config import RunConfig
from bench.models.ready import ReadySource
from bench.models.scripted import ScriptedModel
from bench.runner.batch import Batch
from bench.runner.build import build_run
from bench.runner.sources import Sources
from bench.store.database import Store
from bench.store.dataframe import read_items

STRATEGIES = ("no-memory", "full-history", "truncation", "window", "bm25", "embedding")
ROUNDS = 5


def once(strategy: str) -> float:
    """Return the overhead of one run of 20 episodes, in milliseconds per step."""
    config = RunConfig(suites=("toy",), strategies=(strategy,), steps=30, workers=1)
    with tempfile.TemporaryDirectory() as folder:
        context = build_run(config, Path(folder))
        context.sources = Sources(ReadySource(ScriptedModel(lambda _messages, _role: "Action: open box")))
        with Store(Path(folder)) as store:
            store.plan(context.plans)
            began = perf_counter()
            Batch(context, store).play_all()
            wall_s = perf_counter() - began
        items = read_items([Path(folder)])
    outside_s = items["wall_model_s"].sum() + items["wall_env_s"].sum()
    return 1000 * (wall_s - outside_s) / items["steps"].sum()


def main() -> None:
    print(f"harness overhead, ms per step (median of {ROUNDS} runs of 20 episodes x 30 steps; goal: at most 1)")
    for strategy in STRATEGIES:
        times = [once(strategy) for _ in range(ROUNDS)]
        print(f"  {strategy:<14} {statistics.median(times):6.3f}   (from {min(times):.3f} to {max(times):.3f})")


if __name__ == "__main__":
    main()
