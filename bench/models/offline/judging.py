"""What the offline model does as a judge under the rubrics of ``bench.scoring``: it compares words, and knows no
meaning.

It reads the messages of the call and nothing else. Right is an answer that holds every content word and number of the
right answer, and that refuses where a refusal is asked for. A paraphrase in other words is beyond it: ``bench judge
offline/reader`` says how often.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from bench.types import Message

__all__ = ["RULES", "OfflineJudge"]

_HEADER = (
    (Path(__file__).parents[2] / "scoring" / "rubrics" / "common.txt").read_text(encoding="utf-8").split("\n", 1)[0]
)
_CASE = re.compile(r"Question: .*\nRight answer: (?P<reference>.*)\n<answer>\n(?P<answer>.*)\n</answer>", re.DOTALL)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SMALL = frozenset((Path(__file__).parent / "small_words.txt").read_text(encoding="utf-8").split())
_NUMBER_WORDS = """zero one two three four five six seven eight nine ten eleven twelve"""
_NUMBERS = {word: str(number) for number, word in enumerate(_NUMBER_WORDS.split())}
_REFUSAL = re.compile(
    r"(?:\b(?:not|never|cannot|no (?:information|mention|answer)|unknown|unclear)|n['’]t)\b"
    r"(?=.*\b(?:mention|mentioned|said|say|says|tell|told|known|know|answer|answered|available|information)\b|.{0,3}$)"
    r"|\bno information\b|\bunknown\b",
    re.IGNORECASE | re.DOTALL,
)
_ABSTAINS = "Rule: the conversation does not hold what was asked for."
_PREFERS = "Rule: the right answer describes what a good answer would take into account"
_ENOUGH = 0.3
"""The share of a preference's words that an answer must take up."""


def _find_stems(text: str) -> frozenset[str]:
    words = (word.lower().replace("’", "'").removesuffix("'s") for word in _WORD.findall(text))
    return frozenset(_strip_ending(_NUMBERS.get(word, word)) for word in words if word not in _SMALL)


def _strip_ending(word: str) -> str:
    if word[:1].isdigit():
        return re.sub(r"(?<=\d)(?:st|nd|rd|th)$", "", word)
    for ending in ("ing", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word.removesuffix(ending)
    return word


class OfflineJudge:
    """Grades by words."""

    role = "judge"
    header = _HEADER

    def reply(self, messages: Sequence[Message]) -> str:
        case = _CASE.search(messages[1].content)
        return "CORRECT" if case and _is_correct(messages[0].content, case["reference"], case["answer"]) else "WRONG"


def _is_correct(rubric: str, reference_answer: str, answer: str) -> bool:
    refuses = bool(_REFUSAL.search(answer))
    if _ABSTAINS in rubric:
        return refuses
    reference_words, answer_words = _find_stems(reference_answer), _find_stems(answer)
    if refuses or not reference_words:
        return False
    if _PREFERS in rubric:
        return len(reference_words & answer_words) >= _ENOUGH * len(reference_words)
    return reference_words <= answer_words


RULES = (OfflineJudge(),)
"""The judge's rule."""
