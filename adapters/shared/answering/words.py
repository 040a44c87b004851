"""Words and their stems, without stop words. Knows no question and no memory."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from adapters.shared.answering.stemming import stem

__all__ = ["plain_words", "stems", "word_stems"]

_HERE = Path(__file__).parent
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_STOP = frozenset((_HERE / "small_words.txt").read_text(encoding="utf-8").split())
_VERBS = {
    form: forms.split()[0]
    for forms in (_HERE / "irregular_verbs.txt").read_text(encoding="utf-8").splitlines()
    for form in forms.split()[1:]
}


def plain_words(text: str) -> list[str]:
    """Return the words in lower case, without a possessive ending."""
    return [word.lower().replace("’", "'").removesuffix("'s") for word in _WORD.findall(text)]


def stems(text: str) -> list[str]:
    """Return the stems of the words that are no stop words; forms of an irregular verb have one stem."""
    return [stem(_VERBS.get(word, word)) for word in plain_words(text) if word not in _STOP]


@lru_cache(maxsize=65536)
def word_stems(word: str) -> frozenset[str]:
    """Return the stems of one word with its punctuation; empty for a stop word."""
    return frozenset(stems(word))
