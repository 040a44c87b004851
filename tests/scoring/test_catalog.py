"""The catalogue of metrics: one entry for each name, and names that users may write."""

from __future__ import annotations

from collections import Counter

import pytest

from bench.errors import UsageError
from bench.scoring.catalog import METRICS
from bench.scoring.metric import Aggregate, Better, differs_from, known, nonzero, nonzero_of
from bench.scoring.metric_names import find_metric, resolve_metric

PRESENT = ("success", "progress", "tokens_total", "progress_at_5", "length")


def test_names_keys_and_aliases_are_unique() -> None:
    names = Counter(name for one in METRICS for name in {one.name, one.record_key, *one.aliases})
    assert [name for name, count in names.items() if count > 1] == []


def test_every_entry_is_defined() -> None:
    for metric in METRICS:
        title, colon, text = metric.definition.partition(": ")
        assert title, metric.name
        assert colon, metric.name
        assert text.endswith("."), metric.name


@pytest.mark.parametrize("name", ["tokens_total", "steps", "cost_usd", "calls", "judge_cost_usd", "wall_env_s"])
def test_less_of_what_is_spent_is_better(name: str) -> None:
    metric = find_metric(name)
    assert metric is not None
    assert (metric.better, metric.sign) == (Better.LOWER, -1)


@pytest.mark.parametrize("name", ["success", "progress", "f1", "valid_action_rate", "progress_at_5"])
def test_more_of_what_is_reached_is_better(name: str) -> None:
    metric = find_metric(name)
    assert metric is not None
    assert (metric.better, metric.sign, metric.is_share) == (Better.HIGHER, 1, True)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("tokens", "tokens_total"),
        ("context", "context_tokens_mean"),
        ("cost", "cost_usd"),
        ("success_rate", "success"),
        ("progress_rate", "progress"),
        ("turn_ndcg_at_10", "turn_ndcg_at_10"),
        ("calls_summarize", "calls_summarize"),
        ("notes_always_on_tokens", "notes_always_on_tokens"),
    ],
)
def test_short_names_and_families_are_found(name: str, found: str) -> None:
    metric = find_metric(name)
    assert metric is not None
    assert metric.name == found


def test_family_takes_numbers_only_where_it_counts() -> None:
    assert find_metric("progress_at_x") is None
    curve = find_metric("progress_at_20")
    assert curve is not None
    assert curve.aggregate is Aggregate.CARRIED_MEAN


def test_resolve_takes_a_short_name_of_a_present_metric() -> None:
    assert resolve_metric("compare", "tokens", PRESENT).name == "tokens_total"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("succes", "expected a metric, got 'succes'; did you mean success"),
        ("zzz", "expected a metric, got 'zzz'; known: length, progress"),
        ("f1", "that this run has values for, got 'f1'; it has success, progress, tokens_total, progress_at_5"),
        ("length", "of the catalogue, got 'length', a score that no entry describes"),
    ],
)
def test_resolve_refuses_what_it_cannot_read(given: str, message: str) -> None:
    with pytest.raises(UsageError, match=f"^compare: .*{message}"):
        resolve_metric("compare", given, PRESENT)


def test_columns_are_shown_by_rule() -> None:
    rows = [{"a": 0.0, "b": 1.0, "c": 0.0, "d": None}]
    assert [known(name, rows) for name in "abd"] == [True, True, False]
    assert [nonzero(name, rows) for name in "abd"] == [False, True, False]
    assert nonzero_of("b")("a", rows)
    assert not nonzero_of("a")("b", rows)
    assert differs_from("a")("b", rows)
    assert not differs_from("a")("c", rows)
    assert not differs_from("a")("d", rows)
