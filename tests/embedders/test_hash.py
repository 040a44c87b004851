from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.embedders.hash import HashEmbedder


@given(st.lists(st.text(max_size=40), max_size=5))
def test_rows_are_unit_float32_and_depend_on_their_text_alone(texts: list[str]) -> None:
    embedder = HashEmbedder()
    rows = embedder.embed(texts)
    assert (rows.shape, rows.dtype.name) == ((len(texts), 2048), "float32")
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    for row, text in zip(rows, texts, strict=True):
        assert (embedder.embed([text])[0] == row).all()


def test_shared_words_are_near_and_case_does_not_matter() -> None:
    mug, mugs, oslo, shout = HashEmbedder().embed(["a red mug", "two red mugs", "rain in Oslo", "A RED MUG!"])
    assert (mug == shout).all()
    assert mug @ mugs > 0.3 > abs(mug @ oslo) + 0.1


def test_word_order_changes_vectors_a_little() -> None:
    first, second = HashEmbedder().embed(["ann calls bob", "bob calls ann"])
    assert 0.5 < first @ second < 0.99


def test_texts_without_a_word_are_the_first_axis() -> None:
    rows = HashEmbedder(8).embed(["", "..."])
    assert (rows == np.eye(8, dtype=np.float32)[[0, 0]]).all()


@pytest.mark.parametrize("dimensions", [1, 2])
def test_features_that_cancel_out_leave_a_unit_row(dimensions: int) -> None:
    rows = HashEmbedder(dimensions).embed([f"w{i} v{i}" for i in range(200)])
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0)


def test_vectors_are_the_same_in_every_process() -> None:
    code = "from bench.embedders.hash import HashEmbedder; print(HashEmbedder(16).embed(['a red mug']).tobytes().hex())"
    here = HashEmbedder(16).embed(["a red mug"]).tobytes().hex()
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        there = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
        assert there.stdout.strip() == here
