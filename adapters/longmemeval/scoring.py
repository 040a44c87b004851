"""How LongMemEval answers are scored: by a reading of the official criteria without a judge, by words, and by refusals.

Source: criteria by question type of the official judge (xiaowu0162/LongMemEval, ``evaluate_qa``). Deviations:
``criteria`` is ``holds`` of ``criteria.py`` in place of a judge; questions for advice have no score without one; an
abstention item is right only if the answer refuses in one of the phrases of ``refusals.txt`` and does not guess.
``f1`` is ours: the official tables have none.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from adapters.longmemeval.criteria import holds
from adapters.longmemeval.words import phrase, words
from bench.types import Score

__all__ = ["official_verdict", "refuses", "rubric", "score", "word_f1"]

_HERE = Path(__file__).parent
_RUBRICS = {
    "single-session-preference": "preference",
    "temporal-reasoning": "temporal",
    "knowledge-update": "update",
}
_ARTICLES = frozenset(("a", "an", "the"))


def _phrases(name: str) -> re.Pattern[str]:
    lines = (_HERE / name).read_text(encoding="utf-8").splitlines()
    return re.compile("|".join(rf"\b{re.escape(line.strip())}\b" for line in lines if line.strip()))


_REFUSALS = _phrases("refusals.txt")
_GUESSES = _phrases("guesses.txt")


def rubric(kind: str, abstains: bool) -> str:
    """Return which rule decides: ``answer``, ``temporal``, ``update``, ``preference`` or ``abstention``.

    An abstention item goes by its own rule, whatever its type.
    """
    return "abstention" if abstains else _RUBRICS.get(kind, "answer")


def refuses(answer: str) -> bool:
    """True if the answer says that the history does not tell, and does not guess all the same."""
    plain = " ".join(re.findall(r"\w+", phrase(answer)))
    return bool(_REFUSALS.search(plain)) and not _GUESSES.search(plain)


def word_f1(answer: str, reference_answer: str) -> float:
    """Return F1 over the multisets of words; numbers in one form, articles left out, nothing stemmed."""
    said, wanted = (
        Counter(word for word in words(text) if word not in _ARTICLES) for text in (answer, reference_answer)
    )
    if not (same := (said & wanted).total()):
        return 0.0
    return 2 * same / (said.total() + wanted.total())


def score(rule: str, question: str, reference_answer: str, answer: str) -> tuple[Score, ...]:
    """Return every score of one answer, ``criteria`` first."""
    if rule == "preference":
        return (Score("criteria", None, "needs a judge"),)
    if rule == "abstention":
        refused = float(refuses(answer))
        return Score("criteria", refused), Score("abstention", refused)
    right = holds(question, reference_answer, answer, near=rule == "temporal", any_place=rule == "update")
    # A refusal may repeat the question, and with it the words of a gold that names one of the question's options.
    right = right and not (refuses(answer) and not refuses(reference_answer))
    return Score("criteria", float(right)), Score("f1", word_f1(answer, reference_answer))


def official_verdict(reply: str) -> bool:
    """Return what the official script reads from its judge: right if ``yes`` occurs anywhere, in ``eyes`` as well.

    Kept for parity; a judge of this project must answer with an exact verdict.
    """
    return "yes" in reply.lower()
