"""Reciprocal rank fusion: points, ties, and which rankings agree."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from baselines.shared.rank_fusion import fuse_rankings

RANKINGS = st.lists(st.integers(0, 30), unique=True, max_size=20)


def test_fuse_rankings_sums_points_over_both() -> None:
    assert fuse_rankings([[1, 2, 3], [3, 2, 1]], 60) == [3, 1, 2], (
        "1/61 + 1/63 is more than 2/62, and of equals the later first"
    )
    assert fuse_rankings([[1, 2], [3]], 60) == [3, 1, 2]


def test_fuse_rankings_large_constant_rewards_agreement() -> None:
    rankings = [[9, 1, 2, 5], [8, 3, 4, 5]]
    assert fuse_rankings(rankings, 60)[0] == 5
    assert fuse_rankings(rankings, 0)[0] == 9


@given(RANKINGS, st.integers(0, 100))
def test_fuse_rankings_keeps_equal_rankings(ranking: list[int], constant: int) -> None:
    assert fuse_rankings([ranking, ranking], constant) == ranking
    assert fuse_rankings([ranking, []], constant) == ranking


@given(RANKINGS, RANKINGS, st.integers(0, 100))
def test_fuse_rankings_returns_each_item_once_in_either_order(one: list[int], other: list[int], constant: int) -> None:
    fused = fuse_rankings([one, other], constant)
    assert sorted(fused) == sorted({*one, *other})
    assert fuse_rankings([other, one], constant) == fused
    for unit in set(one) & set(other):
        worse = [i for i in one if i in other and one.index(i) > one.index(unit) and other.index(i) > other.index(unit)]
        assert all(fused.index(unit) < fused.index(i) for i in worse)
