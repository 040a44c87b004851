"""Words without stop words, and their stems."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adapters.shared.answering.words import plain_words, stems, word_stems


def test_stems_drop_stop_words_and_join_irregular_verbs() -> None:
    assert stems("What did Zoë's friends buy?") == ["zoë", "friend", "buy"]
    assert stems("bought") == stems("buying") == stems("buy")
    assert plain_words("Zoë’s cello-case_2") == ["zoë", "cello", "case", "2"]
    assert word_stems('"Cellos,') == {"cello"}
    assert word_stems("of") == frozenset()


@given(st.text(max_size=60))
def test_stems_of_word_equal_stems_in_text(text: str) -> None:
    alone = [word for piece in text.split() for word in stems(piece)]
    assert sorted(alone) == sorted(stems(text))
