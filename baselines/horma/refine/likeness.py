"""Whether two skills say the same, or the opposite, by their words. Knows English and no skill.

Two texts with nearly the same content words say the same; if one of them denies what the other asks for, the opposite.
What is said or contradicted in other words is not noticed.
"""

from __future__ import annotations

import re
from enum import StrEnum

from baselines.shared.extractive import SMALL_WORDS, strip_ending

__all__ = ["Likeness", "compare"]

_DENIAL = re.compile(
    r"\b(?:not|never|no|nothing|without|avoid|omit|skip|ignore|drop|discard|stop|leave out|leaving out)\b|n['’]t\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]{2,}")
_LEAST_SHARED = 0.75
"""Of the content words of both, the share that two texts have in common that say the same."""


class Likeness(StrEnum):
    """How two texts are alike."""

    SAME = "same"
    OPPOSITE = "opposite"


def compare(first: str, second: str) -> Likeness | None:
    """Return how two texts are alike, None if they are about different things."""
    words = [_list_content(text) for text in (first, second)]
    if not any(words):
        return Likeness.SAME if _flatten(first) == _flatten(second) else None
    if len(words[0] & words[1]) < _LEAST_SHARED * len(words[0] | words[1]):
        return None
    return Likeness.SAME if _denies(first) == _denies(second) else Likeness.OPPOSITE


def _list_content(text: str) -> frozenset[str]:
    words = _WORD.findall(_DENIAL.sub(" ", text.lower()))
    return frozenset(strip_ending(word) for word in words if word not in SMALL_WORDS)


def _denies(text: str) -> bool:
    """True if a text forbids; a denial of a denial ("do not leave out") asks for something."""
    return len(_DENIAL.findall(text)) % 2 == 1


def _flatten(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(" .!")
