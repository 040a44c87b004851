"""Two strategies task by task, as the numbers of a picture: every paired difference, its shift, wins and losses.

Where every score is 0 or 1 the picture is a table of two by two. The tests are those of ``bench compare``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from bench.errors import UsageError
from bench.report.columns import format_p, format_value
from bench.report.compare import Comparison, compare
from bench.report.formats import Grid, Section, to_csv, to_rich
from bench.report.frontier_axes import Axis, find_main_score, name_axis
from bench.report.items import find_strategy, prepare, split_blocks
from bench.report.paired_tests import Pairs, pair
from bench.scoring.metric import Metric
from bench.scoring.metric_names import resolve_metric
from bench.stats.interval import Interval
from bench.stats.shift import shift_interval

__all__ = ["Differences", "find_differences", "find_p", "render_differences"]


@dataclass(frozen=True, slots=True)
class Differences:
    """The pairs of one block; a difference is the first minus the second."""

    found: Comparison
    pairs: Pairs
    metric: Metric
    name: str
    """What the metric is called: a main score by its own name."""
    shift: float
    interval: Interval | None
    """Of the shift; None for few pairs, and where tasks are no independent sample."""

    @property
    def binary(self) -> bool:
        return self.pairs.binary

    @property
    def cells(self) -> tuple[int, int, int, int]:
        """Of scores of 0 or 1: both succeeded, only the first, only the second, neither."""
        scores = list(zip(self.pairs.first, self.pairs.second, strict=True))
        return (scores.count((1.0, 1.0)), scores.count((1.0, 0.0)), scores.count((0.0, 1.0)), scores.count((0.0, 0.0)))


def find_differences(frame: pd.DataFrame, rows: Sequence[str], metric: str = "success") -> tuple[Differences, ...]:
    """Return the differences of two strategies, for each block with tasks scored for both.

    Raises: UsageError unless two strategies are named, for an unknown one, or an unknown metric, or without pairs.
    """
    if len(rows) != 2 or rows[0] == rows[1]:
        raise UsageError(
            f"figure differences: expected two strategies, got {len(set(rows))}; write --rows A,B for A minus B"
        )
    compared = {one.block: one for one in compare(frame, rows[0], rows[1], metric)}
    items = prepare(frame)
    first, second = (find_strategy(name, items) for name in rows)
    entry = resolve_metric("figure differences", metric, tuple(map(str, items.columns)))
    out = []
    for block in split_blocks(items):
        if (one := compared.get(block.name)) is None:
            continue
        pairs = pair(block.of(first), block.of(second), entry.name)
        independent = not one.one_conversation and one.by_cluster is None
        shift, interval = shift_interval(pairs.differences)
        named = name_axis(Axis(entry, entry.sign), find_main_score(block))
        name = (named.header or named.name.replace("_", " ")).removesuffix(" %")
        out.append(Differences(one, pairs, entry, name, shift, interval if independent else None))
    return tuple(out)


def render_differences(
    found: Sequence[Differences], style: str = "rich", *, width: int = 120, color: bool = False
) -> str:
    """Return the numbers as text for a terminal, or as CSV: one line a task."""
    if style == "csv":
        return to_csv(
            [
                {"block": one.found.block, "metric": one.metric.name, "a": one.found.a, "b": one.found.b, "task": task,
                 "cluster": cluster, "score_a": a, "score_b": b, "difference": a - b}
                for one in found
                for task, cluster, a, b in zip(
                    one.pairs.tasks, one.pairs.clusters, one.pairs.first, one.pairs.second, strict=True
                )
            ],
            timing=False,
        )  # fmt: skip
    header = ("a", "b", "n", "mean a", "mean b", "a - b", "[95 %]", "shift", "[95 %]", "wins", "ties", "losses", "p")
    sections = tuple(
        Section(
            f"{one.found.block} · {one.name}{' %' if one.metric.is_share else ''}",
            (_format_line(one),),
            (False,),
            (False,),
        )
        for one in found
    )
    left = (True, True, *(False,) * 11)
    return to_rich(Grid(header, left, (0,) * 13, sections, _NOTES), width=width, color=color)


_NOTES = (
    "a - b: mean difference with its t interval, over clusters where tasks have them. shift: Hodges-Lehmann, "
    "the median of all pairwise means of the differences, with the interval of the signed-rank test; none where tasks "
    "are no independent sample. wins: tasks on which a is better. p: McNemar's exact test of scores of 0 or 1, the "
    "exact signed-rank test of others, or sign flips of whole clusters where tasks have them.",
)


def _format_line(one: Differences) -> tuple[str, ...]:
    c = one.found
    interval = c.by_cluster or (None if c.one_conversation else c.interval)
    return (
        c.a, c.b, str(c.n_pairs), _show(one, c.mean_a), _show(one, c.mean_b), _show(one, c.difference),
        _bracket(one, interval), _show(one, one.shift), _bracket(one, one.interval), str(c.wins), str(c.ties),
        str(c.losses), format_p(find_p(one)),
    )  # fmt: skip


def find_p(one: Differences) -> float | None:
    """Return the p-value that fits the scores; None for one conversation, which says nothing about others."""
    if one.found.one_conversation:
        return None
    if one.found.sign_flip is not None:
        return one.found.sign_flip.p
    return one.found.mcnemar.p if one.found.mcnemar is not None else one.found.wilcoxon.p


def _show(one: Differences, value: float) -> str:
    return format_value(one.metric, value)


def _bracket(one: Differences, interval: Interval | None) -> str:
    if interval is None:
        return "–"
    return f"[{format_value(one.metric, interval.low)}, {format_value(one.metric, interval.high)}]"
