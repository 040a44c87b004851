"""Two rows of a block, task by task, and the tests between them. Knows no table and no format."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from bench.report.aggregate import TASK
from bench.report.items import Block
from bench.report.row import ALL, Row, RowTest
from bench.scoring.metric_names import find_metric
from bench.stats.effect import rank_biserial
from bench.stats.holm import holm
from bench.stats.interval import seed_of
from bench.stats.power import detectable_shift
from bench.stats.signflip import sign_flip
from bench.stats.wilcoxon import signed_rank

__all__ = ["BY_CLUSTER", "Pairs", "add_tests", "pair"]

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


def pair(first: pd.DataFrame, second: pd.DataFrame, metric: str) -> Pairs:
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
        entry.sign if (entry := find_metric(metric)) else 1,
    )


def add_tests(rows: Sequence[Row], block: Block, reference: str) -> tuple[Row, ...]:
    """Return the rows with their tests against the reference row, Holm-adjusted.

    One family is one block and metric: all strategies over all tasks, and, separate from it, all group rows together.
    """
    metric = next((name for name in _TESTED if _has_values(block, name)), None)
    if metric is None or reference not in block.strategies:
        return tuple(rows)
    base = {row.group: row for row in rows if row.strategy == reference}
    done = [_add_ratios(row, base[row.group]) for row in rows]
    tests = [_test(row, block, RowTest(reference, metric)) for row in done]
    for is_all in (True, False):
        # A row that was given the evidence is no competitor: it makes nobody else's test harder.
        places = [i for i, row in enumerate(done) if (row.group == ALL) is is_all and not row.privileged]
        adjusted = holm([tests[i].p_value for i in places])
        family = sum(tests[i].p_value is not None for i in places)
        for place, p in zip(places, adjusted, strict=True):
            tests[place] = replace(tests[place], p_adjusted=p, family=family)
    return tuple(replace(row, test=test) for row, test in zip(done, tests, strict=True))


def _add_ratios(row: Row, base: Row) -> Row:
    """Return the row with its context and wall time as a share of the reference row's, and when its memory pays off."""
    ratios = {
        "pays_off_after": _divide(row.value("ingest_tokens") or None, _find_saving(row, base)),
        "context_relative": _divide(row.value("context_tokens_mean"), base.value("context_tokens_mean")),
        "wall_relative": _divide(_sum_wall_s(row), _sum_wall_s(base)),
    }
    return replace(row, values={**row.values, **ratios})


def _find_saving(row: Row, base: Row) -> float | None:
    """Return how many tokens fewer than the reference row a question takes; None if not fewer, or unknown."""
    own, other = row.value("query_tokens"), base.value("query_tokens")
    return other - own if own is not None and other is not None and own < other else None


def _sum_wall_s(row: Row) -> float | None:
    parts = [row.value(f"wall_{part}_s") for part in ("model", "env", "memory", "harness")]
    return None if any(part is None for part in parts) else sum(part or 0.0 for part in parts)


def _divide(value: float | None, base: float | None) -> float | None:
    return None if value is None or not base else value / base


def _has_values(block: Block, metric: str) -> bool:
    return metric in block.items.columns and bool(block.items[metric].notna().any())


def _test(row: Row, block: Block, bare: RowTest) -> RowTest:
    if row.strategy == bare.reference:
        return bare
    first, second = block.of(row.strategy), block.of(bare.reference)
    if row.group != ALL:
        first, second = first[first["group"] == row.group], second[second["group"] == row.group]
    pairs = pair(first, second, bare.metric)
    if not pairs.tasks:
        return replace(bare, n_pairs=0)
    if row.clusters == 1:  # one conversation says nothing about others
        return replace(bare, n_pairs=len(pairs.tasks))
    test = signed_rank(pairs.gains)
    gains = np.asarray(pairs.gains).round(9)
    p_value, method = test.p, test.method
    if row.clusters is not None:
        seed = seed_of(row.suite, row.split, row.group, row.model, str(row.attempt), bare.metric, "flip")
        flips = sign_flip(pairs.gains, pairs.clusters, seed=seed)
        p_value, method = flips.p, f"{BY_CLUSTER} {flips.method}"
    return replace(
        bare,
        p_value=p_value,
        effect_size=rank_biserial(test),
        method=method,
        n_pairs=test.n,
        n_nonzero=test.n_nonzero,
        wins=int((gains > 0).sum()),
        ties=int((gains == 0).sum()),
        losses=int((gains < 0).sum()),
        mde=_detect_gap(first, second) if _has_values(block, "success") else None,
    )


def _detect_gap(first: pd.DataFrame, second: pd.DataFrame) -> float | None:
    """Detectable gap in success from what was observed; None where the two never disagreed."""
    differences = pair(first, second, "success").differences
    discordance = sum(d * d for d in differences) / len(differences) if differences else 0.0
    return detectable_shift(len(differences), math.sqrt(discordance)) if discordance else None
