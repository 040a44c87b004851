"""Evidence scores by hand, at their edges, and what holds for any ranking."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.scoring.evidence import (
    SESSION_AT,
    TURN_AT,
    jaccard,
    ndcg,
    ndcg_official,
    precision,
    recall,
    recall_all,
    recall_any,
    reward,
    score_evidence,
)
from bench.types import Context, Score

SESSIONS = {f"D{s}:{t}": str(s) for s in range(1, 9) for t in range(1, 9)}


def scored(shown: Sequence[str], ranked: Sequence[str], needed: Sequence[str]) -> dict[str, Score]:
    found = score_evidence(Context("", tuple(shown), ranking=tuple(ranked)), needed, SESSIONS)
    assert len({score.name for score in found}) == len(found)
    return {score.name: score for score in found}


def values(shown: Sequence[str], ranked: Sequence[str], needed: Sequence[str]) -> dict[str, float | None]:
    return {name: score.value for name, score in scored(shown, ranked, needed).items()}


def test_a_context_is_a_set_of_turns() -> None:
    found = values(["D1:1", "D1:2", "D2:1", "D1:1", "D2:5"], [], ["D1:1", "D2:2", "D3:1"])
    assert found["evidence_recall"] == pytest.approx(1 / 3)
    assert found["evidence_precision"] == pytest.approx(1 / 4)  # a turn cited twice counts once
    assert found["evidence_jaccard"] == pytest.approx(1 / 6)
    assert found["evidence_session_recall"] == pytest.approx(2 / 3)
    assert found["evidence_recall_official"] == found["evidence_recall"]


def test_a_context_that_cites_nothing_has_found_nothing() -> None:
    found = values([], [], ["D1:1"])
    assert [found[f"evidence_{name}"] for name in ("recall", "precision", "jaccard", "session_recall")] == [0.0] * 4


def test_a_ranking_is_scored_by_its_first_k() -> None:
    ranked = ["D1:1", "D1:2", "D2:1", "D1:3", "D1:4", "D1:5", "D3:1", "D1:6", "D4:1", "D5:1", "D6:1"]
    found = values([], ranked, ["D2:1", "D6:1"])
    assert (found["turn_recall_at_5"], found["turn_recall_at_10"], found["turn_recall_at_50"]) == (0.5, 0.5, 1.0)
    assert (found["turn_recall_any_at_5"], found["turn_recall_all_at_10"], found["turn_recall_all_at_50"]) == (1, 0, 1)
    ideal = 1 + 1 / math.log2(3)
    assert found["turn_ndcg_at_5"] == pytest.approx((1 / math.log2(4)) / ideal)
    assert found["turn_ndcg_at_50"] == pytest.approx((1 / math.log2(4) + 1 / math.log2(12)) / ideal)
    assert found["turn_ndcg_official_at_5"] == pytest.approx((1 / math.log2(3)) / 2)
    assert found["turn_ndcg_official_at_50"] == pytest.approx((1 / math.log2(3) + 1 / math.log2(11)) / 2)


def test_sessions_are_ranked_by_their_first_turn() -> None:
    ranked = ["D1:1", "D1:2", "D2:3", "D1:4", "D3:1", "D4:1", "D5:1", "D6:1", "D2:2"]
    found = values([], ranked, ["D2:2", "D2:5", "D6:4"])  # sessions 1, 2, 3, 4, 5, 6; needed 2 and 6
    assert (found["session_recall_at_5"], found["session_recall_at_10"]) == (0.5, 1.0)
    assert found["session_ndcg_at_5"] == pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3)))
    assert found["session_ndcg_official_at_5"] == pytest.approx(1.0 / 2)
    assert found["turn_recall_at_10"] == pytest.approx(1 / 3)


def test_a_turn_of_no_known_session_is_a_session_of_its_own() -> None:
    assert values(["note-1"], ["note-1", "D1:1"], ["note-1"])["evidence_session_recall"] == 1.0
    assert values(["note-2"], ["note-2"], ["note-1"])["session_recall_at_5"] == 0.0


def test_the_official_discount_makes_ranks_one_and_two_alike_and_the_standard_one_does_not() -> None:
    first, second = ["x", "a", "b"], ["a", "x", "b"]
    assert (ndcg_official(first, ["x"], 3), ndcg_official(second, ["x"], 3)) == (1.0, 1.0)
    assert ndcg(first, ["x"], 3) == 1.0
    assert ndcg(second, ["x"], 3) == pytest.approx(1 / math.log2(3))
    third = ["a", "b", "x"]
    assert ndcg(third, ["x"], 3) == pytest.approx(0.5)
    assert ndcg_official(third, ["x"], 3) == pytest.approx(1 / math.log2(3))
    assert ndcg(third, ["x"], 2) == ndcg_official(third, ["x"], 2) == 0.0


def test_where_nothing_is_needed_numbers_are_counted_and_not_averaged() -> None:
    found = scored(["D1:1"], ["D1:1"], [])
    told = {name: score.reason for name, score in found.items() if score.value is None}
    assert set(told.values()) == {"no evidence"}
    assert set(found) - set(told) == {"evidence_jaccard", "evidence_recall_official"}
    assert found["evidence_recall_official"].value == 1.0  # the original's fault, under a name that says so
    assert found["evidence_jaccard"].value == 0.0
    assert scored([], [], [])["evidence_jaccard"].value == 1.0
    assert {s.reason for n, s in scored([], [], []).items() if n.startswith("turn_")} == {"no evidence"}


def test_a_memory_that_ranks_nothing_has_a_context_but_no_ranking() -> None:
    found = scored(["D1:1"], [], ["D1:1"])
    assert found["evidence_recall"].value == 1.0
    ranked = [score for name, score in found.items() if name.startswith(("turn_", "session_"))]
    assert len(ranked) == 5 * (len(TURN_AT) + len(SESSION_AT))
    assert {(score.value, score.reason) for score in ranked} == {(None, "the memory ranks nothing")}


@pytest.mark.parametrize(
    ("shown", "needed", "expected"),
    [([], [], 1.0), (["a"], [], 0.0), ([], ["a"], 0.0), (["a"], ["a"], 1.0), (["a", "a", "b"], ["b", "c"], 1 / 3)],
)
def test_jaccard_at_its_edges(shown: list[str], needed: list[str], expected: float) -> None:
    assert jaccard(shown, needed) == pytest.approx(expected)


def test_every_evidence_score_is_always_present() -> None:
    names = set(scored(["D1:1"], ["D1:1"], ["D1:1"]))
    assert names == set(scored([], [], [])) == set(scored([], ["D1:1"], []))


REFS = st.sampled_from(sorted(SESSIONS))
RANKINGS = st.lists(REFS, unique=True, max_size=64)
NEEDED = st.lists(REFS, unique=True, min_size=1, max_size=8)


@given(st.lists(REFS), st.lists(REFS), st.lists(REFS))
def test_every_score_is_between_0_and_1_or_says_why_not(shown: list[str], ranked: list[str], needed: list[str]) -> None:
    for score in scored(shown, ranked, needed).values():
        if score.value is None:
            assert score.reason
        else:
            assert 0.0 <= score.value <= 1.0 + 1e-12
            assert not score.reason


@given(RANKINGS, NEEDED)
def test_recall_grows_with_k(ranked: list[str], needed: list[str]) -> None:
    for measure in (recall, recall_all, recall_any):
        found = [measure(ranked[:k], needed) for k in range(len(ranked) + 1)]
        assert found == sorted(found)
    for k in range(len(ranked) + 1):
        part = ranked[:k]
        assert recall_all(part, needed) <= recall(part, needed) <= recall_any(part, needed)


@given(NEEDED, RANKINGS, st.integers(1, 60))
def test_a_perfect_ranking_is_1(needed: list[str], others: list[str], k: int) -> None:
    perfect = [*needed, *(ref for ref in others if ref not in needed)]
    assert ndcg(perfect, needed, k) == pytest.approx(1.0)
    assert ndcg_official(perfect, needed, k) == pytest.approx(1.0)
    assert recall(perfect[: len(needed)], needed) == recall_all(perfect[: len(needed)], needed) == 1.0


@given(NEEDED, RANKINGS, st.integers(1, 60))
def test_higher_rank_of_needed_turn_never_lowers_a_score(needed: list[str], ranked: list[str], k: int) -> None:
    place = next((i for i, ref in enumerate(ranked) if i and ref in needed), None)
    if place is None:
        return
    better = [*ranked[: place - 1], ranked[place], ranked[place - 1], *ranked[place + 1 :]]
    assert ndcg(better, needed, k) >= ndcg(ranked, needed, k) - 1e-12
    assert ndcg_official(better, needed, k) >= ndcg_official(ranked, needed, k) - 1e-12


@given(st.lists(REFS), st.lists(REFS), st.lists(REFS, min_size=1))
def test_order_and_repeats_of_a_context_and_of_the_evidence_do_not_matter(
    shown: list[str], ranked: list[str], needed: list[str]
) -> None:
    turned = values([*reversed(shown), *shown], ranked, [*reversed(needed), *needed])
    assert turned == pytest.approx(values(shown, ranked, needed), nan_ok=True)


@pytest.mark.parametrize(
    ("selected", "needed", "value"),
    [
        ((), (), 1.0),  # a question that rests on nothing rewards an empty choice
        (("a",), (), 0.0),
        ((), ("a",), 0.0),
        (("a",), ("a",), 1.0),
        (("a", "a"), ("a",), 1.0),
        (("b",), ("a",), 0.0),
        (("a", "b"), ("a", "c"), 1 / 3),
        (tuple(f"D1:{n}" for n in range(20)), ("D1:7",), 1 / 20),  # a note with 20 sources is costly
    ],
)
def test_reward_is_jaccard_with_its_edge_cases(
    selected: tuple[str, ...], needed: tuple[str, ...], value: float
) -> None:
    assert reward(selected, needed) == pytest.approx(value)
    assert reward(selected, needed) == jaccard(selected, needed)
    assert reward(selected, needed, faults=3, tokens=900) == reward(selected, needed)  # penalties are off


def test_reward_takes_penalties_where_they_are_set() -> None:
    assert reward(["a"], ["a"], faults=2, fault_penalty=0.1) == pytest.approx(0.8)
    assert reward(["a"], ["a"], tokens=500, token_penalty=0.001) == pytest.approx(0.5)
    assert reward([], ["a"], faults=1, fault_penalty=0.5) == -0.5


REFS = st.lists(st.sampled_from("abcd"), max_size=5)


@given(REFS, REFS)
def test_reward_is_a_share_and_the_same_both_ways(selected: list[str], needed: list[str]) -> None:
    assert 0.0 <= reward(selected, needed) <= 1.0
    assert reward(selected, needed) == reward(needed, selected)
    assert (reward(selected, needed) == 1.0) == (set(selected) == set(needed))


def test_precision_of_a_context_that_cites_nothing_is_zero() -> None:
    assert precision([], ["a"]) == 0.0
    assert precision(["a", "b", "b"], ["a"]) == 0.5
