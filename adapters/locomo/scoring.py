"""Scores of LoCoMo answers: the official F1 by category, and separately the set-F1 and BLEU-1 of later papers.

Source: scorer of snap-research/LoCoMo (``f1``, ``adversarial``); tables of A-MEM and Mem0 (``f1-set``, ``bleu-1``).
Evidence metrics are computed in ``bench.scoring``, from the refs that a context cites.
Differences:

* The official scorer stops with a KeyError at a category-5 question without ``answer``; this one does not.
* BLEU-1 does not split full stops between the sentences of an answer (see ``tokens``).
* The official evidence recall of a question without evidence is 1; here it has none.
"""

from __future__ import annotations

import math
import re
import string
from collections import Counter

from adapters.locomo.tokens import tokenize
from adapters.shared.answering.stemming import stem
from bench.types import Score

__all__ = ["CATEGORIES", "compute_bleu_1", "compute_official_f1", "compute_set_f1", "is_refusal", "score_answer"]

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""The names of the LoCoMo paper; papers after Mem0 call 1 single-hop, 3 multi-hop and 4 open-domain."""
_ADVERSARIAL = 5
_SEPARATE = "category 5 has a column of its own"
_REFUSALS = ("no information available", "not mentioned")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the|and)\b")


def _stem_words(text: str) -> list[str]:
    return [stem(word) for word in _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()]


def _f1(same: int, answer_count: int, reference_count: int) -> float:
    if not same:
        return 0.0
    precision, recall = same / answer_count, same / reference_count
    return 2 * precision * recall / (precision + recall)


def _multiset_f1(answer: str, reference_answer: str) -> float:
    answer_stems, reference_stems = _stem_words(answer), _stem_words(reference_answer)
    same = (Counter(answer_stems) & Counter(reference_stems)).total()
    return _f1(same, len(answer_stems), len(reference_stems))


def is_refusal(answer: str) -> bool:
    """True if the answer contains one of the two phrases that count as a refusal in the official scorer."""
    return any(phrase in answer.lower() for phrase in _REFUSALS)


def compute_official_f1(category: int, answer: str, reference_answer: str) -> float:
    """Return the official score in 0..1; in category 5 it is 1 for a refusal, whatever the reference answer."""
    if category == _ADVERSARIAL:
        return float(is_refusal(answer))
    if category == 1:
        answers = [part.strip() for part in answer.split(",")]
        references = [part.strip() for part in reference_answer.split(",")]
        return sum(max(_multiset_f1(one, part) for one in answers) for part in references) / len(references)
    return _multiset_f1(answer, reference_answer.split(";")[0].strip() if category == 3 else reference_answer)


def compute_set_f1(answer: str, reference_answer: str) -> float:
    """Return F1 over the sets of lower-cased words without ``. , ! ?``; articles stay and nothing is stemmed."""
    ours, reference = (set(re.sub(r"[.,!?]", " ", text.lower()).split()) for text in (answer, reference_answer))
    return _f1(len(ours & reference), len(ours), len(reference))


def compute_bleu_1(answer: str, reference_answer: str) -> float:
    """Return the clipped unigram precision of the answer, times the penalty for a short answer."""
    ours, reference = tokenize(answer), tokenize(reference_answer)
    if not (same := (Counter(ours) & Counter(reference)).total()):
        return 0.0
    return same / len(ours) * min(1.0, math.exp(1 - len(reference) / len(ours)))


def score_answer(category: int, answer: str, reference_answer: str) -> tuple[Score, ...]:
    """Return every score of one answer, the main one first.

    ``success`` is the official F1 of categories 1 to 4; category 5, in which every refusal is right, has the separate
    score ``adversarial``. ``f1`` is the official overall score of all five categories.
    """
    main = compute_official_f1(category, answer, reference_answer)
    if category == _ADVERSARIAL:
        return (Score("success", None, _SEPARATE), Score("f1", main), Score("adversarial", main))
    return (
        Score("success", main),
        Score("f1", main),
        Score("f1-set", compute_set_f1(answer, reference_answer)),
        Score("bleu-1", compute_bleu_1(answer, reference_answer)),
    )
