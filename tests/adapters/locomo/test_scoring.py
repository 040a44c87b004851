"""Scores: equal to the official scorer on recorded pairs, and bounded."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.locomo.scoring import compute_bleu_1, compute_official_f1, compute_set_f1, is_refusal, score_answer
from adapters.locomo.tokens import tokenize

HERE = Path(__file__).parent
TEXTS = st.text(st.sampled_from("ab ,;.!yeding"), max_size=30)
CATEGORY = st.integers(1, 5)


def table(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as rows:
        return list(csv.DictReader(rows))


def test_compute_official_f1_equals_official_scorer() -> None:
    rows = table("official_scores.csv")
    assert len(rows) == 240
    assert {row["category"] for row in rows} == set("12345")
    for row in rows:
        assert compute_official_f1(int(row["category"]), row["answer"], row["gold"]) == pytest.approx(
            float(row["f1"])
        ), row


def test_compute_bleu_1_equals_nltk() -> None:
    rows = table("bleu_scores.csv")
    assert len(rows) == 240
    assert sum(0 < float(row["bleu"]) < 1 for row in rows) > 100
    for row in rows:
        assert compute_bleu_1(row["answer"], row["gold"]) == pytest.approx(float(row["bleu"]), abs=1e-9), row


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ('She said "hi"', ["she", "said", "``", "hi", "''"]),
        ("self-care isn't Ann's", ["self-care", "is", "n't", "ann", "'s"]),
        ("at 4:30, or 1,000...", ["at", "4:30", ",", "or", "1,000", "..."]),
        ("cannot stop.", ["can", "not", "stop", "."]),
        ("One end. Another.", ["one", "end.", "another", "."]),
        ("", []),
    ],
)
def test_tokenize_follows_penn_treebank(text: str, split: list[str]) -> None:
    assert tokenize(text) == split


@given(CATEGORY, TEXTS, TEXTS)
def test_scores_lie_between_0_and_1(category: int, answer: str, reference_answer: str) -> None:
    main, *others = score_answer(category, answer, reference_answer)
    assert (main.value is None) == (category == 5)
    assert all(
        one.value is not None and 0.0 <= one.value <= 1.0 for one in (others if category == 5 else [main, *others])
    )


@pytest.mark.parametrize(
    ("category", "answer", "reference_answer", "value"),
    [
        (4, "the painting", "paintings", 1.0),
        (4, "big red dog", "dog", 0.5),
        (4, "", "dog", 0.0),
        (3, "yes", "Yes; she would", 1.0),
        (4, "yes", "Yes; she would", 0.5),
        (1, "cats, dogs", "dog, cat", 1.0),
        (1, "dogs", "dog, cat", 0.5),
        (1, "dogs, cats, newts, owls", "dog, cat", 1.0),
        (5, "It is Not Mentioned.", "whatever", 1.0),
        (5, "unknown", "unknown", 0.0),
    ],
)
def test_official_f1_follows_rule_of_category(category: int, answer: str, reference_answer: str, value: float) -> None:
    assert compute_official_f1(category, answer, reference_answer) == pytest.approx(value)
    scores = {one.name: one.value for one in score_answer(category, answer, reference_answer)}
    assert scores["f1"] == pytest.approx(value)
    assert scores["success"] == (None if category == 5 else pytest.approx(value))


def test_is_refusal_knows_two_phrases() -> None:
    assert is_refusal("No information available, sorry")
    assert not is_refusal("I do not know")


@pytest.mark.parametrize(
    ("answer", "reference_answer", "f1", "bleu"),
    [
        ("the dog", "dog", 2 / 3, 0.5),
        ("dog dog", "dog", 1.0, 0.5),
        ("dog", "dogs", 0.0, 0.0),
        ("Dog!", "dog", 1.0, 0.5),
        ("dog", "dog cat", 2 / 3, 0.36787944),
        ("", "dog", 0.0, 0.0),
    ],
)
def test_set_f1_and_bleu_keep_word_forms_and_articles(
    answer: str, reference_answer: str, f1: float, bleu: float
) -> None:
    assert compute_set_f1(answer, reference_answer) == pytest.approx(f1)
    assert compute_bleu_1(answer, reference_answer) == pytest.approx(bleu)


@given(CATEGORY, TEXTS, TEXTS)
def test_adversarial_questions_have_a_separate_score(category: int, answer: str, reference_answer: str) -> None:
    names = [one.name for one in score_answer(category, answer, reference_answer)]
    assert names == ["success", "f1", *(["adversarial"] if category == 5 else ["f1-set", "bleu-1"])]
