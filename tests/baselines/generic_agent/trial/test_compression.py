"""Lengths, the cut that keeps both ends, and where the past may begin."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.generic_agent.trial.compression import Entry, Lengths, compress, cut_middle, iterate_turn_starts


@given(st.text(max_size=300), st.integers(0, 120))
def test_cut_middle_keeps_both_ends_within_the_length(text: str, chars: int) -> None:
    cut = cut_middle(text, chars)
    assert len(cut) <= chars or cut == text
    assert cut_middle(cut, chars) == cut
    if len(text) > chars > 10:
        head, _, tail = cut.partition(" … ")
        assert text.startswith(head)
        assert text.endswith(tail)


def test_cut_middle_takes_half_from_each_end() -> None:
    assert cut_middle("a" * 50 + "b" * 50, 23) == "a" * 10 + " … " + "b" * 10


@pytest.mark.parametrize(
    ("budget", "lengths"),
    [
        (30_000, Lengths(10_000, 800, 20_000)),
        (100_000, Lengths(10_000, 800, 20_000)),
        (2_400, Lengths(800, 400, 1_600)),
        (400, Lengths(400, 200, 800)),
        (0, Lengths(400, 200, 800)),
    ],
)
def test_lengths_scale_with_the_budget(budget: int, lengths: Lengths) -> None:
    assert Lengths.for_budget(budget) == lengths


def entries(*turns: int) -> list[Entry]:
    return [Entry(turn, f"[{turn}] ", "x" * 100, f"r{at}") for at, turn in enumerate(turns)]


def test_compress_leaves_the_newest_messages() -> None:
    before = entries(1, 1, 2, 2, 3)
    after = compress(before, 2, 20)
    assert [len(entry.body) for entry in after] == [20, 20, 20, 100, 100]
    assert [entry.ref for entry in after] == [entry.ref for entry in before]
    assert compress(before, 9, 20) == before


@given(st.lists(st.integers(0, 5), max_size=12).map(sorted))
def test_iterate_turn_starts_splits_no_turn(turns: list[int]) -> None:
    made = entries(*turns)
    starts = list(iterate_turn_starts(made))
    assert starts[0] == 0
    assert starts[-1] == len(made)
    assert all(a < b for a, b in pairwise(starts))
    assert all(made[at].turn != made[at - 1].turn for at in starts[1:-1])
