"""Where the numbers of a report come from: what each run was asked, and what it was played with. Fingerprints name
versions and digests; what all rows of a block share stands once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from bench.config import RUN_FILE
from bench.report.items import Block
from bench.secrets import scrub

__all__ = ["describe_fingerprints", "describe_runs"]

Record = dict[str, Any]


def describe_runs(folders: Sequence[Path]) -> list[Record]:
    """Return the name of each run and the text of its ``run.toml``, empty where there is none."""
    found = []
    for folder in folders:
        path = folder / RUN_FILE
        text = ""
        if path.is_file():
            text = scrub(path.read_text(encoding="utf-8", errors="replace"))
        found.append({"name": folder.name, "config": text})
    return found


def describe_fingerprints(block: Block) -> Record:
    """Return the fields that all strategies of a block share, and those of each that differ.

    A field that differs from task to task holds the number of its values.
    """
    rows = {name: _collect(block.of(name)) for name in block.strategies}
    names = sorted({field for fields in rows.values() for field in fields})
    values = {name: {fields.get(name, "") for fields in rows.values()} for name in names}
    shared = {name: next(iter(found)) for name, found in values.items() if len(found) == 1}
    own = {row: {name: text for name, text in fields.items() if name not in shared} for row, fields in rows.items()}
    return {"title": block.name, "shared": shared, "own": own}


def _collect(items: pd.DataFrame) -> dict[str, str]:
    values: dict[str, set[str]] = {}
    for text in items["fingerprint"].astype(str).unique():
        for name, value in (json.loads(text) if text else {}).items():
            values.setdefault(name, set()).add(str(value))
    return {
        name: next(iter(found)) if len(found) == 1 else f"{len(found)} values, by task"
        for name, found in sorted(values.items())
    }
