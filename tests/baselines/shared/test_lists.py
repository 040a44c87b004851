"""Lists of learners: what is written is read back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from baselines.shared.lists import join_numbers, number_lines, read_numbered_lines, read_numbers

LINE = st.text(st.characters(categories=["L", "N", "P"], include_characters=" "), min_size=1)


@given(st.lists(LINE))
def test_numbered_lines_are_read_as_they_were_written(texts: list[str]) -> None:
    assert read_numbered_lines(number_lines(texts)) == texts


def test_lines_without_a_number_are_left_out() -> None:
    assert read_numbered_lines("Script:\n1. look\n[2] Action: wait\n2. take it\n") == ["look", "take it"]


@given(st.lists(st.integers(0, 10**6)))
def test_numbers_are_read_as_they_were_written(numbers: list[int]) -> None:
    assert read_numbers(join_numbers(numbers)) == tuple(numbers)
