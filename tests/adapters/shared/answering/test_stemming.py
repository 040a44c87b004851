"""The stemmer equals NLTK on recorded words and accepts any word."""

from __future__ import annotations

import csv
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from adapters.shared.answering.stemming import stem


def test_stem_equals_nltk() -> None:
    rows = list(csv.DictReader((Path(__file__).parent / "stems.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) > 150
    assert {row["word"]: stem(row["word"]) for row in rows} == {row["word"]: row["stem"] for row in rows}


@given(st.text(st.characters(codec="utf-8"), max_size=15))
def test_stem_adds_at_most_one_letter(word: str) -> None:
    assert len(stem(word)) <= len(word) + 1
