"""Scores of LongMemEval answers: the official criteria without a judge, word F1, and refusals.

Source: criteria by question type of the official judge (xiaowu0162/LongMemEval, ``evaluate_qa``). Differences:

* ``criteria`` comes from rules (``criteria.py``) instead of a judge; questions for advice have no score without one.
* An abstention item is right only if the answer has a phrase of ``refusals.txt`` and does not guess.
* ``f1`` is our own: the official tables have none.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from adapters.longmemeval.criteria import meets_criteria
from adapters.longmemeval.words import normalise, words
from bench.types import Score

__all__ = ["choose_rubric", "compute_word_f1", "is_refusal", "read_official_verdict", "score_answer"]

_HERE = Path(__file__).parent
_RUBRICS = {
    "single-session-preference": "preference",
    "temporal-reasoning": "temporal",
    "knowledge-update": "update",
}
_ARTICLES = frozenset(("a", "an", "the"))


def _compile_phrases(name: str) -> re.Pattern[str]:
    lines = (_HERE / name).read_text(encoding="utf-8").splitlines()
    return re.compile("|".join(rf"\b{re.escape(line.strip())}\b" for line in lines if line.strip()))


_REFUSALS = _compile_phrases("refusals.txt")
_GUESSES = _compile_phrases("guesses.txt")


def choose_rubric(kind: str, abstains: bool) -> str:
    """Return the rubric: ``answer``, ``temporal``, ``update``, ``preference`` or ``abstention``.

    An abstention item has its own rubric, whatever its type.
    """
    return "abstention" if abstains else _RUBRICS.get(kind, "answer")


def is_refusal(answer: str) -> bool:
    """True if the answer says that the history has no answer, and does not guess."""
    plain = " ".join(re.findall(r"\w+", normalise(answer)))
    return bool(_REFUSALS.search(plain)) and not _GUESSES.search(plain)


def compute_word_f1(answer: str, reference_answer: str) -> float:
    """Return F1 over the multisets of words; numbers in one form, articles left out, nothing stemmed."""
    ours, reference = (
        Counter(word for word in words(text) if word not in _ARTICLES) for text in (answer, reference_answer)
    )
    if not (same := (ours & reference).total()):
        return 0.0
    return 2 * same / (ours.total() + reference.total())


def score_answer(rule: str, question: str, reference_answer: str, answer: str) -> tuple[Score, ...]:
    """Return every score of one answer, ``criteria`` first."""
    if rule == "preference":
        return (Score("criteria", None, "needs a judge"),)
    if rule == "abstention":
        refusal = float(is_refusal(answer))
        return Score("criteria", refusal), Score("abstention", refusal)
    right = meets_criteria(question, reference_answer, answer, near=rule == "temporal", any_place=rule == "update")
    # A refusal may repeat the question, and with it the words of a reference answer that names one of its options.
    right = right and not (is_refusal(answer) and not is_refusal(reference_answer))
    return Score("criteria", float(right)), Score("f1", compute_word_f1(answer, reference_answer))


def read_official_verdict(reply: str) -> bool:
    """Return the verdict as the official script reads it: right if ``yes`` occurs anywhere, also in ``eyes``.

    For parity tests only; a judge of this project must answer with an exact verdict.
    """
    return "yes" in reply.lower()
