"""``python -m baselines.horma.train -o DIR``: train the toy navigator and compare it. Continues where it stopped."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import torch

from baselines.horma.train.recipe import TOY, ToySize, compare, train_toy
from baselines.horma.train.records import UpdateLog, write_rows


def main() -> None:
    """Train one navigator a seed; write DIR/curve-SEED.csv, DIR/test-SEED.csv and DIR/SEED/navigator."""
    parser = argparse.ArgumentParser(prog="python -m baselines.horma.train", description="Train the toy navigator.")
    parser.add_argument("-o", "--out", type=Path, required=True, help="where to write")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--updates", type=int, default=TOY.updates)
    parser.add_argument("--tests", type=int, default=ToySize().test, help="held-out tasks")
    given = parser.parse_args()
    torch.set_num_threads(1)  # faster for a model this small, and the same sums on every machine
    settings, size = replace(TOY, seed=given.seed, updates=given.updates), ToySize(test=given.tests)
    log, rows = train_toy(settings, size, given.out / str(given.seed), _report)
    write_rows(log, given.out / f"curve-{given.seed}.csv")
    write_rows([*rows, *compare(given.seed, size)], given.out / f"test-{given.seed}.csv")


def _report(log: UpdateLog) -> None:
    print(f"update {log.update}: reward {log.reward:.3f}, {log.replies:.1f} replies", file=sys.stderr)


if __name__ == "__main__":
    main()
