"""Words that say something, by their stems."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adapters.shared.answering.words import plain_words, stems, word_stems


def test_small_words_fall_out_and_irregular_verbs_are_one() -> None:
    assert stems("What did Zoë's friends buy?") == ["zoë", "friend", "buy"]
    assert stems("bought") == stems("buying") == stems("buy")
    assert plain_words("Zoë’s cello-case_2") == ["zoë", "cello", "case", "2"]
    assert word_stems('"Cellos,') == {"cello"}
    assert word_stems("of") == frozenset()


@given(st.text(max_size=60))
def test_a_word_by_itself_has_the_stems_it_has_in_a_text(text: str) -> None:
    alone = [word for piece in text.split() for word in stems(piece)]
    assert sorted(alone) == sorted(stems(text))
