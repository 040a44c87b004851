"""The tokenizer that needs no download: a deterministic word-piece count, close to a byte-pair encoding of English.

A word of up to eight letters with the space before it is one token and each further five letters one more; digits go in
threes, other scripts in pairs of letters, every mark and every newline alone. Counts add up exactly over lines, so a
history may be counted line by line. It knows no model's own vocabulary: use it for offline runs and budgets, not bills.
"""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["TOKENIZER", "count_tokens", "split_tokens"]

TOKENIZER = "simple-v1"
"""Name and version; a change of any count is a new version."""

_PIECE = re.compile(
    r"(?<=[A-Za-z])[A-Za-z]{1,5}"  # the rest of a long word
    r"| ?[A-Za-z]{1,8}"
    r"| ?\d{1,3}"
    r"| ?[^\W\d_]{1,2}"  # letters of other scripts, numerals such as ²
    r"| ?[^\s\w]| ?_"
    r"|\s+(?!\S)|\s"  # a run of spaces, less the one that belongs to the next word
)


def split_tokens(text: str) -> list[str]:
    """Return the tokens of a text in order; joined together they are the text."""
    pieces: list[str] = []
    for index, line in enumerate(text.split("\n")):
        if index:
            pieces.append("\n")
        pieces += _PIECE.findall(line)
    return pieces


def count_tokens(text: str) -> int:
    """Return the number of tokens: ``count(a + "\\n" + b) == count(a) + count("\\n") + count(b)``."""
    lines = text.split("\n")
    return len(lines) - 1 + sum(map(_count_line, lines))


@lru_cache(maxsize=1 << 15)
def _count_line(line: str) -> int:
    """Count one line. Cached, because a history shows the same lines at every step."""
    return len(_PIECE.findall(line))
