from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.oracle_evidence import STRATEGY
from bench.conformance.rules import check_strategy
from bench.protocols import Memory, count_words
from bench.types import Query, Shape

WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven")


def _memory(history: Any, evidence: Sequence[str], around: int = 0, session_of: int = 4) -> Memory:
    kit = replace(history.kit(STRATEGY, {"around": str(around)}), evidence=lambda _query: tuple(evidence))
    memory: Memory = history.feed(STRATEGY.build(kit).memory, history.conversation(*WORDS, session_of=session_of))
    return memory


def test_strategy_is_privileged() -> None:
    assert STRATEGY.privileged
    assert STRATEGY.serves == {Shape.CONVERSATION}


@pytest.mark.parametrize("given", [{}, {"around": "2"}], ids=str)
def test_check_strategy_passes(given: dict[str, str]) -> None:
    assert [result for result in check_strategy(STRATEGY, given) if not result.passed] == []


def test_recall_shows_exactly_the_evidence_in_time_order(history: Any) -> None:
    context = _memory(history, ["t5", "t1", "t5"]).recall(history.question("?"))
    assert context.text == "[1 May] Bob: one\n[2 May] Bob: five"
    assert context.refs == context.ranking == ("t1", "t5")
    assert not context.truncated


def test_recall_asks_for_the_evidence_of_the_query(history: Any) -> None:
    asked: list[Query] = []

    def evidence(query: Query) -> tuple[str, ...]:
        asked.append(query)
        return ("t2",) if query.text == "two?" else ()

    kit = replace(history.kit(STRATEGY), evidence=evidence)
    memory = history.feed(STRATEGY.build(kit).memory, history.conversation(*WORDS))
    assert memory.recall(history.question("two?")).refs == ("t2",)
    assert memory.recall(history.question("nine?")).refs == ()
    assert asked == [history.question("two?"), history.question("nine?")]


def test_neighbours_are_of_the_same_session_and_rank_behind_the_evidence(history: Any) -> None:
    context = _memory(history, ["t4"], around=2).recall(history.question("?"))
    assert context.refs == ("t4", "t5", "t6"), "t3 is of the session before"
    context = _memory(history, ["t2"], around=1).recall(history.question("?"))
    assert context.refs == ("t1", "t2", "t3")
    assert context.ranking == ("t2", "t1", "t3")


def test_recall_under_a_budget_prefers_evidence_to_neighbours(history: Any) -> None:
    memory = _memory(history, ["t1", "t6"], around=1)  # lines of 4 words
    context = memory.recall(history.question("?", 9))
    assert (context.refs, context.truncated) == (("t1", "t6"), True)
    assert memory.recall(history.question("?", 3)).refs == ()


@pytest.mark.parametrize("evidence", [[], ["nobody-said-this"]])
def test_recall_without_evidence_is_empty(history: Any, evidence: list[str]) -> None:
    context = _memory(history, evidence, around=3).recall(history.question("?"))
    assert (context.text, context.refs, context.ranking, context.truncated) == ("", (), (), False)


def test_recall_outside_the_benchmark_is_empty(history: Any) -> None:
    context = history.memory(STRATEGY, history.conversation(*WORDS)).recall(history.question("?"))
    assert (context.text, context.refs) == ("", ())


REFS = st.lists(st.sampled_from([*(f"t{i}" for i in range(8)), "elsewhere"]), max_size=6)


@given(REFS, st.integers(0, 4), st.integers(1, 8), st.integers(0, 40))
def test_recall_is_within_the_budget_and_cites_evidence_first(
    history: Any, evidence: list[str], around: int, session_of: int, budget: int
) -> None:
    memory = _memory(history, evidence, around, session_of)
    free, held = memory.recall(history.question("?")), memory.recall(history.question("?", budget))
    needed = {ref for ref in evidence if ref != "elsewhere"}
    assert needed <= set(free.refs)
    assert set(free.ranking[: len(needed)]) == needed
    assert sorted(free.refs) == list(free.refs) == sorted(set(free.ranking))
    for ref in free.refs:
        place = int(ref[1:])
        near = [int(one[1:]) for one in needed if int(one[1:]) // session_of == place // session_of]
        assert min(abs(place - one) for one in near) <= around
    assert count_words(held.text) <= budget
    assert held.ranking == free.ranking
    assert held.truncated == (len(held.refs) < len(free.refs))
