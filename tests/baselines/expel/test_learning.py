"""What ExpeL learns: which calls it makes, on what, and what it stores."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from baselines.expel.learning import learn, split_chunks
from baselines.expel.strategy import STRATEGY
from baselines.shared.experience import read_pool
from baselines.shared.insights import InsightPool, Rejection, read_insights
from bench.types import Artifact, Trial
from tests.baselines.learners import Script, make_kit, make_trial

NONE = '{"operations": []}'
FAILED = ("open box", "It is locked.")
SOLVED = ("unlock box", "It opens.")


def gather(*solved: str) -> list[Trial]:
    """Two failures and a success of each task, and a task that was never solved."""
    trials = [make_trial("t9", "Open the safe.", FAILED, won=False)]
    for name in solved:
        goal = f"Open the box of {name}."
        trials += [
            make_trial(name, goal, SOLVED, won=True, attempt=3),
            make_trial(name, goal, FAILED, FAILED, won=False, attempt=2),
            make_trial(name, goal, FAILED, won=False, attempt=1),
        ]
    return trials


def run(trials: Sequence[Trial], *replies: str, **given: str) -> tuple[Artifact, Script]:
    script = Script([*replies] or [NONE])
    return learn(trials, make_kit(STRATEGY, script, **given)), script


def test_each_failure_is_compared_with_the_success_of_its_task_in_order_then_come_successes() -> None:
    _, script = run(gather("t2", "t1"))
    assert [role for role, _ in script.asked] == ["insight"] * 5
    compared = [request for request in script.requests() if "# Failed attempt" in request]
    assert compared == script.requests()[:4]
    assert [request.splitlines()[1] for request in compared] == [f"Open the box of t{n}." for n in (1, 1, 2, 2)]
    assert [request.count("It is locked.") for request in compared] == [1, 2, 1, 2]
    assert all("# Successful attempt\n[1] Action: unlock box" in request for request in script.requests())
    assert script.requests()[4].count("# Successful attempt") == 2


@pytest.mark.parametrize("number", [0, 1, 7, 8, 9, 17])
def test_number_of_calls_is_that_of_the_cost_model(number: int) -> None:
    _, script = run(gather(*(f"t{n:02d}" for n in range(number))))
    assert len(script.asked) == 2 * number + -(-number // 8)


def test_chunks_are_nearly_equal_and_hold_every_success_once() -> None:
    trials = [trial for trial in gather(*"abcdefghi") if trial.key.attempt == 3]
    chunks = split_chunks(trials, 4, random.Random(1))
    assert sorted(map(len, chunks)) == [3, 3, 3]
    assert sorted(one.key.task for chunk in chunks for one in chunk) == list("abcdefghi")
    assert split_chunks(trials, 4, random.Random(1)) == chunks
    assert [sorted(t.key.task for t in c) for c in chunks] != [list("adg"), list("beh"), list("cfi")]


def test_shortest_success_of_each_task_is_stored_with_its_vector_and_source() -> None:
    longer = make_trial("t1", "Open the box of t1.", FAILED, SOLVED, won=True, attempt=4)
    artifact, _ = run([longer, *gather("t1")])
    (only,) = read_pool(artifact).values()
    assert only.steps == "[1] Action: unlock box\n[1] Observation: It opens."
    assert artifact.files["vectors/0001.txt"].startswith("hash")
    assert artifact.sources["vectors/0001.txt"] == artifact.sources["experience/0001.txt"] == ("t1",)


def test_insights_name_the_tasks_that_they_come_from() -> None:
    added = '{"operations": [{"op": "add", "text": "Look for a key."}]}'
    edited = '{"operations": [{"op": "edit", "id": 1, "text": "Unlock what is locked."}]}'
    artifact, _ = run(gather("t1", "t2"), added, NONE, NONE, edited, NONE)
    assert [one.text for one in read_insights(artifact, "insights/")] == ["Unlock what is locked."]
    assert artifact.sources["insights/0001.txt"] == ("t1", "t2")


def test_useless_replies_are_counted_and_learning_goes_on() -> None:
    replies = ["None.", "None.", '{"operations": [{"op": "upvote", "id": 7}, {"op": "add", "text": ""}]}', NONE]
    artifact, script = run(gather("t1"), *replies)
    pool = InsightPool.replay(artifact.files["insights/operations.jsonl"])
    assert pool.rejected == {Rejection.NO_JSON: 1, Rejection.UNKNOWN_ID: 1, Rejection.EMPTY_TEXT: 1}
    assert len(script.asked) == 4  # one more than the cost model: asked again
    assert pool.insights == ()


@pytest.mark.parametrize("trials", [[], gather(), [make_trial("t1", "Open it.", won=False)]])
def test_pool_without_a_success_gives_no_call_no_success_and_no_insight(trials: list[Trial]) -> None:
    artifact, script = run(trials)
    assert script.asked == []
    assert list(artifact.files) == ["insights/operations.jsonl"]


def test_failed_attempt_without_a_step_is_not_compared() -> None:
    empty = make_trial("t1", "Open the box of t1.", won=False, attempt=0)
    _, script = run([empty, *gather("t1")])
    assert len(script.asked) == 3


def test_parts_that_are_off_cost_no_call_and_are_not_stored() -> None:
    artifact, script = run(gather("t1"), insights="off")
    assert script.asked == []
    assert sorted(artifact.files) == ["experience/0001.txt", "vectors/0001.txt"]
    artifact, script = run(gather("t1"), retrieve="off")
    assert len(script.asked) == 3
    assert sorted(artifact.files) == ["insights/operations.jsonl"]


def test_parameters_set_the_cap_and_the_size_of_chunks() -> None:
    added = '{"operations": [{"op": "add", "text": "Look for a key."}]}'
    _, script = run(gather("t1", "t2"), added, NONE, cap="1", chunk="1")
    assert len(script.asked) == 6
    full = ["The list is full" in messages[0].content for _, messages in script.asked]
    assert full == [False, True, True, True, True, True]
