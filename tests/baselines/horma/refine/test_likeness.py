"""What counts as the same skill, and as its opposite."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.horma.refine.likeness import Likeness, compare

SAME, OPPOSITE = Likeness.SAME, Likeness.OPPOSITE


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("Record exact dates.", "record  exact dates", SAME),
        ("Record exact dates.", "Exact dates: record them.", SAME),
        ("Record the exact date.", "Recording exact dates!", SAME),
        ("Record exact dates.", "Do not record exact dates.", OPPOSITE),
        ("Record exact dates.", "Never record exact dates.", OPPOSITE),
        ("Record exact dates.", "Leave out exact dates.", None),  # another verb: too little in common
        ("Note failed actions.", "Skip failed actions when you note.", OPPOSITE),
        ("Don’t shorten titles.", "Shorten titles.", OPPOSITE),
        ("Do not leave out titles.", "Titles.", SAME),  # a denial of a denial
        ("Record exact dates.", "Keep names, places and numbers.", None),
        ("Keep names and numbers.", "Keep places and numbers.", None),
        ("...", "!", SAME),
        ("...", "Keep names.", None),
        ("Not so.", "never again", None),  # small words and denials alone
    ],
)
def test_compare_tells_same_from_opposite_by_content_words(first: str, second: str, expected: Likeness | None) -> None:
    assert compare(first, second) is expected
    assert compare(second, first) is expected


@given(st.text(max_size=60), st.text(max_size=60))
def test_compare_is_symmetric_and_a_text_is_like_itself(first: str, second: str) -> None:
    assert compare(first, second) is compare(second, first)
    assert compare(first, first) is SAME
