"""Both tokenizers: exact counts, additivity over lines, nothing lost, nothing downloaded."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.models import tokenizers
from bench.models.litellm_catalog import litellm_folder
from bench.models.tokenizers import O200K, SIMPLE, SIMPLE_NAME, choose_tokenizer, count_tokens, load_o200k, split_tokens
from bench.protocols import Tokenizer

needs_litellm = pytest.mark.skipif(litellm_folder() is None, reason="needs the extra [litellm]")
TRANSCRIPT = "".join(
    f"Action: go to shelf {i}\nObservation: On the shelf {i}, you see a mug {i + 1}, and a statue 2.\n\n"
    for i in range(40)
)


def counter() -> Tokenizer:
    found = load_o200k()
    assert found is not None
    return found


@needs_litellm
def test_o200k_counts_a_line_as_the_encoding_does() -> None:
    tiktoken = pytest.importorskip("tiktoken")
    counter()
    whole = tiktoken.get_encoding("o200k_base")  # loaded by now, from the file of litellm
    for line in TRANSCRIPT.split("\n"):
        assert counter().count(line) == len(whole.encode_ordinary(line))
    assert counter().count("Hello world") == 2
    assert counter().count("<|endoftext|>") > 1  # text, not a control token


@needs_litellm
def test_o200k_counts_a_transcript_slightly_above_the_encoding() -> None:
    tiktoken = pytest.importorskip("tiktoken")
    counter()
    whole = len(tiktoken.get_encoding("o200k_base").encode_ordinary(TRANSCRIPT))
    assert whole <= counter().count(TRANSCRIPT) <= 1.1 * whole


@needs_litellm
@given(st.text(), st.text())
def test_o200k_counts_add_up_over_lines(a: str, b: str) -> None:
    count = counter().count
    assert count(f"{a}\n{b}") == count(a) + 1 + count(b)


@needs_litellm
def test_load_o200k_leaves_the_environment_unchanged() -> None:
    load_o200k.cache_clear()
    before = dict(os.environ)
    assert choose_tokenizer().name == O200K
    assert dict(os.environ) == before


@needs_litellm
def test_load_o200k_ignores_an_altered_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenizers, "_SHA256", "0" * 64)
    load_o200k.cache_clear()
    assert choose_tokenizer() is SIMPLE
    load_o200k.cache_clear()


def test_choose_tokenizer_is_simple_without_litellm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenizers, "litellm_folder", lambda: None)
    load_o200k.cache_clear()
    assert choose_tokenizer() == Tokenizer(SIMPLE_NAME, count_tokens)
    load_o200k.cache_clear()


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
def test_split_tokens_gives_known_pieces(text: str, pieces: list[str]) -> None:
    assert split_tokens(text) == pieces
    assert count_tokens(text) == len(pieces)


@given(st.text(), st.text())
def test_simple_counts_add_up_over_lines(a: str, b: str) -> None:
    assert count_tokens(f"{a}\n{b}") == count_tokens(a) + count_tokens("\n") + count_tokens(b)


@given(st.text())
def test_split_tokens_loses_nothing_and_agrees_with_count_tokens(text: str) -> None:
    assert "".join(split_tokens(text)) == text
    assert count_tokens(text) == len(split_tokens(text))


@given(st.text(max_size=40), st.text(max_size=40))
def test_count_tokens_is_at_least_the_count_of_each_line(a: str, b: str) -> None:
    assert count_tokens(f"{a}\n{b}") >= max(count_tokens(a), count_tokens(b))


def test_count_tokens_of_english_is_about_four_letters_a_token() -> None:
    text = "The agent opens the cabinet, looks inside and decides that the soap is somewhere else in the bathroom."
    assert 3.5 < len(text) / count_tokens(text) < 5.5


def test_count_tokens_version_is_pinned() -> None:
    assert SIMPLE_NAME == "simple-v1"
