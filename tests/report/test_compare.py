"""Two strategies head to head."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from bench.errors import UsageError
from bench.report.compare import compare, render_comparison
from bench.stats.mcnemar import mcnemar


def test_success_is_compared_by_mcnemar_with_flips(items: pd.DataFrame) -> None:
    (found,) = compare(items, "embedding", "full-history")
    wide = items.pivot_table(index="task", columns="strategy", values="success")
    gap = wide["embedding"] - wide["full-history"]
    wins, losses = int((gap > 0).sum()), int((gap < 0).sum())
    assert (found.wins, found.ties, found.losses) == (wins, 40 - wins - losses, losses)
    assert found.mcnemar == mcnemar(wins, losses, 40 - wins - losses)
    assert found.mcnemar is not None
    assert found.wilcoxon.p == pytest.approx(found.mcnemar.p)
    assert found.difference == pytest.approx(gap.mean())
    assert found.interval.low <= found.difference <= found.interval.high
    assert {flip.task for flip in found.flips} == set(gap[gap != 0].index)
    assert found.by_cluster is not None
    assert found.by_cluster.units == 10


def test_fewer_tokens_are_a_win(items: pd.DataFrame) -> None:
    (found,) = compare(items, "embedding", "full-history", "tokens")
    cheaper = items.pivot_table(index="task", columns="strategy", values="tokens_total")
    assert found.metric == "tokens_total"
    assert found.wins == int((cheaper["embedding"] < cheaper["full-history"]).sum())
    assert found.sizes.lower == found.wins
    assert found.mcnemar is None


def test_swapped_comparison_has_opposite_signs(items: pd.DataFrame) -> None:
    (one,), (other,) = compare(items, "bm25", "embedding"), compare(items, "embedding", "bm25")
    assert one.difference == pytest.approx(-other.difference)
    assert one.wilcoxon.p == other.wilcoxon.p
    assert (one.wins, one.losses) == (other.losses, other.wins)
    assert one.sizes.shift == pytest.approx(-other.sizes.shift)


def test_the_same_strategy_never_differs(items: pd.DataFrame) -> None:
    (found,) = compare(items, "bm25", "bm25")
    assert (found.wilcoxon.p, found.mde, found.flips) == (1.0, None, ())


def test_every_task_its_own_cluster_needs_no_second_interval(items: pd.DataFrame) -> None:
    (found,) = compare(items.assign(cluster=items["task"]), "bm25", "embedding", "progress_rate")
    assert found.by_cluster is None


def test_comparison_text_has_every_test(items: pd.DataFrame) -> None:
    found = compare(items, "embedding", "full-history")
    text = " ".join(render_comparison(found).split())
    for said in (
        "McNemar, exact",
        "Flipped tasks",
        "95 % t interval",
        "zero rule wilcox",
        "over 10 clusters",
        "points",
    ):
        assert said in text
    assert "Largest differences" in render_comparison(compare(items, "bm25", "embedding", "tokens"), "md", flips=3)
    (record,) = json.loads(render_comparison(found, "json"))
    assert record["mcnemar"]["wins"] == found[0].wins
    (few,) = compare(items.assign(cluster=items["group"]), "embedding", "full-history")
    assert (few.independent, few.by_cluster and few.by_cluster.units) == (True, 3)


def test_compare_rejects_unknown_names(items: pd.DataFrame) -> None:
    with pytest.raises(UsageError, match="did you mean success"):
        compare(items, "bm25", "embedding", "succes")
    with pytest.raises(UsageError, match="did you mean bm25"):
        compare(items, "bm26", "embedding")
    with pytest.raises(UsageError, match="expected --format"):
        render_comparison(compare(items, "bm25", "embedding"), "html")
    apart = items[~((items["strategy"] == "bm25") ^ (items["task"] < "task-020"))]
    with pytest.raises(UsageError, match="scored for both"):
        compare(apart, "bm25", "embedding")


@pytest.mark.parametrize(
    ("metric", "test"),
    [("success", "McNemar's exact test"), ("progress", "Wilcoxon signed-rank test, exact")],
)
def test_comparison_names_the_test_that_it_ran(items: pd.DataFrame, metric: str, test: str) -> None:
    (found,) = compare(items, "embedding", "full-history", metric)
    assert found.test.startswith(test)
    assert found.mcnemar is not None or metric == "progress"
    assert found.p_value == (found.mcnemar.p if found.mcnemar else found.wilcoxon.p)
    line = next(line for line in render_comparison([found]).splitlines() if line.startswith("paired test"))
    assert f"(two-sided; {test}" in line


def test_comparison_of_equals_and_of_conversations_names_its_test(items: pd.DataFrame) -> None:
    (same,) = compare(items, "bm25", "bm25", "progress")
    assert (same.test, same.p_value) == ("none: no task differs", 1.0)
    talks = items.assign(task=items["cluster"], fingerprint="{}")
    (found,) = compare(talks, "bm25", "full-history")
    assert found.test == "sign-flip test over 10 conversations, exact"
    assert found.sign_flip is not None
    assert found.p_value == found.sign_flip.p
    (alone,) = compare(talks.assign(task="talk", cluster="talk"), "bm25", "full-history")
    assert (alone.test, alone.p_value) == ("none: one conversation says nothing about others", None)
    assert "paired test" in render_comparison([alone])
