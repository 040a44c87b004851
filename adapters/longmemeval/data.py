"""The LongMemEval files on the user's disk: the file of each split, its digest and its source.

This repository contains nothing of them (MIT, with sessions from ShareGPT and UltraChat). This module opens a file only
to compute its digest. Knows no instance.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from bench.errors import DataError
from bench.protocols import DataSource, DataSpec

__all__ = ["DATA", "MEND", "RELEASE", "ROOT", "Fault", "advise", "check", "compute_digest", "find_file", "is_official"]

ROOT = "longmemeval"
RELEASE = "cleaned 2025-09"
_GET = "fetch the file with: bench data get longmemeval"
MEND = "mend the file (bench data check longmemeval says whether the official ones are intact)"
"""What to do about a file that is there: it may be the user's own, which must not be replaced."""
_ADDRESS = (
    "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned/resolve/98d7416c24c778c2fee6e6f3006e7a073259d48f/"
)
_CHUNK_BYTES = 1 << 20
_ORACLE = "longmemeval_oracle.json"
_S = "longmemeval_s_cleaned.json"
_S_499 = "longmemeval_s_cleaned.499of500.jsonl.xz"
_M = "longmemeval_m_cleaned.json"
_SAMPLE = "longmemeval_s_cleaned.sample7.json"
_FILES = {
    "oracle": (_ORACLE,),
    "oracle367": (_ORACLE,),
    "s": (_S, _S_499),
    "s367": (_S, _S_499),
    "m": (_M,),
    "sample7": (_SAMPLE,),
}
_SHA256 = {
    _ORACLE: "821a2034d219ab45846873dd14c14f12cfe7776e73527a483f9dac095d38620c",
    _S: "d6f21ea9d60a0d56f34a05b609c79c88a451d2ae03597821ea3d5a9678c3a442",
    _S_499: "2500393dc8c11392d3eeabdd5d60d44ee2b23a5d8776f36dedb3d64b7b6845ab",
    _M: "9d79e5524794a2e6900a3aa9cb7d9152c5a3e8319c9a87c25494ba1eacee495f",
    _SAMPLE: "c359f2f92fc7d919f898800f8fb7d4578d80ccaabfc1029cc8f50ea4d371cf49",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """A file that is ``missing`` or ``altered``."""

    path: str
    problem: str


def find_file(data_root: Path, split: str, given: str = "") -> Path:
    """Return the file of a split: the given one (relative to the data root), else the first that exists.

    The file need not exist: reading it raises the error.
    """
    if given:
        return data_root / os.path.expanduser(given)  # noqa: PTH111  # the method raises for a user that is not there
    paths = [data_root / ROOT / name for name in _FILES[split]]
    return next((path for path in paths if path.is_file()), paths[0])


def compute_digest(path: Path) -> str:
    """Return the SHA-256 of a file, read in chunks. Raises: DataError naming the file and how to get it."""
    found = hashlib.sha256()
    try:
        with path.open("rb") as stream:
            while piece := stream.read(_CHUNK_BYTES):
                found.update(piece)
    except OSError as cause:
        raise DataError(f"longmemeval: expected {path}, got {cause.strerror or cause}; {advise(path)}") from cause
    return found.hexdigest()


def is_official(sha256: str) -> bool:
    """True for the digest of a file of the release, S in either of its two forms."""
    return sha256 in _SHA256.values()


def advise(path: Path) -> str:
    """Return what to do about a file that cannot be opened: where to get an official one, or to look at one's own."""
    if path.exists() or path.parent.name != ROOT or path.name not in _SHA256:
        return MEND if path.exists() else "name a file that exists, relative to the data root or in full"
    if path.name in (_ORACLE, _S):
        return _GET
    return f"download it from {_ADDRESS}{_M} by hand" if path.name == _M else f"put it into the folder {path.parent}"


def check(data_root: Path) -> tuple[Fault, ...]:
    """Return what is missing or altered; empty if oracle and S exist and every file is as published.

    S may have either of its two forms. M (2.7 GB) and the sample are checked only if they exist.
    """
    faults = []
    for names in sorted(set(_FILES.values())):
        found = [name for name in names if (data_root / ROOT / name).is_file()]
        if not found and names[0] in (_ORACLE, _S):
            faults.append(Fault(f"{ROOT}/{names[0]}", "missing"))
        faults += [
            Fault(f"{ROOT}/{name}", "altered")
            for name in found
            if compute_digest(data_root / ROOT / name) != _SHA256[name]
        ]
    return tuple(faults)


DATA = DataSpec(
    folder=ROOT,
    sources=tuple(DataSource(f"{_ADDRESS}{name}", f"{ROOT}/{name}", sha256=_SHA256[name]) for name in (_ORACLE, _S)),
    check=check,
    licence="MIT",
)
"""All official files but M, which has 2.7 GB: download it by hand and name it with ``path=``."""
