"""How LoCoMo answers are scored: the official F1 by category, and the set-F1 and BLEU-1 of later papers, kept apart.

Source: scorer of snap-research/LoCoMo (``f1``, ``adversarial``); tables of A-MEM and Mem0 (``f1-set``, ``bleu-1``).
Deviations: the official scorer stops with a KeyError at a category-5 question without ``answer``, this one does not;
BLEU-1 does not split full stops between the sentences of an answer (see ``tokens``). Evidence measures are not here:
they are counted from the refs that a context cites, for every suite alike, where the official recall takes a question
without evidence as 1.
"""

from __future__ import annotations

import math
import re
import string
from collections import Counter

from adapters.locomo.tokens import tokens
from adapters.shared.answering.stemming import stem
from bench.types import Score

__all__ = ["CATEGORIES", "bleu_1", "official_f1", "refuses", "score", "set_f1"]

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""The number identifies a category; papers after Mem0 call 1 single-hop, 3 multi-hop and 4 open-domain."""
_ADVERSARIAL = 5
_APART = "category 5 has a column of its own"
_REFUSALS = ("no information available", "not mentioned")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_DROPPED = re.compile(r"\b(?:a|an|the|and)\b")


def _stems(text: str) -> list[str]:
    return [stem(word) for word in _DROPPED.sub(" ", text.lower().translate(_PUNCTUATION)).split()]


def _f1(same: int, said: int, wanted: int) -> float:
    if not same:
        return 0.0
    precision, recall = same / said, same / wanted
    return 2 * precision * recall / (precision + recall)


def _multiset_f1(answer: str, reference_answer: str) -> float:
    said, wanted = _stems(answer), _stems(reference_answer)
    return _f1((Counter(said) & Counter(wanted)).total(), len(said), len(wanted))


def refuses(answer: str) -> bool:
    """True if the answer holds one of the two phrases that the official scorer takes for a refusal."""
    return any(phrase in answer.lower() for phrase in _REFUSALS)


def official_f1(category: int, answer: str, reference_answer: str) -> float:
    """Return the official score in 0..1; in category 5 it is 1 for a refusal, whatever the gold."""
    if category == _ADVERSARIAL:
        return float(refuses(answer))
    if category == 1:
        said = [part.strip() for part in answer.split(",")]
        wanted = [part.strip() for part in reference_answer.split(",")]
        return sum(max(_multiset_f1(one, part) for one in said) for part in wanted) / len(wanted)
    return _multiset_f1(answer, reference_answer.split(";")[0].strip() if category == 3 else reference_answer)


def set_f1(answer: str, reference_answer: str) -> float:
    """Return F1 over the sets of lower-cased words without ``. , ! ?``; articles stay and nothing is stemmed."""
    said, wanted = (set(re.sub(r"[.,!?]", " ", text.lower()).split()) for text in (answer, reference_answer))
    return _f1(len(said & wanted), len(said), len(wanted))


def bleu_1(answer: str, reference_answer: str) -> float:
    """Return the clipped share of the answer's words that are the gold's, times the penalty for a short answer."""
    said, wanted = tokens(answer), tokens(reference_answer)
    if not (same := (Counter(said) & Counter(wanted)).total()):
        return 0.0
    return same / len(said) * min(1.0, math.exp(1 - len(wanted) / len(said)))


def score(category: int, answer: str, reference_answer: str) -> tuple[Score, ...]:
    """Return every score of one answer, the main one first.

    ``success`` is the official F1 of categories 1 to 4; category 5, where refusing is all it takes, has
    ``adversarial`` to itself. ``f1`` is the official overall, which holds all five.
    """
    main = official_f1(category, answer, reference_answer)
    if category == _ADVERSARIAL:
        return (Score("success", None, _APART), Score("f1", main), Score("adversarial", main))
    return (
        Score("success", main),
        Score("f1", main),
        Score("f1-set", set_f1(answer, reference_answer)),
        Score("bleu-1", bleu_1(answer, reference_answer)),
    )
