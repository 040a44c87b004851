"""The record of one line of a result table, and the same as the flat object of ``--format json``. Computes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench.scoring.metric import Values
from bench.scoring.metric_names import find_metric
from bench.stats.interval import Interval

__all__ = ["ALL", "Count", "Row", "RowTest", "is_stable", "to_record"]

ALL = "all"
"""The group that holds every task."""


@dataclass(frozen=True, slots=True)
class Count:
    """How many items have one end reason, or one status."""

    name: str
    n: int


@dataclass(frozen=True, slots=True)
class RowTest:
    """A row against the reference row, task by task. None = not tested, as the reference itself is not."""

    reference: str
    metric: str
    method: str | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    effect_size: float | None = None
    """Matched-pairs rank-biserial; positive = better than the reference."""
    n_pairs: int | None = None
    n_nonzero: int | None = None
    wins: int | None = None
    ties: int | None = None
    losses: int | None = None
    family: int | None = None
    """How many tests of rows over all tasks were adjusted together, rows that a table leaves out among them."""
    mde: float | None = None
    """Smallest paired difference in success rate detectable at 80 % power, from the observed discordance."""


@dataclass(frozen=True, slots=True)
class Row:
    """One strategy on one suite, split and model: what it is, and its values by metric name."""

    suite: str
    split: str
    group: str
    """``all``, or one group of tasks."""
    strategy: str
    model: str
    attempt: int
    offline: bool
    """Any of its models is made of rules: it is no result of a language model."""
    runs: int
    """Repeats: the number of seeds."""
    n: int
    """Scored items, repeats counted."""
    n_total: int
    """Planned items, repeats counted; n below it leaves the row unranked."""
    n_tasks: int
    """Scored items after repeats were averaged: what the intervals rest on."""
    ends: tuple[Count, ...]
    """Scored items by ``EndReason``, the most frequent first."""
    statuses: tuple[Count, ...]
    """Planned items by ``Status``, the most frequent first."""
    values: Values
    """Shares in 0..1, all else means per item; None = not applicable."""
    intervals: Mapping[str, Interval]
    """95 % intervals, by metric name."""
    rank: int | None = None
    privileged: bool = False
    """It was given the evidence of each question: shown for comparison, never ranked."""
    n_graded: int | None = None
    """Scored items that success rests on, repeats averaged: some can be graded by a judge alone."""
    n_attributed: int | None = None
    """Scored items whose failure would have a cause, repeats averaged: those that the errors rest on."""
    evidence: str | None = None
    """How evidence was made up, where no data set names it."""
    notices: tuple[str, ...] = ()
    """What a reader must be told of the data."""
    clusters: int | None = None
    """Conversations that the intervals and tests rest on; None where tasks are taken as independent."""
    judge: str | None = None
    """The judge's model."""
    rubrics: str | None = None
    """Digest of what the judge was asked to check."""
    judge_probes: str | None = None
    """How many calibration answers the judge accepted, as one sentence (``ProbeReport.line``)."""
    embedder: str | None = None
    """What made the vectors; None for a strategy that uses none."""
    learned: str | None = None
    """What it learned from, as one sentence; None = it learned nothing before."""
    artifact: str | None = None
    """Digest of what it learned."""
    pool: str | None = None
    """Digest of the trials that it learned from: rows with the same one share what gathering took."""
    role_models: Mapping[str, str] | None = None
    """The models that are called in the place of the acting one, by role; None = there are none."""
    marks: tuple[str, ...] = ()
    """Why it is no fair comparison: ``leak`` = it learned from evaluated tasks, ``edited`` = by hand, afterwards,
    ``foreign`` = on another suite; or what it is a control by, such as ``placebo``. They are part of its name."""
    test: RowTest | None = None

    def value(self, metric: str) -> float | None:
        """Return the value of a metric, None if it is unknown or does not apply."""
        return self.values.get(metric)

    @property
    def ranked(self) -> bool:
        return self.n == self.n_total


_CONTRACT = (
    "suite", "split", "group", "strategy", "model", "attempt", "offline", "runs", "n", "n_total", "n_tasks", "rank",
    "privileged", "success_rate", "n_graded", "success_low", "success_high", "success_rate_solvable", "success_sound",
    "progress_rate", "progress_low", "progress_high", "steps", "steps_won", "steps_over_optimal", "valid_action_rate",
    "helper_calls", "repairs", "budget_tokens", "context_tokens_mean", "context_tokens_max", "context_relative",
    "truncated_contexts", "prompt_tokens_mean", "prompt_tokens_max", "tokens_act", "tokens_write", "tokens_read",
    "tokens_learn", "tokens_gather", "tokens_judge", "tokens_total", "cached_tokens", "estimated_calls", "cost_usd",
    "judge_cost_usd", "calls", "embed_calls", "retries", "wall_model_s", "wall_env_s", "wall_memory_s",
    "wall_harness_s", "wall_relative", "evidence_recall", "evidence_precision", "evidence_jaccard", "f1",
    "adversarial", "abstention", "judge_accuracy", "judge_low", "judge_high", "judge_sound", "judge_adversarial",
    "judge", "rubrics", "judge_probes", "answer_tokens", "query_tokens", "ingest_tokens", "clusters", "p_value",
    "p_adjusted", "effect_size", "reference", "test_metric", "test_method", "n_pairs", "n_nonzero", "wins", "ties",
    "losses", "mde", "ends", "statuses", "asked_again", "unreadable", "cut", "repaired", "dialect_lines",
    "context_shown",
)  # fmt: skip
"""The keys that every record has, in this order; those of other metrics follow."""
_OF_TEST = {"metric": "test_metric", "method": "test_method"}
_NESTED = ("values", "intervals", "test", "ends", "statuses", "notices")


def to_record(row: Row) -> dict[str, Any]:
    """Return the row as the JSON object of the command line's contract."""
    flat: dict[str, Any] = {name: getattr(row, name) for name in Row.__slots__ if name not in _NESTED}
    for name, value in row.values.items():
        metric = find_metric(name)
        flat[metric.record_key if metric else name] = value
    for name, interval in row.intervals.items():
        metric = find_metric(name)
        prefix = metric.interval if metric else name
        flat |= {f"{prefix}_low": interval.low, f"{prefix}_high": interval.high}
    if row.test is not None:
        flat |= {_OF_TEST.get(name, name): getattr(row.test, name) for name in RowTest.__slots__ if name != "family"}
    for name, counts in (("ends", row.ends), ("statuses", row.statuses)):
        flat[name] = {count.name: count.n for count in counts}
    if row.notices:
        flat["notices"] = " ".join(row.notices)
    return {name: flat.get(name) for name in (*_CONTRACT, *flat)} | {"ranked": row.ranked}


def is_stable(name: str) -> bool:
    """True if two equal runs agree on this key of a record; they differ in wall times."""
    metric = find_metric(name)
    return metric is None or metric.stable
