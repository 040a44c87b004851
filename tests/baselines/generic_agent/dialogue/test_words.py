"""Base forms: inflections of one word meet, small words are nothing, other scripts stay as they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.generic_agent.dialogue.words import SMALL_WORDS, find_base, find_small_words, find_stems, split_words


@pytest.mark.parametrize(
    "forms",
    [
        ("camp", "camps", "camped", "camping", "camper"),
        ("paint", "painted", "painting", "paintings"),
        ("hobby", "hobbies"),
        ("run", "running", "runner"),
        ("like", "liked", "liking"),
        ("Töpfe",),
    ],
)
def test_find_base_is_equal_for_inflections(forms: tuple[str, ...]) -> None:
    assert len({find_base(form.lower()) for form in forms}) == 1


@pytest.mark.parametrize(
    ("word", "kept"), [("bus", "bus"), ("ring", "ring"), ("red", "red"), ("皿", "皿"), ("1998", "1998")]
)
def test_find_base_leaves_short_words(word: str, kept: str) -> None:
    assert find_base(word) == kept


def test_find_stems_leaves_out_small_words() -> None:
    assert find_stems("What did you do with the things?") == frozenset()
    assert find_stems("Where has Melanie camped?") == {find_base("melanie"), "camp"}
    assert "the" in SMALL_WORDS


def test_split_words_removes_possessives() -> None:
    assert split_words("Ann’s dog isn’t Bob's.") == ["ann", "dog", "isn't", "bob"]


@given(st.text(max_size=60))
def test_find_stems_of_any_text_are_content_words(text: str) -> None:
    assert all(find_stems(text))
    assert find_stems(text) == find_stems(text.lower()) or not text.isascii()


def test_find_small_words_names_what_a_search_leaves_out() -> None:
    assert find_small_words("Ulrike work commute, a work") == ("work", "a")
    assert find_small_words("mug shelf") == ()
