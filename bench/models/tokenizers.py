"""The two tokenizers that count contexts and budgets; what a model itself counts stands in the ledger.

``simple-v1`` needs no library: words in pieces of 8 and 5 letters, numbers in threes, punctuation one by one. The
offline and the local models are counted with it. ``o200k_base`` is OpenAI's encoding, read from the file that litellm
ships, without a download. It counts for every remote model, so that a budget means the same for all of them; without
litellm the simple tokenizer takes its place.

Both count a text line by line, a line break as one token. So counts add up exactly over lines, and a growing history is
counted in the time of its new lines. Byte-pair encoding may merge a line break with the character before it: the sum
is a little above the encoding of the whole text (under 10 % on transcripts).
"""

from __future__ import annotations

import hashlib
import os
import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from bench.models.litellm_catalog import litellm_folder
from bench.protocols import Tokenizer

__all__ = [
    "O200K",
    "SIMPLE",
    "SIMPLE_NAME",
    "choose_tokenizer",
    "count_tokens",
    "load_o200k",
    "split_tokens",
]

SIMPLE_NAME = "simple-v1"
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
"""tiktoken names a cached file by the SHA-1 of its address."""
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
    """Count one line. Memoized, because a history shows the same lines at every step."""
    return len(_PIECE.findall(line))


SIMPLE = Tokenizer(SIMPLE_NAME, count_tokens)


def choose_tokenizer() -> Tokenizer:
    """Return o200k if its file is installed and unchanged, else the simple tokenizer."""
    return load_o200k() or SIMPLE


@cache
def load_o200k() -> Tokenizer | None:
    """Return the o200k tokenizer, None if its file is missing or changed; nothing is ever downloaded."""
    folder = litellm_folder()
    path = folder / _FOLDER / _FILE if folder else None
    if path is None or not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != _SHA256:
        return None
    encoding = _load_encoding(path)

    @lru_cache(maxsize=1 << 15)
    def count_line(line: str) -> int:
        return len(encoding.encode_ordinary(line)) if line else 0

    def count(text: str) -> int:
        lines = text.split("\n")
        return len(lines) - 1 + sum(map(count_line, lines))

    return Tokenizer(O200K, count)


def _load_encoding(path: Path) -> Any:
    """Load the encoding with tiktoken, which looks into the folder of a variable before it downloads."""
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
