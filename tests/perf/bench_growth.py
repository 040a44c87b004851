"""Benchmark, not a test: how the time of an episode and the size of its record grow with its steps.

Toy world, a zero-latency scripted model that never wins, episodes of up to 2,000 steps. Prints the exponent fitted to
the four longest (1 = linear). Goal: linear for window and truncation; a full history is quadratic by its nature.
Run: ``python tests/perf/bench_growth.py [STRATEGY ...]``.
"""

from __future__ import annotations

import itertools
import math
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from bench.config import RunConfig
from bench.models.ready import ReadySource
from bench.models.scripted import ScriptedModel
from bench.runner.batch import Batch
from bench.runner.build import build_run
from bench.runner.sources import Sources
from bench.store.database import DATABASE, Store

STEPS = (125, 250, 500, 1000, 2000)
STRATEGIES = ("no-memory", "window:k=5", "truncation:tokens=400", "embedding", "bm25", "full-history")
ROUNDS = 3


@dataclass(frozen=True)
class Cost:
    """What one episode took."""

    wall_s: float
    size_bytes: int


def once(strategy: str, steps: int) -> Cost:
    """Play one episode of exactly ``steps`` steps."""
    config = RunConfig(suites=("toy:houses=1",), strategies=(strategy,), steps=steps, workers=1)
    rooms = itertools.cycle(("attic", "cellar", "hall", "kitchen", "library", "nursery", "pantry", "studio"))
    with tempfile.TemporaryDirectory() as folder:
        context = build_run(config, Path(folder))
        context.sources = Sources(ReadySource(ScriptedModel(lambda _messages, _role: f"Action: go to {next(rooms)}")))
        with Store(Path(folder)) as store:
            store.plan(context.plans)
            began = perf_counter()
            Batch(context, store).play_all()
            wall_s = perf_counter() - began
        return Cost(wall_s, (Path(folder) / DATABASE).stat().st_size)


def exponent(xs: list[float], ys: list[float]) -> float:
    """Return the slope of a least-squares line through the logarithms."""
    logs = [(math.log(x), math.log(y)) for x, y in zip(xs, ys, strict=True)]
    mean_x, mean_y = (sum(column) / len(logs) for column in zip(*logs, strict=True))
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


def main(strategies: tuple[str, ...]) -> None:
    print(f"growth with steps {STEPS}; exponent over {STEPS[1:]}, best of {ROUNDS}")
    print(f"  {'strategy':<24} {'s at 2000':>10} {'time ~ n^':>10} {'MB at 2000':>11} {'size ~ n^':>10}")
    for strategy in strategies:
        costs = [min((once(strategy, n) for _ in range(ROUNDS)), key=lambda cost: cost.wall_s) for n in STEPS]
        xs = [float(n) for n in STEPS[1:]]
        time_grows = exponent(xs, [cost.wall_s for cost in costs[1:]])
        size_grows = exponent(xs, [float(cost.size_bytes) for cost in costs[1:]])
        wall_s, size_mb = costs[-1].wall_s, costs[-1].size_bytes / 1e6
        print(f"  {strategy:<24} {wall_s:>10.2f} {time_grows:>10.2f} {size_mb:>11.2f} {size_grows:>10.2f}")


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or STRATEGIES)
