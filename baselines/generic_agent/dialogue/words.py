"""Words that can be looked up: content words in a plain base form, so that ``camped`` finds ``camping``.

English only, by suffixes; a word of another script stays as it is. It knows no layer, suite or task.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

__all__ = ["SMALL_WORDS", "find_base", "find_small_words", "find_stems", "split_words"]

SMALL_WORDS = frozenset(Path(__file__).with_name("small_words.txt").read_text(encoding="utf-8").split())
"""Words that say too little to look anything up by."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SUFFIXES = ("ings", "ing", "ers", "ies", "ied", "ed", "er", "es", "s")
_SHORTEST = 3
_VOWELS = "aeiouy"


def split_words(text: str) -> list[str]:
    """Return every word in lower case, without a possessive ``'s``."""
    return [word.lower().replace("’", "'").removesuffix("'s") for word in _WORD.findall(text)]


@lru_cache(maxsize=1 << 15)
def find_base(word: str) -> str:
    """Return what is left of a word without its ending: ``camping`` and ``camped`` are ``camp``."""
    for suffix in _SUFFIXES:
        stem = word.removesuffix(suffix)
        if stem != word and len(stem) >= _SHORTEST and any(letter in _VOWELS for letter in stem):
            is_doubled = len(stem) > _SHORTEST and stem[-1] == stem[-2] and stem[-1] not in "lsz"
            if is_doubled and not suffix.startswith("ie"):
                stem = stem[:-1]
            word = stem
            break
    return word[:-1] if len(word) > _SHORTEST and word[-1] in "ey" else word


@lru_cache(maxsize=1 << 13)
def find_stems(text: str) -> frozenset[str]:
    """Return the base forms of the content words of a text."""
    return frozenset(find_base(word) for word in split_words(text) if word not in SMALL_WORDS and len(word) > 1)


def find_small_words(text: str) -> tuple[str, ...]:
    """Return the words of a text that ``find_stems`` leaves out, each once, in order."""
    return tuple(dict.fromkeys(word for word in split_words(text) if word in SMALL_WORDS or len(word) <= 1))
