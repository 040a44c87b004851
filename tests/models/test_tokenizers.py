from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.models import tokenizers as encodings
from bench.models.litellm_catalog import litellm_folder
from bench.models.ready import ReadySource
from bench.models.scripted import ScriptedModel
from bench.models.tokenizers import (
    O200K,
    SIMPLE,
    TOKENIZER,
    Tokenizer,
    best_tokenizer,
    count_tokens,
    o200k_tokenizer,
    tokenizer_for,
)

needs_litellm = pytest.mark.skipif(litellm_folder() is None, reason="needs the extra [litellm]")
TRANSCRIPT = "".join(
    f"Action: go to shelf {i}\nObservation: On the shelf {i}, you see a mug {i + 1}, and a statue 2.\n\n"
    for i in range(40)
)


def counter() -> Tokenizer:
    found = o200k_tokenizer()
    assert found is not None
    return found


@needs_litellm
def test_a_line_counts_what_the_encoding_counts() -> None:
    tiktoken = pytest.importorskip("tiktoken")
    counter()
    whole = tiktoken.get_encoding("o200k_base")  # loaded by now, from the file of litellm
    for line in TRANSCRIPT.split("\n"):
        assert counter().count(line) == len(whole.encode_ordinary(line))
    assert counter().count("Hello world") == 2
    assert counter().count("<|endoftext|>") > 1  # text, not a control token


@needs_litellm
def test_a_transcript_is_counted_a_little_above_the_encoding_of_the_whole() -> None:
    tiktoken = pytest.importorskip("tiktoken")
    counter()
    whole = len(tiktoken.get_encoding("o200k_base").encode_ordinary(TRANSCRIPT))
    assert whole <= counter().count(TRANSCRIPT) <= 1.1 * whole


@needs_litellm
@settings(deadline=None)
@given(st.text(), st.text())
def test_counts_add_up_over_lines(a: str, b: str) -> None:
    count = counter().count
    assert count(f"{a}\n{b}") == count(a) + 1 + count(b)


@needs_litellm
def test_loading_leaves_the_environment_as_it_was() -> None:
    o200k_tokenizer.cache_clear()
    before = dict(os.environ)
    assert best_tokenizer().name == O200K
    assert dict(os.environ) == before


@needs_litellm
def test_an_altered_file_is_not_used_and_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encodings, "_SHA256", "0" * 64)
    o200k_tokenizer.cache_clear()
    assert best_tokenizer() is SIMPLE
    o200k_tokenizer.cache_clear()


def test_without_litellm_the_simple_tokenizer_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encodings, "litellm_folder", lambda: None)
    o200k_tokenizer.cache_clear()
    assert best_tokenizer() == Tokenizer(TOKENIZER, count_tokens)
    o200k_tokenizer.cache_clear()


def test_a_source_may_bring_its_own_tokenizer() -> None:
    source = ReadySource(ScriptedModel(["x"]))
    assert tokenizer_for(source) is SIMPLE
    source.tokenizer = mine = Tokenizer("mine-v1", len)  # type: ignore[attr-defined]
    assert tokenizer_for(source) is mine
