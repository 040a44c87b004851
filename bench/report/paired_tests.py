"""Two rows of a block, task by task, and the tests between them. Knows no table and no format."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from bench.report.aggregate import ALL, TASK
from bench.report.items import Block
from bench.report.row import Row
from bench.scoring.metrics import lower_is_better
from bench.stats.effect import rank_biserial
from bench.stats.holm import holm
from bench.stats.interval import seed_of
from bench.stats.power import detectable_shift
from bench.stats.signflip import sign_flip
from bench.stats.wilcoxon import signed_rank

__all__ = ["BY_CLUSTER", "Pairs", "paired", "tested"]

_TESTED = ("progress", "success", "judge_accuracy", "f1")
"""The table tests the first of these that the block has."""
BY_CLUSTER = "clusters,"
"""How a test method begins that takes whole clusters as its units."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """The tasks scored for both, repeats averaged; ``sign`` is -1 where less is better."""

    tasks: tuple[str, ...]
    clusters: tuple[str, ...]
    first: tuple[float, ...]
    second: tuple[float, ...]
    sign: int = 1

    @property
    def differences(self) -> tuple[float, ...]:
        """First minus second."""
        return tuple(a - b for a, b in zip(self.first, self.second, strict=True))

    @property
    def gains(self) -> tuple[float, ...]:
        """The same, turned so that positive = the first is better."""
        return tuple(self.sign * d for d in self.differences)

    @property
    def binary(self) -> bool:
        return set(self.first) | set(self.second) <= {0.0, 1.0}


def paired(first: pd.DataFrame, second: pd.DataFrame, metric: str) -> Pairs:
    """Pair by task, item and seed what is scored on both sides, then average the repeats of a task."""
    key = [*TASK, "seed"]
    sides = [
        side[side["scored"]][[*key, "cluster", metric]].astype({metric: float}).dropna(subset=[metric])
        for side in (first, second)
    ]
    both = sides[0].merge(sides[1].drop(columns="cluster"), on=key, suffixes=("_first", "_second"))
    grouped = both.groupby(TASK, sort=True)
    means = grouped[[f"{metric}_first", f"{metric}_second"]].mean()
    names = tuple(task if task == item else f"{task} {item}" for task, item in means.index)
    return Pairs(
        names,
        tuple(map(str, grouped["cluster"].first())),
        tuple(map(float, means[f"{metric}_first"])),
        tuple(map(float, means[f"{metric}_second"])),
        -1 if lower_is_better(metric) else 1,
    )


def tested(rows: Sequence[Row], block: Block, reference: str) -> tuple[Row, ...]:
    """Return the rows with their tests against the reference row, Holm-adjusted.

    One family is one block and metric: all strategies over all tasks, and, apart from it, all group rows together.
    """
    metric = next((name for name in _TESTED if _has(block, name)), None)
    if metric is None or reference not in block.strategies:
        return tuple(rows)
    base = {row.group: row for row in rows if row.strategy == reference}
    done = [_relative(_tested(row, block, reference, metric), base[row.group]) for row in rows]
    for whole in (True, False):
        # A row that was told the evidence is no competitor: it makes nobody else's test harder.
        places = [i for i, row in enumerate(done) if (row.group == ALL) is whole and not row.privileged]
        adjusted = holm([done[i].p_value for i in places])
        for place, p in zip(places, adjusted, strict=True):
            done[place] = replace(done[place], p_adjusted=p)
    return tuple(done)


def _relative(row: Row, base: Row) -> Row:
    """Return the row with its context and wall time as a share of the reference row's."""
    return replace(
        row,
        context_relative=_share(row.context_tokens_mean, base.context_tokens_mean),
        wall_relative=_share(_wall_s(row), _wall_s(base)),
    )


def _wall_s(row: Row) -> float | None:
    parts = (row.wall_model_s, row.wall_env_s, row.wall_memory_s, row.wall_harness_s)
    return None if any(part is None for part in parts) else sum(part or 0.0 for part in parts)


def _share(mine: float | None, base: float | None) -> float | None:
    return None if mine is None or not base else mine / base


def _has(block: Block, metric: str) -> bool:
    return metric in block.items.columns and bool(block.items[metric].notna().any())


def _tested(row: Row, block: Block, reference: str, metric: str) -> Row:
    row = replace(row, reference=reference, test_metric=metric)
    if row.strategy == reference:
        return row
    mine, theirs = block.of(row.strategy), block.of(reference)
    if row.group != ALL:
        mine, theirs = mine[mine["group"] == row.group], theirs[theirs["group"] == row.group]
    pairs = paired(mine, theirs, metric)
    if not pairs.tasks:
        return replace(row, n_pairs=0)
    if row.clusters == 1:  # one conversation says nothing about others
        return replace(row, n_pairs=len(pairs.tasks))
    test = signed_rank(pairs.gains)
    gains = np.asarray(pairs.gains).round(9)
    p_value, method = test.p, test.method
    if row.clusters is not None:
        seed = seed_of(row.suite, row.split, row.group, row.model, str(row.attempt), metric, "flip")
        flipped = sign_flip(pairs.gains, pairs.clusters, seed=seed)
        p_value, method = flipped.p, f"{BY_CLUSTER} {flipped.method}"
    return replace(
        row,
        p_value=p_value,
        effect_size=rank_biserial(test),
        test_method=method,
        n_pairs=test.n,
        n_nonzero=test.n_nonzero,
        wins=int((gains > 0).sum()),
        ties=int((gains == 0).sum()),
        losses=int((gains < 0).sum()),
        mde=_gap(mine, theirs) if _has(block, "success") else None,
    )


def _gap(mine: pd.DataFrame, theirs: pd.DataFrame) -> float | None:
    """Detectable gap in success from what was observed; None where the two never disagreed."""
    differences = paired(mine, theirs, "success").differences
    discordance = sum(d * d for d in differences) / len(differences) if differences else 0.0
    return detectable_shift(len(differences), math.sqrt(discordance)) if discordance else None
