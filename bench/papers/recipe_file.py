"""A recipe read from its file, and checked: every name in it is one that something answers to."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from bench.errors import UsageError, nearest, reading, unknown_name
from bench.papers.recipe import MetricEntry, Recipe
from bench.registry import resolve_strategy
from bench.scoring.metric_names import find_metric

__all__ = ["read_recipe"]

_HINT = "write it as docs/papers.md says"


def read_recipe(path: Path) -> Recipe:
    """Read and check a recipe. Raises: UsageError, one line, for the first thing that does not fit."""
    with reading(str(path), "TOML", _HINT):
        raw = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    if isinstance(raw.get("runs"), list):
        raw["runs"] = [_gather_fields(run) for run in raw["runs"]]
    try:
        recipe = Recipe.model_validate(raw)
    except ValidationError as cause:
        raise _explain(cause, path) from None
    _check(recipe, str(path))
    return recipe


def _gather_fields(run: Any) -> Any:
    if not isinstance(run, dict):
        return run
    own = {name: run[name] for name in ("name", "only_learns", "artifacts_of") if name in run}
    return {**own, "fields": {name: value for name, value in run.items() if name not in own}}


def _explain(cause: ValidationError, path: Path) -> UsageError:
    first = cause.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] == "missing":
        return UsageError(f"{path}: expected a recipe with {place}, got none; {_HINT}")
    if first["type"] == "extra_forbidden":
        close = nearest(str(first["loc"][-1]), Recipe.model_fields)
        hint = f"did you mean {' or '.join(close)}?" if close else _HINT
        return UsageError(f"{path}: expected a known field, got {place!r}; {hint}")
    return UsageError(f"{path}: expected {place} to be valid, got {str(first['input'])[:80]!r}; {first['msg']}")


def _check(recipe: Recipe, who: str) -> None:
    """Raises: UsageError for a name that nothing answers to."""
    names = [run.name for run in recipe.runs]
    if len(set(names)) < len(names):
        raise UsageError(f"{who}: expected runs with names of their own, got {', '.join(names)}; rename one")
    for place, run in enumerate(recipe.runs):
        if run.artifacts_of and run.artifacts_of not in names[:place]:
            raise unknown_name(who, f"an earlier run for artifacts_of of {run.name}", run.artifacts_of, names[:place])
    for run in recipe.runs:
        for label in run.configure().strategies:
            resolve_strategy(label)
    played = {run.name: run.configure().strategies for run in recipe.evaluated}
    for entry_run in (*(one.run for one in recipe.strategies), *(one.run for one in recipe.subsets)):
        if entry_run and entry_run not in played:
            raise unknown_name(who, "a run of the recipe", entry_run, played)
    every = {label for labels in played.values() for label in labels}
    for one in recipe.strategies:
        _require(one.ours, played[one.run] if one.run else every, who)
    for metric in recipe.metrics:
        _check_metric(metric, every, who)
    if len(played) > 1:
        _require_runs(recipe, who)


def _check_metric(metric: MetricEntry, strategies: set[str], who: str) -> None:
    for name in filter(None, (metric.ours, metric.or_else)):
        if find_metric(name) is None:
            raise UsageError(f"{who}: expected a metric of docs/metrics.md, got {name!r}; mend it in metrics")
    if (metric.statistic == "mean") == bool(metric.against):
        got = ", ".join(metric.against) or "none"
        raise UsageError(
            f"{who}: expected strategies to compare with (against) beside a statistic other than the mean, got {got} "
            f"for {metric.name} ({metric.statistic}); mend metrics.against"
        )
    for name in metric.against:
        _require(name, strategies, who)


def _require(name: str, known: Sequence[str] | set[str], who: str) -> None:
    if name not in known:
        raise unknown_name(who, "a strategy of the recipe's runs", name, known)


def _require_runs(recipe: Recipe, who: str) -> None:
    if any(not one.run for one in recipe.strategies) and any(not one.run for one in recipe.subsets):
        raise UsageError(
            f"{who}: expected every strategy or every subset to name its run, got some of both without; the recipe has "
            f"{len(recipe.evaluated)} runs"
        )
