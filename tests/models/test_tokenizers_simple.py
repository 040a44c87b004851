"""The tokenizer: exact counts, additivity over lines, nothing lost, plausible lengths."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.models.tokenizers import TOKENIZER, count_tokens, split_tokens


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        ("go to shelf 1", ["go", " to", " shelf", " 1"]),
        ("countertop", ["countert", "op"]),
        ("toiletpaperhanger 12", ["toiletpa", "perha", "nger", " 12"]),
        ("1234567", ["123", "456", "7"]),
        ("in/on (a).", ["in", "/", "on", " (", "a", ")", "."]),
        ("a\n\nb\n", ["a", "\n", "\n", "b", "\n"]),
        ("  x", [" ", " x"]),
        ("x   ", ["x", "   "]),
        ("\tx", ["\t", "x"]),
        ("café", ["caf", "é"]),
        ("東京都", ["東京", "都"]),
        ("snake_case", ["snake", "_", "case"]),
        ("5² 🙂", ["5", "²", " 🙂"]),
    ],
)
def test_pieces(text: str, pieces: list[str]) -> None:
    assert split_tokens(text) == pieces
    assert count_tokens(text) == len(pieces)


@given(st.text(), st.text())
def test_counts_add_up_over_lines(a: str, b: str) -> None:
    assert count_tokens(f"{a}\n{b}") == count_tokens(a) + count_tokens("\n") + count_tokens(b)


@given(st.text())
def test_no_character_is_lost_and_counting_is_splitting(text: str) -> None:
    assert "".join(split_tokens(text)) == text
    assert count_tokens(text) == len(split_tokens(text))


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_longer_text_never_counts_less_than_its_lines(a: str, b: str) -> None:
    assert count_tokens(f"{a}\n{b}") >= max(count_tokens(a), count_tokens(b))


def test_english_prose_has_about_four_letters_a_token() -> None:
    text = "The agent opens the cabinet, looks inside and decides that the soap is somewhere else in the bathroom."
    assert 3.5 < len(text) / count_tokens(text) < 5.5


def test_the_version_is_pinned() -> None:
    assert TOKENIZER == "simple-v1"
