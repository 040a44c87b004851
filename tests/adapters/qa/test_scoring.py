"""Scores as SQuAD has them, over several accepted answers; a question without an answer wants a refusal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.qa.scoring import MAIN_SCORES, compute_f1, contains, is_refusal, normalise, score_answer

WORDS = st.lists(st.sampled_from(["red", "The", "cat,", "9", "a", "sat."]), max_size=6).map(" ".join)


@pytest.mark.parametrize(
    ("answer", "reference", "f1"),
    [
        ("The cat.", "a cat", 1.0), ("red cat sat", "cat", 0.5), ("dog", "cat", 0.0), ("cat cat", "cat", 2 / 3),
        ("the", "a", 1.0), ("", "cat", 0.0), ("45", "45 euros", 2 / 3),
    ],
)  # fmt: skip
def test_compute_f1_counts_words_without_case_articles_and_punctuation(answer: str, reference: str, f1: float) -> None:
    assert compute_f1(answer, reference) == pytest.approx(f1)


@given(WORDS, WORDS)
def test_f1_is_symmetric_and_one_for_the_same_words(one: str, other: str) -> None:
    assert compute_f1(one, other) == compute_f1(other, one)
    assert 0.0 <= compute_f1(one, other) <= 1.0
    assert compute_f1(one, one) == 1.0
    if normalise(one) == normalise(other) != []:
        assert contains(one, other)


def test_contains_wants_the_words_in_one_piece() -> None:
    assert contains("It was the Blue Gate, I think", "blue gate")
    assert not contains("blue garden gate", "blue gate")
    assert not contains("bluegate", "blue gate")
    assert not contains("anything", "the")


def test_score_answer_takes_the_best_of_the_accepted_answers() -> None:
    scores = {one.name: one.value for one in score_answer("contains", "It cost 45 euros", ("45", "45 euros in all"))}
    assert scores == {"success": 1.0, "f1": pytest.approx(2 * 2 / 8), "exact_match": 0.0, "contains": 1.0}
    for main in MAIN_SCORES:
        first = score_answer(main, "45", ("45",))[0]
        assert (first.name, first.value) == ("success", 1.0)


@pytest.mark.parametrize(
    "answer", ["Not mentioned.", "I don't know", "It cannot be answered", "No information on that"]
)
def test_refusal_is_right_where_there_is_no_answer(answer: str) -> None:
    assert is_refusal(answer)
    assert {one.name: one.value for one in score_answer("f1", answer, ())} == {
        "success": 1.0, "f1": 1.0, "abstention": 1.0,
    }  # fmt: skip


def test_guess_is_wrong_where_there_is_no_answer() -> None:
    for answer in ("Unknowns are in Bergen", ""):
        assert [one.value for one in score_answer("f1", answer, ())] == [0.0, 0.0, 0.0]
