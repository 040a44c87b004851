"""Advantages and weights against values computed by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.horma.train.advantages import LossKind, compute_advantages, weigh_tokens


def test_advantages_of_two_groups_are_those_computed_by_hand() -> None:
    # Group 1: mean 0.5, deviation of the sample sqrt((0.25 + 0.25) / 1) = 0.70711; group 2: all equal.
    found = compute_advantages([0.0, 1.0, 0.3, 0.3], 2)
    assert found[:2] == pytest.approx([-0.5 / (0.5**0.5 + 1e-4), 0.5 / (0.5**0.5 + 1e-4)])
    assert found[2:] == [0.0, 0.0]


def test_advantages_of_four_are_those_computed_by_hand() -> None:
    # Mean 0.25, squared distances 0.5625 + 3 * 0.0625 = 0.75, / 3 = 0.25, deviation 0.5.
    assert compute_advantages([1.0, 0.0, 0.0, 0.0], 4) == pytest.approx([0.75 / 0.5001, *[-0.25 / 0.5001] * 3])


def test_advantages_without_scale_are_distances_from_the_mean() -> None:
    assert compute_advantages([1.0, 0.0, 0.5, 0.5], 2, scale=False) == [0.5, -0.5, 0.0, 0.0]


def test_equal_rewards_teach_exactly_nothing() -> None:
    # 0.1 added up ten times and divided is not 0.1: the rounded difference must not become an advantage.
    assert compute_advantages([0.1] * 10, 10) == [0.0] * 10


@pytest.mark.parametrize(("rewards", "size"), [([1.0, 0.0, 1.0], 2), ([1.0], 1)])
def test_groups_that_are_not_full_are_refused(rewards: list[float], size: int) -> None:
    with pytest.raises(ValueError, match="expected full groups of at least 2"):
        compute_advantages(rewards, size)


@given(st.lists(st.floats(0, 1), min_size=4, max_size=4), st.booleans())
def test_advantages_of_a_group_add_up_to_nothing(rewards: list[float], scale: bool) -> None:
    assert sum(compute_advantages(rewards, 4, scale=scale)) == pytest.approx(0, abs=1e-6)


def test_weights_are_those_of_each_normaliser() -> None:
    assert weigh_tokens([2, 4], LossKind.GRPO, 10) == [1 / 4, 1 / 8]
    assert weigh_tokens([2, 4], LossKind.DAPO, 10) == [1 / 6, 1 / 6]
    assert weigh_tokens([2, 4], LossKind.DR_GRPO, 10) == [1 / 20, 1 / 20]
    assert weigh_tokens([0, 2], LossKind.GRPO, 10) == [0.0, 1 / 4]
    assert weigh_tokens([0, 0], LossKind.DAPO, 10) == [1.0, 1.0]


@given(st.lists(st.integers(1, 50), min_size=1, max_size=9), st.sampled_from((LossKind.GRPO, LossKind.DAPO)))
def test_weights_of_a_batch_add_up_to_one(counts: list[int], kind: LossKind) -> None:
    weights = weigh_tokens(counts, kind, 100)
    assert sum(count * weight for count, weight in zip(counts, weights, strict=True)) == pytest.approx(1)
