"""The record of one line of a result table, field by field as ``--format json`` prints it. Computes nothing."""

from __future__ import annotations

from dataclasses import dataclass, fields

__all__ = ["WALLS", "Count", "Named", "Row", "field_names"]

WALLS = ("wall_model_s", "wall_env_s", "wall_memory_s", "wall_harness_s", "wall_relative")
"""Outside a table's identity: two equal runs differ in these."""


@dataclass(frozen=True, slots=True)
class Count:
    """One bar of a histogram."""

    name: str
    n: int


@dataclass(frozen=True, slots=True)
class Named:
    """One score that has no column of its own; its mean."""

    name: str
    value: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """One strategy on one suite, split and model. Rates are in 0..1, all else means per item; None = not applicable."""

    suite: str
    split: str
    group: str
    """``all``, or one group of tasks."""
    strategy: str
    model: str
    attempt: int
    offline: bool
    runs: int
    """Repeats: the number of seeds."""
    n: int
    """Scored items, repeats counted."""
    n_total: int
    """Planned items, repeats counted; n below it leaves the row unranked."""
    n_tasks: int
    """Scored items after repeats were averaged: what the intervals rest on."""
    rank: int | None = None
    privileged: bool = False
    """It was told the evidence of each question: shown for comparison, never ranked."""
    success_rate: float | None = None
    n_graded: int | None = None
    """Scored items that success rests on, repeats averaged: some can be graded by a judge alone."""
    success_low: float | None = None
    success_high: float | None = None
    success_rate_solvable: float | None = None
    """Over the tasks that can be solved within the step cap; None where no shortest solution is known."""
    success_sound: float | None = None
    """Success without the questions whose gold is known to be wrong; None where the suite knows of none."""
    progress_rate: float | None = None
    progress_low: float | None = None
    progress_high: float | None = None
    steps: float | None = None
    steps_won: float | None = None
    steps_over_optimal: float | None = None
    """Steps of the episodes won over the fewest possible."""
    valid_action_rate: float | None = None
    helper_calls: float | None = None
    repairs: float | None = None
    budget_tokens: int | None = None
    """The most a context was allowed to be long; None = no limit."""
    context_tokens_mean: float | None = None
    context_tokens_max: float | None = None
    """The longest context of any item."""
    context_relative: float | None = None
    """Mean context over the reference row's (HiAgent's context efficiency)."""
    truncated_contexts: float | None = None
    prompt_tokens_mean: float | None = None
    prompt_tokens_max: float | None = None
    tokens_act: float | None = None
    tokens_write: float | None = None
    tokens_read: float | None = None
    tokens_learn: float | None = None
    tokens_gather: float | None = None
    tokens_judge: float | None = None
    tokens_total: float | None = None
    cached_tokens: float | None = None
    estimated_calls: float | None = None
    cost_usd: float | None = None
    judge_cost_usd: float | None = None
    calls: float | None = None
    embed_calls: float | None = None
    retries: float | None = None
    wall_model_s: float | None = None
    wall_env_s: float | None = None
    wall_memory_s: float | None = None
    wall_harness_s: float | None = None
    wall_relative: float | None = None
    """Wall time over the reference row's (HiAgent's run time)."""
    evidence_recall: float | None = None
    """Share of the turns needed that the context cites; over the questions that have evidence."""
    evidence_precision: float | None = None
    evidence_jaccard: float | None = None
    f1: float | None = None
    adversarial: float | None = None
    """Refusals among the questions that lay a trap."""
    abstention: float | None = None
    """Refusals among the questions that cannot be answered."""
    judge_accuracy: float | None = None
    judge_low: float | None = None
    judge_high: float | None = None
    judge_sound: float | None = None
    judge_adversarial: float | None = None
    """The judge's verdicts on the questions that lay a trap, which are in no other column of its."""
    judge: str | None = None
    """The judge's model."""
    rubrics: str | None = None
    """Digest of what the judge was told."""
    judge_probes: str | None = None
    """What the judge accepted of answers of known worth."""
    answer_tokens: float | None = None
    query_tokens: float | None = None
    """Tokens of reading memory and answering, for one question."""
    ingest_tokens: float | None = None
    """Tokens of writing down one whole conversation."""
    clusters: int | None = None
    """Conversations that the intervals and tests rest on; None where tasks are taken as independent."""
    p_value: float | None = None
    p_adjusted: float | None = None
    effect_size: float | None = None
    """Matched-pairs rank-biserial; positive = better than the reference."""
    reference: str | None = None
    test_metric: str | None = None
    test_method: str | None = None
    n_pairs: int | None = None
    n_nonzero: int | None = None
    wins: int | None = None
    ties: int | None = None
    losses: int | None = None
    mde: float | None = None
    """Smallest paired difference in success rate told from chance at 80 % power, from the observed discordance."""
    ends: tuple[Count, ...] = ()
    statuses: tuple[Count, ...] = ()
    extra: tuple[Named, ...] = ()

    @property
    def ranked(self) -> bool:
        return self.n == self.n_total


def field_names() -> tuple[str, ...]:
    """Return the field names in order."""
    return tuple(f.name for f in fields(Row))
