"""The insight pool: what each operation does, what is rejected and counted, and that its log gives the same pool."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as some

from baselines.shared.insights import InsightPool, Kind, Operation, Rejection, read_insights
from bench.types import Artifact


def add(text: str) -> Operation:
    return Operation(Kind.ADD, text=text)


def edit(number: int, text: str) -> Operation:
    return Operation(Kind.EDIT, number, text)


def up(number: int) -> Operation:
    return Operation(Kind.UPVOTE, number)


def down(number: int) -> Operation:
    return Operation(Kind.DOWNVOTE, number)


def fill(pool: InsightPool, number: int) -> InsightPool:
    for at in range(number):
        pool.apply([add(f"Text {at + 1}")], [f"task-{at + 1}"])
    return pool


def counts(pool: InsightPool) -> list[tuple[int, int]]:
    return [(one.id, one.count) for one in pool.insights]


def test_operations_change_counts_and_sort_by_them() -> None:
    pool = fill(InsightPool(20), 4)
    pool.apply([up(3), edit(4, "Better"), down(1)], ["task-9"])
    assert counts(pool) == [(3, 3), (4, 3), (2, 2), (1, 1)]
    assert pool.insights[1].text == "Better"


def test_insight_without_count_is_deleted_and_its_id_is_not_used_again() -> None:
    pool = fill(InsightPool(20), 2)
    pool.apply([down(2)], [])
    pool.apply([down(2)], [])
    pool.apply([add("New")], [])
    assert counts(pool) == [(1, 2), (3, 2)]


@pytest.mark.parametrize(("length", "left"), [(6, 1), (7, 0)])
def test_downvote_takes_three_from_a_pool_that_is_over_full(length: int, left: int) -> None:
    pool = fill(InsightPool(2), length)
    pool.apply([down(1)], [])
    assert dict(counts(pool)).get(1, 0) == left


def test_soft_pool_only_says_that_it_is_full() -> None:
    assert not fill(InsightPool(3), 2).is_full
    pool = fill(InsightPool(3), 5)
    assert pool.is_full
    assert len(pool.insights) == 5


def test_hard_pool_evicts_the_lowest_count_and_of_equals_the_oldest() -> None:
    pool = fill(InsightPool(3, "hard"), 3)
    pool.apply([up(1), down(3), add("Text 4")], [])
    assert counts(pool) == [(1, 3), (2, 2), (4, 2)]
    pool.apply([add("Text 5")], [])
    assert counts(pool) == [(1, 3), (4, 2), (5, 2)]


def test_sources_are_the_tasks_that_the_text_was_written_from() -> None:
    pool = fill(InsightPool(20), 1)
    pool.apply([up(1)], ["task-2"])
    pool.apply([edit(1, "Other")], ["task-4", "task-3"])
    assert pool.insights[0].sources == ("task-1", "task-3", "task-4")


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ([up(0)], Rejection.ID_ZERO),
        ([edit(9, "Other")], Rejection.UNKNOWN_ID),
        ([up(1), down(1)], Rejection.SECOND_ON_ID),
        ([add("  ")], Rejection.EMPTY_TEXT),
        ([edit(1, ".")], Rejection.EMPTY_TEXT),
        ([add("text  2.")], Rejection.DUPLICATE),
        ([edit(1, "Text 2")], Rejection.DUPLICATE),
        ([add("New"), add("new.")], Rejection.DUPLICATE),
        ([add(f"New {at}") for at in range(5)], Rejection.TOO_MANY),
    ],
)
def test_operation_that_cannot_be_applied_is_counted_with_its_reason(
    asked: Sequence[Operation], reason: Rejection
) -> None:
    pool, expected = fill(InsightPool(20), 2), fill(InsightPool(20), 2)
    pool.apply(asked, [])
    expected.apply(asked[:-1], [])
    assert pool.rejected == {reason: 1}
    assert pool.insights == expected.insights


def test_rejected_operation_does_not_take_the_room_of_another() -> None:
    pool = InsightPool(20)
    pool.apply([up(1), up(2), *(add(f"New {at}") for at in range(4))], [])
    assert len(pool.insights) == 4


_OPERATIONS = some.builds(
    Operation,
    some.sampled_from(Kind),
    some.integers(0, 9),
    some.sampled_from(["", "a", "A.", "b", "c\u2028", "d", "e"]),
)
_CALLS = some.lists(some.tuples(some.lists(_OPERATIONS, max_size=6), some.lists(some.sampled_from("xyz"))), max_size=12)


@given(_CALLS, some.integers(0, 3), some.sampled_from(["soft", "hard"]))
def test_log_gives_the_same_pool(calls: list[tuple[list[Operation], list[str]]], capacity: int, mode: str) -> None:
    pool = InsightPool(capacity, "hard" if mode == "hard" else "soft")
    logs = [pool.log]
    for operations, tasks in calls:
        pool.apply(operations, tasks)
        logs.append(pool.log)
    again = InsightPool.replay(pool.log)
    assert (again.insights, again.rejected, again.log) == (pool.insights, pool.rejected, pool.log)
    assert all(after.startswith(before) for before, after in pairwise(logs))  # append-only


@given(_CALLS, some.integers(0, 3))
def test_pool_stays_in_order_and_within_its_limits(
    calls: list[tuple[list[Operation], list[str]]], capacity: int
) -> None:
    pool = InsightPool(capacity, "hard")
    for operations, tasks in calls:
        pool.apply(operations, tasks)
        held = [one.count for one in pool.insights]
        assert held == sorted(held, reverse=True)
        assert all(count > 0 for count in held)
        assert len(held) <= capacity


def test_files_are_one_for_each_insight_with_its_sources_and_are_read_back() -> None:
    pool = fill(InsightPool(20), 2)
    pool.apply([up(2)], ["task-7"])
    artifact = pool.write("insights/")
    assert artifact.files["insights/0001.txt"] == "Text 2\n(insight 2, count 3)\n"
    assert artifact.sources == {"insights/0001.txt": ("task-2",), "insights/0002.txt": ("task-1",)}
    read = read_insights(artifact, "insights/")
    assert [(one.id, one.text, one.count) for one in read] == [(2, "Text 2", 3), (1, "Text 1", 2)]
    assert InsightPool.replay(artifact.files["insights/operations.jsonl"]).insights == pool.insights


def test_log_names_tasks_and_rejections_of_each_call() -> None:
    pool = InsightPool(20)
    pool.apply([add("New"), up(4)], ["b", "a"], {Rejection.NOT_AN_OPERATION: 2})
    _, call = map(json.loads, pool.log.splitlines())
    assert call["tasks"] == ["a", "b"]
    assert call["rejected"] == {"not an operation": 2, "unknown id": 1}


def test_files_from_elsewhere_are_read_as_plain_text_or_passed_over() -> None:
    files = {"insights/b.txt": "Written\nby hand.", "insights/a.txt": " \n", "insights/x.md": "no", "b.txt": "no"}
    (only,) = read_insights(Artifact(files), "insights/")
    assert (only.text, only.count) == ("Written by hand.", 2)


@pytest.mark.parametrize("log", ['{"size": 3}\n', "no log\n", '{"capacity": 3, "mode": "soft"}\n[]\n'])
def test_replay_rejects_what_is_no_log(log: str) -> None:
    with pytest.raises(ValueError, match="insights: expected a log of operations"):
        InsightPool.replay(log)
