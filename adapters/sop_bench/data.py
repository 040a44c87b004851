"""The released files of the domain ``dangerous_goods`` on the user's disk: their digests and their source.

This repository contains nothing of them: they are CC BY-NC 4.0, and no one may help to train a model on them. Their
tools are code and are not used. Source: SOP-Bench, amazon-science/SOP-Bench at commit 2fdce4c.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from bench.errors import DataError
from bench.protocols import DataSource, DataSpec

__all__ = ["DATA", "PROCEDURE", "PRODUCTS", "ROOT", "TOOLS", "Fault", "check", "read_text"]

ROOT = "sop_bench"
_FOLDER = f"{ROOT}/dangerous_goods"
PRODUCTS, PROCEDURE, TOOLS = (
    f"{_FOLDER}/{name}" for name in ("test_set_with_outputs.csv", "sop.txt", "toolspecs.json")
)
_SHA256 = {
    PRODUCTS: "f7a40880d717bbdfdf35d58116dfcfbeb424ab52b40209670aaba743463123c5",
    PROCEDURE: "4fa1c29f031a8067caa826ced62cbb3873d8cd0b7fb6db429addd95e4ce01a53",
    TOOLS: "6f8a65d80aa582a3a6ff2ed138d7bf90149b5b8f2ad8aa2135985bcff0a74357",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """A file that is ``missing`` or ``altered``."""

    path: str
    problem: str


def read_text(data_root: Path, name: str) -> str:
    """Return the text of one of the three files. Raises: DataError naming the file and how to get it."""
    path = data_root / name
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as cause:
        reason = cause.strerror if isinstance(cause, OSError) else cause
        raise DataError(
            f"sop-bench: expected the file {path}, got {reason}; fetch it with: bench data get sop-bench "
            "(or run the split generated, which needs no download)"
        ) from cause


def check(data_root: Path) -> tuple[Fault, ...]:
    """Return every missing or altered file, sorted by path; empty if there is none."""
    faults = []
    for name, sha256 in sorted(_SHA256.items()):
        if not (data_root / name).is_file():
            faults.append(Fault(name, "missing"))
        elif hashlib.sha256((data_root / name).read_bytes()).hexdigest() != sha256:
            faults.append(Fault(name, "altered"))
    return tuple(faults)


DATA = DataSpec(
    folder=ROOT,
    sources=(
        DataSource(
            url="https://github.com/amazon-science/SOP-Bench/archive/2fdce4c.zip",
            to=_FOLDER,
            inside="src/amazon_sop_bench/benchmarks/data/dangerous_goods",
        ),
    ),
    check=check,
    licence="CC BY-NC 4.0, for evaluation only: no one may use it, or help to use it, for training a model",
)
