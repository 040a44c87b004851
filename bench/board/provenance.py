"""Where the numbers of a board come from: for each run what was played, under which fingerprint, with which versions.

Everything is read from the items and from the ``run.toml`` beside them, so it is the same on any day.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from pathlib import Path

import pandas as pd

from bench.store.printing import make_line

__all__ = ["CONFIG_SUFFIX", "write_provenance"]

CONFIG_SUFFIX = ".toml"
"""Beside the items of a run stands its ``run.toml`` under this suffix, where there was one."""
_ENVIRONMENT = "env."
_LONGEST = 300
"""Characters of a value."""
_MANY = 3
"""Values of a field that differ from task to task are counted from here on."""


def write_provenance(title: str, files: Mapping[str, Path], read: Callable[[tuple[str, ...]], pd.DataFrame]) -> str:
    """Return the page in Markdown."""
    parts = [
        f"# {_clean(title)}: where its numbers come from",
        "Made by `bench board --remake` from the files in `items/`: one line an item (an episode, or a question), from "
        "which every table and figure here is made. `bench run items/NAME.toml -o runs/NAME` plays a run again.",
        *(_describe_run(name, path, read((name,))) for name, path in files.items()),
    ]
    return "\n\n".join(parts) + "\n"


def _describe_run(name: str, path: Path, items: pd.DataFrame) -> str:
    trials = items.drop_duplicates(["run", "suite", "split", "task", "strategy", "model", "seed", "attempt"])
    scored = int(trials["scored"].sum())
    lines = [
        ("file", f"`{path.name}`, SHA-256 `{sha256(path.read_bytes()).hexdigest()}`"),
        ("suite", _join(items["suite"] + " " + items["split"])),
        ("model", _join(items["model"])),
        ("strategies", _join(items["strategy"])),
        ("trials", f"{len(trials):,}, {scored:,} of them scored; {len(items):,} items"),
        *([("versions", versions)] if (versions := _read_versions(path, name)) else []),
        *_describe_environment(items),
    ]
    table = "\n".join(f"| {field} | {value} |" for field, value in lines)
    return f"## {_clean(name)}\n\n| | |\n|---|---|\n{table}"


def _read_versions(path: Path, name: str) -> str:
    config = path.parent / f"{name}{CONFIG_SUFFIX}"
    stamp = tomllib.loads(config.read_text(encoding="utf-8")).get("stamp", {}) if config.is_file() else {}
    return _clean(", ".join(f"{package} {version}" for package, version in stamp.items()))


def _describe_environment(items: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the fields of the fingerprints that describe the environment, one line each."""
    found: dict[str, set[str]] = {}
    for text in items["fingerprint"].unique():
        fields: dict[str, str] = json.loads(text) if text else {}
        for field in (field for field in fields if field.startswith(_ENVIRONMENT)):
            found.setdefault(field.removeprefix(_ENVIRONMENT), set()).add(fields[field])
    return [
        (_clean(field), f"{len(values)} values" if len(values) >= _MANY else _join(values))
        for field, values in sorted(found.items())
    ]


def _join(values: Iterable[str]) -> str:
    return ", ".join(f"`{_clean(value)}`" for value in sorted(set(values)))


def _clean(text: str) -> str:
    line = make_line(str(text)).replace("|", "\\|").replace("`", "'")
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
