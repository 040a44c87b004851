"""Which published number stands for which of ours: a recipe's dictionary applied to its table. Needs no run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from bench.papers.numbers import Published
from bench.papers.recipe import ANY, Gap, MetricEntry, Recipe, StrategyEntry, SubsetEntry

__all__ = ["Cell", "Line", "choose_numbers", "count_other_models", "match"]

_NO_ENTRY = "the recipe has no entry for it"


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of ours: a metric of a strategy on some tasks of a run."""

    run: str
    strategy: StrategyEntry
    subset: SubsetEntry
    metric: MetricEntry

    @property
    def key(self) -> tuple[object, ...]:
        """What is measured, whatever the paper calls it."""
        subset, metric = self.subset, self.metric
        place = (self.run, self.strategy.ours, subset.suite, subset.groups, subset.average)
        return (*place, metric.ours, metric.or_else, metric.statistic, metric.against)


@dataclass(frozen=True, slots=True)
class Line:
    """A published number beside the one of ours that stands for it; either may be missing, not both."""

    published: Published | None
    cell: Cell | None
    why: str = ""
    """Why a published number has none of ours."""


def choose_numbers(recipe: Recipe, numbers: Sequence[Published]) -> tuple[Published, ...]:
    """Return the numbers that a recipe is about."""
    return tuple(one for one in _of_tables(recipe, numbers) if not recipe.models or one.model in recipe.models)


def count_other_models(recipe: Recipe, numbers: Sequence[Published]) -> int:
    """Return how many more numbers the same tables have, of models that the recipe leaves out."""
    return len(_of_tables(recipe, numbers)) - len(choose_numbers(recipe, numbers))


def _of_tables(recipe: Recipe, numbers: Sequence[Published]) -> list[Published]:
    return [
        one
        for one in numbers
        if one.paper == recipe.paper and one.table in recipe.tables
        if not recipe.benchmarks or one.benchmark in recipe.benchmarks
    ]


def match(recipe: Recipe, numbers: Sequence[Published]) -> tuple[Line, ...]:
    """Return a line for each number of the recipe's tables, in their order, then one for each other number of ours."""
    cells = tuple(_list_cells(recipe))
    lines = []
    for one in choose_numbers(recipe, numbers):
        gap = _find_gap(recipe.gaps, one)
        cell = None if gap else next((cell for cell in cells if _fits(cell, one)), None)
        lines.append(Line(one, cell, gap or ("" if cell else _NO_ENTRY)))
    seen = {line.cell.key for line in lines if line.cell}
    for cell in cells:
        against_itself = cell.metric.against == (cell.strategy.ours,)
        if cell.key not in seen and not against_itself:
            seen.add(cell.key)
            lines.append(Line(None, cell))
    return tuple(lines)


def _list_cells(recipe: Recipe) -> Iterator[Cell]:
    runs = recipe.evaluated
    only = runs[0].name if len(runs) == 1 else ""
    played = {run.name: set(run.configure().strategies) for run in runs}
    for subset, strategy, metric in product(recipe.subsets, recipe.strategies, recipe.metrics):
        named = {name for name in (strategy.run, subset.run) if name} or {only}
        if len(named) == 1 and strategy.ours in played.get(run := named.pop(), ()):
            yield Cell(run, strategy, subset, metric)


def _fits(cell: Cell, one: Published) -> bool:
    strategy, subset, metric = cell.strategy, cell.subset, cell.metric
    if (strategy.strategy, subset.benchmark, subset.subset, metric.metric) != (
        one.strategy, one.benchmark, one.subset, one.metric,
    ):  # fmt: skip
        return False
    if subset.budget not in (None, one.budget):
        return False
    if ANY in (strategy.variant, subset.variant, metric.variant):
        return True
    return strategy.settings | subset.settings | metric.settings == one.settings


def _find_gap(gaps: Sequence[Gap], one: Published) -> str:
    """Return why a number cannot be measured, as the first gap that fits says; empty for none."""
    names = ("table", "benchmark", "subset", "strategy", "metric", "model")
    for gap in gaps:
        if all(getattr(gap, name) in ("", getattr(one, name)) for name in names) and gap.variant in (ANY, one.variant):
            return gap.why
    return ""
