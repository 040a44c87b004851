"""The LoCoMo file on the user's disk: its path, its digest, and its conversations as raw JSON.

The file is CC BY-NC 4.0 and is downloaded; this repository contains nothing of it. Knows no turn and no question.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

from bench.errors import DataError
from bench.protocols import DataSource, DataSpec

__all__ = ["DATA", "FILE", "MEND", "ROOT", "Fault", "RawConversation", "check", "is_official", "is_text", "read_file"]

ROOT = "locomo"
FILE = f"{ROOT}/data/locomo10.json"
_SHA256 = "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4"
_FETCH = "fetch the file with: bench data get locomo"
MEND = "mend the file (bench data check locomo says whether it is the official one)"
"""What to do about a file that is there: it may be the user's own, which must not be replaced."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A file that is ``missing`` or ``altered``."""

    path: str
    problem: str


@dataclass(frozen=True, slots=True)
class RawConversation:
    """One conversation as the file has it; ``sha256`` is the digest of its turns and questions."""

    name: str
    fields: dict[str, Any]
    sha256: str


def read_file(data_root: Path) -> tuple[RawConversation, ...]:
    """Return the conversations, sorted by name.

    Raises: DataError if the file is missing, no JSON, no list, or has a conversation without a name of its own.
    """
    path = data_root / FILE
    try:
        rows = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as cause:
        raise DataError(f"locomo: expected {path}, got {cause.strerror}; {_FETCH}") from cause
    except OSError as cause:
        raise DataError(f"locomo: expected a file {path} to read, got {cause.strerror or cause}; {MEND}") from cause
    except (ValueError, RecursionError) as cause:
        raise DataError(f"locomo: expected JSON in {path}, got {cause}; {MEND}") from cause
    if not isinstance(rows, list) or not rows:
        got = "an empty list" if rows == [] else type(rows).__name__
        raise DataError(f"locomo: expected a list of conversations in {path}, got {got}; {MEND}")
    conversations: list[RawConversation] = []
    for index, row in enumerate(rows):
        name = row.get("sample_id") if isinstance(row, dict) else None
        if not is_text(name) or name in (conversation.name for conversation in conversations):
            raise DataError(f"locomo: expected {path} [{index}] sample_id to be a new name, got {name!r}; {MEND}")
        text = json.dumps([row.get("conversation"), row.get("qa")], sort_keys=True)
        conversations.append(RawConversation(name, row, hashlib.sha256(text.encode()).hexdigest()))
    return tuple(sorted(conversations, key=lambda conversation: conversation.name))


def is_text(value: object) -> TypeGuard[str]:
    """True for a text that is not empty and is valid Unicode."""
    return isinstance(value, str) and value.strip() != "" and value == value.encode(errors="replace").decode()


def is_official(data_root: Path) -> bool:
    """True if the file is the released one."""
    return not check(data_root)


def check(data_root: Path) -> tuple[Fault, ...]:
    """Return the file if it is missing or not the official one; empty if it is intact."""
    path = data_root / FILE
    if not path.is_file():
        return (Fault(FILE, "missing"),)
    intact = hashlib.sha256(path.read_bytes()).hexdigest() == _SHA256
    return () if intact else (Fault(FILE, "altered"),)


DATA = DataSpec(
    folder=ROOT,
    sources=(
        DataSource(
            url="https://raw.githubusercontent.com/snap-research/locomo/main/data/locomo10.json",
            to=FILE,
            sha256=_SHA256,
        ),
    ),
    check=check,
    licence="CC BY-NC 4.0",
)
