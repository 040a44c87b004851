"""A recipe: what a paper ran, how that is run here, and which of its numbers stands for which of ours. Data alone.

A recipe is a TOML file. ``runs`` are fields of a ``run.toml``. ``strategies``, ``subsets`` and ``metrics`` are a
dictionary between the paper's words and ours: a published number is compared where one entry of each fits it. An entry
may name settings of the column ``variant``; together the three must name all that the number has.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from bench.config import RunConfig, validate

__all__ = ["ANY", "Gap", "MetricEntry", "Recipe", "RunEntry", "Statistic", "StrategyEntry", "SubsetEntry"]

ANY = "*"
"""As a variant: whatever it is."""
Statistic = Literal["mean", "relative", "lowest", "highest", "wilcoxon-w", "wilcoxon-p"]
_Texts = tuple[str, ...]


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Entry(_Record):
    """A line of the dictionary. Each of the paper's words that is empty fits any."""

    variant: str = ""

    @property
    def settings(self) -> frozenset[str]:
        return frozenset(piece.strip() for piece in self.variant.split(";") if piece.strip())


class StrategyEntry(_Entry):
    """A row of the paper and the strategy that is run for it."""

    strategy: str = ""
    """As published; empty = the paper has no such row."""
    ours: str
    """A strategy of the run, with its parameters."""
    run: str = ""
    """The run that it is taken from; empty = that of the subset, or the only one."""


class SubsetEntry(_Entry):
    """A part of the paper's tasks and the groups of tasks that stand for it."""

    benchmark: str = ""
    subset: str = ""
    budget: int | None = None
    """Of the numbers that are meant; None = any."""
    run: str = ""
    suite: str = ""
    """One of the run's suites; empty = the only one."""
    groups: _Texts = ()
    """Empty = all tasks of the run."""
    average: Literal["tasks", "groups"] = "tasks"
    """groups = the plain mean of the groups' values, as a paper that averages its rows."""
    label: str = ""
    """What it is called in the output where the paper has no word for it."""

    @property
    def name(self) -> str:
        return self.label or "/".join(filter(None, (self.benchmark, self.subset)))


class MetricEntry(_Entry):
    """A score of the paper and the metric that stands for it."""

    metric: str = ""
    """As published; empty = the paper prints no such number."""
    ours: str
    """A metric of ``bench table --notes`` or docs/metrics.md."""
    or_else: str = ""
    """The metric of the items that have no value of it, as the judge's of adversarial questions; empty = none."""
    statistic: Statistic = "mean"
    """relative: the mean as a percentage of another strategy's; lowest, highest: of several; wilcoxon: paired test."""
    against: _Texts = ()
    """The strategies of the run that a statistic other than the mean is taken against."""
    label: str = ""

    @property
    def name(self) -> str:
        return self.label or self.metric or self.ours


class RunEntry(_Record):
    """A run: its name, which is that of its folder, and the fields of a ``run.toml``."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    fields: dict[str, Any]
    only_learns: bool = False
    """It evaluates nothing: other runs take the artifacts."""
    artifacts_of: str = ""
    """An earlier run whose learners' artifacts this one evaluates, also on another suite; empty = none."""

    def configure(self, given: dict[str, Any] | None = None) -> RunConfig:
        """Return the question of the run. ``given``: fields that replace its own. Raises: UsageError."""
        return validate({**self.fields, **(given or {})}, f"run {self.name}")


class Gap(_Record):
    """Published numbers that cannot be measured here, and why. Each word that is empty fits any."""

    why: str = Field(min_length=1)
    table: str = ""
    benchmark: str = ""
    subset: str = ""
    strategy: str = ""
    variant: str = ANY
    metric: str = ""
    model: str = ""


class Recipe(_Record):
    """How a table or figure of a paper is measured here."""

    title: str = Field(min_length=1)
    paper: str = Field(min_length=1)
    """Id in the published numbers."""
    tables: _Texts = Field(min_length=1)
    """Values of the column ``table`` that this recipe is about."""
    benchmarks: _Texts = ()
    """Of these benchmarks alone; empty = all."""
    models: _Texts = ()
    """Numbers of these models alone; empty = all."""
    model: str = ""
    """The paper's model; empty = not stated."""
    judge: str = ""
    """The paper's judge; empty = it has none."""
    numbers: str = ""
    """A CSV of one's own, beside the recipe; empty = the numbers of this project."""
    runs: tuple[RunEntry, ...] = Field(min_length=1)
    strategies: tuple[StrategyEntry, ...] = Field(min_length=1)
    subsets: tuple[SubsetEntry, ...] = Field(min_length=1)
    metrics: tuple[MetricEntry, ...] = Field(min_length=1)
    gaps: tuple[Gap, ...] = ()
    absent: _Texts = ()
    """What of the paper's tasks or data is not here, a sentence each."""
    differences: _Texts = Field(min_length=1)
    """Where the protocols differ, a sentence each."""

    @property
    def evaluated(self) -> tuple[RunEntry, ...]:
        """The runs that numbers are taken from."""
        return tuple(run for run in self.runs if not run.only_learns)

    @cached_property
    def judges(self) -> bool:
        """True if any number needs a judge."""
        return any(one.ours.startswith("judge_") for one in self.metrics)
