"""Names to metrics: the entries of the catalogue and of plug-ins, by name, short name or family.

A plug-in is an entry point of the group ``memfrontier.metrics`` that names a ``Metric`` with a ``compute`` function.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from functools import cache

from bench.errors import UsageError, nearest, unknown_name
from bench.plugins import Plugin, find_plugins, load_target
from bench.scoring.catalog import METRICS
from bench.scoring.metric import Metric

__all__ = ["METRIC_GROUP", "find_metric", "list_metrics", "read_plugins", "resolve_metric"]

METRIC_GROUP = "memfrontier.metrics"
_HOLES = {"{k}": r"\d+", "{role}": r"[\w./-]+", "{kind}": r"\w+"}
"""What the braces of a family stand for."""


def list_metrics() -> tuple[Metric, ...]:
    """Return all entries, those of plug-ins last; a plug-in that cannot be used is left out."""
    return read_plugins()[0]


@cache
def read_plugins() -> tuple[tuple[Metric, ...], tuple[tuple[Plugin, str], ...]]:
    """Return all entries, and the plug-ins that are not a computed metric or take a name that is taken, with why."""
    known, broken = list(METRICS), list[tuple[Plugin, str]]()
    for plugin in find_plugins(METRIC_GROUP).values():
        try:
            known.append(_load_metric(plugin, known))
        except UsageError as reason:  # it must not cost a trial that was paid for
            broken.append((plugin, str(reason)))
    return tuple(known), tuple(broken)


def _load_metric(plugin: Plugin, known: Collection[Metric]) -> Metric:
    metric: Metric = load_target(plugin.target, "a Metric with compute", _is_computed)
    names = {metric.name, metric.record_key, *metric.aliases}
    taken = names & {name for one in known for name in (one.name, one.record_key, *one.aliases)}
    if taken:
        raise UsageError(f"{METRIC_GROUP} {plugin.name}: expected a new name, got {min(taken)!r}; rename the metric")
    return metric


def _is_computed(found: object) -> bool:
    return isinstance(found, Metric) and found.compute is not None


@cache
def find_metric(name: str) -> Metric | None:
    """Return the entry of a name, key or alias; of a family, with the name filled in. None if there is none."""
    for metric in list_metrics():
        if name in (metric.name, metric.key, *metric.aliases):
            return metric
    for metric in list_metrics():
        if "{" in metric.name and _compile_pattern(metric.name).fullmatch(name):
            return replace(metric, name=name)
    return None


def resolve_metric(who: str, given: str, present: Collection[str]) -> Metric:
    """Return the metric that a user means by ``given``, out of the scores that a run has.

    Raises: UsageError with the nearest names if there is none, if the run has no values for it, or if no entry
    describes it.
    """
    metric = find_metric(given)
    if metric is not None and metric.name in present:
        return metric
    if metric is not None:
        raise UsageError(f"{who}: expected a metric that this run has values for, got {given!r}; {_list_some(present)}")
    if given in present:
        raise UsageError(
            f"{who}: expected a metric of the catalogue, got {given!r}, a score that no entry describes; "
            "add one as docs/metrics.md says"
        )
    known = {name for one in list_metrics() for name in (one.name, *one.aliases) if "{" not in name}
    known |= {name for name in present if find_metric(name)}
    raise unknown_name(who, "a metric", given, known if nearest(given, known) else present)


def _list_some(present: Collection[str]) -> str:
    names = [name for name in present if find_metric(name)]
    return f"it has {', '.join(names[:6])}{' and others' if len(names) > 6 else ''}"


@cache
def _compile_pattern(name: str) -> re.Pattern[str]:
    parts = re.split(r"(\{\w+\})", name)
    return re.compile("".join(_HOLES.get(part, re.escape(part)) for part in parts))
