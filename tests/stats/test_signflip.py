"""The sign-flip test over clusters against brute force, SciPy, and what must not change it."""

from __future__ import annotations

import itertools
import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bench.stats import signflip
from bench.stats.signflip import EXACT_CLUSTERS, SAMPLES, SignFlip, sign_flip


def brute(values: list[float], clusters: list[str]) -> float:
    """Two-sided p by trying every pattern of signs of every cluster, those without a difference included."""
    names = sorted(set(clusters))
    sums = [math.fsum(v for v, c in zip(values, clusters, strict=True) if c == name) for name in names]
    observed = abs(math.fsum(sums))
    patterns = list(itertools.product((1, -1), repeat=len(names)))
    totals = [abs(math.fsum(s * x for s, x in zip(signs, sums, strict=True))) for signs in patterns]
    return sum(total >= observed - 1e-9 for total in totals) / len(patterns)


PAIRS = st.lists(st.tuples(st.integers(-4, 4), st.sampled_from("abcdefgh")), min_size=1, max_size=40)


@settings(max_examples=150)
@given(PAIRS, st.sampled_from([1.0, 0.1, 1 / 3]))
def test_p_is_that_of_all_patterns(pairs: list[tuple[int, str]], unit: float) -> None:
    values, clusters = [unit * value for value, _ in pairs], [name for _, name in pairs]
    found = sign_flip(values, clusters, seed=0)
    assert found.p == pytest.approx(brute(values, clusters), abs=1e-12)
    assert found.clusters == len(set(clusters))
    moved = [n for n in set(clusters) if abs(sum(v for v, c in pairs if c == n)) > 0]
    assert found.method == ("exact" if moved else "none")


@settings(max_examples=60)
@given(PAIRS, st.randoms(use_true_random=False))
def test_the_order_the_names_and_the_seed_do_not_matter_where_all_patterns_are_counted(
    pairs: list[tuple[int, str]], random: object
) -> None:
    first = sign_flip([v / 10 for v, _ in pairs], [c for _, c in pairs], seed=1)
    shuffled = list(pairs)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    again = sign_flip([v / 10 for v, _ in shuffled], [f"{ord('z') - ord(c)}" for _, c in shuffled], seed=2)
    assert again.p == pytest.approx(first.p, abs=1e-12)
    assert (again.clusters, again.method) == (first.clusters, first.method)


@settings(max_examples=40)
@given(PAIRS)
def test_the_sign_of_all_differences_does_not_matter(pairs: list[tuple[int, str]]) -> None:
    values, clusters = [v / 7 for v, _ in pairs], [c for _, c in pairs]
    assert sign_flip([-v for v in values], clusters, seed=0).p == pytest.approx(sign_flip(values, clusters, seed=0).p)


@pytest.mark.parametrize("k", [1, 2, 5, 10, EXACT_CLUSTERS])
def test_the_least_p_is_two_over_two_to_the_clusters(k: int) -> None:
    found = sign_flip([0.3 + i for i in range(k)], [f"c{i}" for i in range(k)], seed=0)
    assert found == SignFlip(k, 2 / 2**k, "exact")


def test_where_nothing_differs_p_is_one() -> None:
    assert sign_flip([0.0, 0.0, 0.0], ["a", "a", "b"], seed=0) == SignFlip(2, 1.0, "none")
    assert sign_flip([], [], seed=0) == SignFlip(0, 1.0, "none")
    within = sign_flip([1.0, -1.0, 0.1 + 0.2, -0.3], ["a", "a", "b", "b"], seed=0)
    assert within == SignFlip(2, 1.0, "none")  # gains and losses within a cluster cancel, to the last bit or not


def test_a_cluster_counts_once_however_many_questions_it_holds() -> None:
    many = sign_flip([1.0] * 50 + [1.0] * 50, ["a"] * 50 + ["b"] * 50, seed=0)
    assert many.p == 0.5  # a test that took the questions as independent would give 2 / 2**100
    assert sign_flip([50.0, 50.0], ["a", "b"], seed=0) == many


@pytest.mark.parametrize("size", [5, 9, 12])
def test_clusters_of_one_are_scipys_permutation_test(size: int) -> None:
    rng = np.random.default_rng(size)
    values = (rng.integers(-5, 7, size) / 4).tolist()
    theirs = stats.permutation_test(
        (np.asarray(values, dtype=np.float64),),
        _size_of_sum,
        permutation_type="samples",
        n_resamples=10**6,  # more than there are patterns: all are counted
        alternative="greater",
    )
    ours = sign_flip(values, [f"q{i}" for i in range(size)], seed=0)
    assert ours.p == pytest.approx(float(theirs.pvalue), abs=1e-12)


def _size_of_sum(values: npt.NDArray[np.float64]) -> float:
    return abs(float(np.sum(values)))


def many(k: int, shift: float) -> tuple[list[float], list[str]]:
    rng = np.random.default_rng(11)
    values = (rng.normal(shift, 1, 3 * k)).tolist()
    return values, [f"talk-{i % k}" for i in range(3 * k)]


def test_too_many_patterns_are_sampled_close_to_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    values, clusters = many(14, 0.25)
    exact = sign_flip(values, clusters, seed=3)
    assert exact.method == "exact"
    monkeypatch.setattr(signflip, "EXACT_CLUSTERS", 10)
    sampled = sign_flip(values, clusters, seed=3)
    assert sampled.method == "sampled"
    spread = math.sqrt(exact.p * (1 - exact.p) / SAMPLES)
    assert sampled.p == pytest.approx(exact.p, abs=5 * spread + 1 / SAMPLES)


def test_a_sampled_p_follows_from_its_seed_and_is_never_zero() -> None:
    values, clusters = many(EXACT_CLUSTERS + 6, 0.3)
    one, again, other = (sign_flip(values, clusters, seed=seed) for seed in (1, 1, 2))
    assert one == again
    assert one.method == "sampled"
    assert one.p != other.p
    assert one.p == pytest.approx(other.p, abs=0.01)
    sure = sign_flip([1.0] * 40, [f"c{i}" for i in range(40)], seed=0)
    assert sure == SignFlip(40, 1 / (SAMPLES + 1), "sampled")


def test_clusters_without_a_difference_do_not_turn_counting_into_sampling() -> None:
    names = [f"c{i}" for i in range(60)]
    found = sign_flip([1.0, 1.0, 1.0] + [0.0] * 57, names, seed=0)
    assert found == SignFlip(60, 0.25, "exact")


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_sign_flip_rejects_nan(bad: float) -> None:
    with pytest.raises(ValueError, match="expected finite differences"):
        sign_flip([0.1, bad], ["a", "b"], seed=0)
    with pytest.raises(ValueError, match="shorter"):
        sign_flip([0.1, 0.2], ["a"], seed=0)
