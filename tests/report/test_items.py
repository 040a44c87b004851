"""What may stand in one table, and what is refused."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest

from bench.errors import UsageError
from bench.report.items import find_strategy, prepare, score_names, split_blocks


def test_items_of_different_order_are_the_same_table(items: pd.DataFrame) -> None:
    shuffled = items.sample(frac=1, random_state=3)
    pd.testing.assert_frame_equal(prepare(items), prepare(shuffled))


def test_an_empty_frame_a_missing_column_and_a_trial_twice_are_refused(items: pd.DataFrame) -> None:
    with pytest.raises(UsageError, match="at least one planned trial"):
        prepare(items.iloc[:0])
    with pytest.raises(UsageError, match="none named cluster"):
        prepare(items.drop(columns="cluster"))
    with pytest.raises(UsageError, match=r"'task-000' of 'bm25' more than once \(in demo and other\)"):
        prepare(pd.concat([items, items.assign(run="other")]))


def test_two_environments_on_one_task_are_refused_with_field_and_values(items: pd.DataFrame) -> None:
    changed = items.copy()
    mine = changed["strategy"] == "bm25"
    changed.loc[mine, "fingerprint"] = changed.loc[mine, "fingerprint"].str.replace("d1", "d2")
    with pytest.raises(UsageError, match=r"env\.data = 'd2' \(bm25 .*'d1'") as caught:
        prepare(changed)
    assert "house-v1 test" in str(caught.value)


def test_two_environments_on_different_tasks_are_refused(items: pd.DataFrame) -> None:
    first = items[(items["strategy"] == "bm25") & (items["task"] < "task-020")]
    second = items[(items["strategy"] == "window:k=5") & (items["task"] >= "task-020")].assign(run="later")
    second["fingerprint"] = second["fingerprint"].str.replace("d1", "d2")
    with pytest.raises(UsageError, match=r"env\.data"):
        prepare(pd.concat([first, second]))


def test_a_grammar_per_task_and_other_packages_are_no_other_environment(items: pd.DataFrame) -> None:
    assert len(set(items["fingerprint"])) == 2
    mine = items["strategy"] == "bm25"
    items.loc[mine, "fingerprint"] = items.loc[mine, "fingerprint"].str.replace('"package": "1"', '"package": "2"')
    assert len(prepare(items)) == len(items)


def test_without_marked_fields_every_field_counts(items: pd.DataFrame) -> None:
    items["fingerprint"] = ['{"data": "a"}' if s == "bm25" else '{"data": "b"}' for s in items["strategy"]]
    with pytest.raises(UsageError, match="data = 'a'"):
        prepare(items)


def test_names_are_found_without_their_version(items: pd.DataFrame) -> None:
    versioned = items.assign(strategy=items["strategy"].str.replace("bm25", "bm25-v2"))
    assert find_strategy("bm25", versioned) == "bm25-v2"
    assert find_strategy("window:k=5", versioned) == "window:k=5"
    with pytest.raises(UsageError, match="did you mean embedding"):
        find_strategy("embeding", versioned)


def test_blocks_separate_models_and_attempts(build: Callable[..., pd.DataFrame]) -> None:
    one = build(4)
    both = pd.concat([one, one.assign(attempt=2), one.assign(model="gpt", offline=False)])
    names = [block.name for block in split_blocks(prepare(both))]
    assert names == [
        "house-v1 · test · gpt",
        "house-v1 · test · offline/reader, offline (rule-based)",
        "house-v1 · test · offline/reader, offline (rule-based) · attempt 2",
    ]


def test_score_names_are_in_natural_order(items: pd.DataFrame) -> None:
    names = score_names(items)
    assert "wall_s" not in names
    assert "optimal_steps" not in names
    assert names.index("progress_at_5") < names.index("progress_at_10")


def test_wall_times_are_divided_among_items(items: pd.DataFrame) -> None:
    half = items[items["task"] == "task-000"]
    both = pd.concat([half.assign(item="q1"), half.assign(item="q2")])
    assert set(prepare(both)["wall_env_s"]) == {0.15}
