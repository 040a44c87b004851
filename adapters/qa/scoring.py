"""Scores of an answer against those that are accepted: F1 of words, exact match, and whether it is contained.

Source: the SQuAD evaluation (arXiv 1606.05250, sec. 6): lower case, punctuation and the articles a, an, the left out,
words counted as often as they occur, the best over the accepted answers. As in SQuAD 2.0 (arXiv 1806.03822, sec. 3) a
question without an answer is right if it is declined. Differences: a refusal is one of the phrases in ``refusals.txt``
where SQuAD wants an empty text; ``contains`` is our own.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.types import Score

__all__ = ["MAIN_SCORES", "compute_f1", "contains", "is_refusal", "normalise", "score_answer"]

MAIN_SCORES = ("f1", "exact_match", "contains")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_REFUSALS = tuple(
    (Path(__file__).parent / "refusals.txt").read_text(encoding="utf-8").translate(_PUNCTUATION).splitlines()
)


def normalise(text: str) -> list[str]:
    """Return the words of a text as SQuAD compares them."""
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def compute_f1(answer: str, reference_answer: str) -> float:
    """Return F1 over the words of both; of two texts without words, 1."""
    ours, reference = Counter(normalise(answer)), Counter(normalise(reference_answer))
    if not ours or not reference:
        return float(ours == reference)
    same = (ours & reference).total()
    return 2 * same / (ours.total() + reference.total())


def contains(answer: str, reference_answer: str) -> bool:
    """True if the words of the reference answer stand in the answer, one after the other."""
    ours, reference = normalise(answer), normalise(reference_answer)
    places = range(len(ours) - len(reference) + 1)
    return bool(reference) and any(ours[at : at + len(reference)] == reference for at in places)


def is_refusal(answer: str) -> bool:
    """True if an answer declines to answer; saying nothing is no refusal."""
    text = " ".join(answer.lower().translate(_PUNCTUATION).split())
    return any(re.search(rf"\b{phrase}\b", text) for phrase in _REFUSALS)


def score_answer(main: str, answer: str, accepted: Sequence[str]) -> tuple[Score, ...]:
    """Return every score of one answer, ``success`` first: it is the score that ``main`` names.

    ``accepted``: the answers that are each right; empty for a question that has none.
    """
    if not accepted:
        declined = float(is_refusal(answer))
        return Score("success", declined), Score("f1", declined), Score("abstention", declined)
    values = {
        "f1": max(compute_f1(answer, one) for one in accepted),
        "exact_match": float(any(normalise(answer) == normalise(one) for one in accepted)),
        "contains": float(any(contains(answer, one) for one in accepted)),
    }
    return (Score("success", values[main]), *(Score(name, value) for name, value in values.items()))
