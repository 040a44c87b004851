"""Paths of a workspace: names that mean the same on every disk, always below the root.

A path is the names from the root, joined by ``/``; the root is empty. Letters lose case and accents and spaces become
``_``, so ``entities/Élise Roy.md`` is ``entities/elise_roy.md``; any other character is refused, not replaced.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from baselines.horma.refusals import Refusal, RefusalKind

__all__ = [
    "ENTITIES",
    "INDEX",
    "RAW",
    "SUFFIX",
    "WorkspaceLimits",
    "check_target",
    "clean_path",
    "clean_target",
    "is_within",
    "join_path",
    "refuse_generated",
    "split_path",
]

RAW = "raw_logs"
"""The folder of the raw turns, which the harness alone writes."""
ENTITIES = "entities"
INDEX = "index.md"
"""The generated file."""
SUFFIX = ".md"
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]*")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")
"""Names that stand for a device on some systems."""
_QUOTES = str.maketrans("", "", "'’`\"“”")
_MOST_CHARACTERS = 1000
_QUOTED = 60


@dataclass(frozen=True, slots=True)
class WorkspaceLimits:
    """The most that a manager may write; raw logs are not limited."""

    line_chars: int = 1000
    file_chars: int = 40_000
    total_chars: int = 2_000_000
    name_chars: int = 80
    depth: int = 4
    """Names in a path."""
    entries: int = 2000
    """Files and folders."""


def clean_path(text: str, folder: str = "", *, upward: bool = False) -> str:
    """Return the path that a model wrote, seen from ``folder``; empty = the root.

    ``upward``: ``..`` and a leading ``/`` are understood, as far as they stay below the root (for reading). Raises:
    Refusal for a path that leaves the root and for a name of other characters than ``a-z 0-9 _ . -``.
    """
    if len(text) > _MOST_CHARACTERS:
        raise Refusal(RefusalKind.TOO_LONG, f"a path has at most {_MOST_CHARACTERS} characters, this one {len(text)}")
    written = text.translate(_QUOTES).strip()
    if written.startswith("/") and not upward:
        raise Refusal(RefusalKind.PATH, f"{_quote(text)}: a path begins at the root without /, as in entities/ann.md")
    names = [] if written.startswith("/") else split_path(folder)
    for piece in written.split("/"):
        if piece.strip() in ("", "."):
            continue
        if piece.strip() == "..":
            if not upward or not names:
                raise Refusal(RefusalKind.PATH, f"{_quote(text)}: a path cannot leave the workspace")
            names.pop()
        else:
            names.append(_clean_name(piece, text))
    return "/".join(names)


def _clean_name(piece: str, text: str) -> str:
    folded = unicodedata.normalize("NFD", piece.strip().lower())
    name = "".join(char for char in folded if unicodedata.category(char) != "Mn")
    name = re.sub(r" +", "_", name)
    if not _NAME.fullmatch(name) or name.endswith(".") or ".." in name or _RESERVED.fullmatch(name):
        raise Refusal(
            RefusalKind.PATH,
            f"{_quote(text)}: a name has letters, digits, _ - and . only and begins with a letter or digit",
        )
    return name


def _quote(text: str) -> str:
    """Return the beginning of a text as it can be shown anywhere."""
    shown = text if len(text) <= _QUOTED else f"{text[:_QUOTED]}..."
    return ascii(shown)


def split_path(path: str) -> list[str]:
    """Return the names of a clean path, from the root."""
    return path.split("/") if path else []


def join_path(*parts: str) -> str:
    """Return clean paths joined; empty ones add nothing."""
    return "/".join(filter(None, parts))


def is_within(path: str, folder: str) -> bool:
    """True if a clean path is the folder or lies below it."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def clean_target(text: str, limits: WorkspaceLimits, *, is_note: bool) -> str:
    """Return the path of what a manager wants to write, a note with its ``.md``. Raises: Refusal."""
    clean = clean_path(text)
    if is_note and clean and not clean.endswith(SUFFIX):
        clean += SUFFIX
    refuse_generated(clean)
    check_target(clean, limits, is_note=is_note)
    return clean


def refuse_generated(path: str) -> None:
    """Raises: Refusal for the root and for what the harness alone writes."""
    if is_within(path, RAW) or path == INDEX or not path:
        raise Refusal(RefusalKind.READ_ONLY, f"{path or 'the root'} is not yours to write")


def check_target(path: str, limits: WorkspaceLimits, *, is_note: bool) -> None:
    """Raises: Refusal for a clean path that no note, or no folder, may have."""
    names = split_path(path)
    folders = names[:-1] if is_note else names
    if path.endswith(SUFFIX) != is_note or any(name.endswith(SUFFIX) for name in folders):
        raise Refusal(RefusalKind.PATH, f"{path}: the name of a note ends in {SUFFIX}, that of a folder does not")
    if not folders:
        raise Refusal(RefusalKind.PATH, f"{path}: a note is in a folder, as in notes/{path}")
    if len(names) > limits.depth:
        raise Refusal(RefusalKind.TOO_LONG, f"a path has at most {limits.depth} names, this one {len(names)}")
    if (longest := max(map(len, names))) > limits.name_chars:
        raise Refusal(RefusalKind.TOO_LONG, f"a name has at most {limits.name_chars} characters, this one {longest}")
