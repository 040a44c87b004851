"""Counting tokens of real models without a download: OpenAI's o200k encoding, from the file that litellm ships.

One encoding for every real model, so that budgets mean the same for all of them; what a model itself counts stands in
the ledger. A text is counted line by line, a line break as one token: byte-pair encoding may merge a break with the
mark before it, so this is a little above the encoding of the whole text (under 10 % on transcripts), and it adds up
exactly over lines, so that a history that grows is counted in the time of what is new.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from bench.models.litellm_catalog import litellm_folder

__all__ = [
    "O200K",
    "SIMPLE",
    "TOKENIZER",
    "Tokenizer",
    "best_tokenizer",
    "count_tokens",
    "o200k_tokenizer",
    "split_tokens",
    "tokenizer_for",
]

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


O200K = "o200k_base/lines-v1"
"""Name and version; a change of any count is a new version."""
_FOLDER = "litellm_core_utils/tokenizers"
_URL = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
_FILE = hashlib.sha1(_URL.encode()).hexdigest()
"""tiktoken's cache names a file by where it came from."""
_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
_CACHE_VARIABLE = "TIKTOKEN_CACHE_DIR"


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
    """Count one line. ScopedCache, because a history shows the same lines at every step."""
    return len(_PIECE.findall(line))


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A way of counting, and the name that stands in a run's record."""

    name: str
    count: Callable[[str], int]


SIMPLE = Tokenizer(TOKENIZER, count_tokens)


def tokenizer_for(source: object) -> Tokenizer:
    """Return the tokenizer that a model source brings, else the one that needs no library."""
    own = getattr(source, "tokenizer", None)
    return own if isinstance(own, Tokenizer) else SIMPLE


def best_tokenizer() -> Tokenizer:
    """Return the encoding if its file is installed and whole, else the simple tokenizer."""
    return o200k_tokenizer() or SIMPLE


@cache
def o200k_tokenizer() -> Tokenizer | None:
    """Return the encoding, None if it is not installed; nothing is ever downloaded."""
    folder = litellm_folder()
    path = folder / _FOLDER / _FILE if folder else None
    if path is None or not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != _SHA256:
        return None
    encoding = _encoding(path)

    @lru_cache(maxsize=1 << 15)
    def count_line(line: str) -> int:
        return len(encoding.encode_ordinary(line)) if line else 0

    def count(text: str) -> int:
        lines = text.split("\n")
        return len(lines) - 1 + sum(map(count_line, lines))

    return Tokenizer(O200K, count)


def _encoding(path: Path) -> Any:
    """Load the encoding with tiktoken, which looks into the folder that a variable names before it downloads."""
    import tiktoken  # noqa: PLC0415

    before = os.environ.get(_CACHE_VARIABLE)
    os.environ[_CACHE_VARIABLE] = str(path.parent)
    try:
        return tiktoken.get_encoding("o200k_base")
    finally:
        if before is None:
            del os.environ[_CACHE_VARIABLE]
        else:
            os.environ[_CACHE_VARIABLE] = before
