"""Folders of trained weights that a strategy's parameters name: what they were trained on, and their digests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.errors import StoreError, UsageError
from bench.registry import ResolvedStrategy

__all__ = ["TrainedOn", "find_inputs", "hash_inputs", "read_record", "refuse_trained_tasks", "write_record"]

_RECORD = "training.json"
_NO_PART = (".pt", ".part", ".csv")
"""Checkpoints and logs are no part of a trained model."""


@dataclass(frozen=True, slots=True)
class TrainedOn:
    """What weights were trained on."""

    strategy: str
    suite: str
    """Its name without parameters."""
    tasks: tuple[str, ...]
    questions: int
    left_out: tuple[str, ...]
    """Tasks of the run that are not on the training side."""
    side: str
    """Which split, or which side of which policy."""


def find_inputs(one: ResolvedStrategy) -> Mapping[str, Path]:
    """Return the folders and files that its parameters name. Raises: UsageError for one that cannot be used."""
    return one.strategy.inputs(one.params) if one.strategy.inputs else {}


def hash_inputs(one: ResolvedStrategy) -> dict[str, str]:
    """Return the digest of each folder or file that a strategy's parameters name, as entries of a fingerprint."""
    return {f"row.{name}": _hash_input(path) for name, path in find_inputs(one).items()}


def refuse_trained_tasks(one: ResolvedStrategy, suite: str, tasks: Mapping[str, object]) -> None:
    """Raises: UsageError if weights that a strategy uses were trained on one of these tasks of a suite, by its name."""
    for folder in find_inputs(one).values():
        about = read_record(folder)
        both = sorted(set(about.tasks) & set(tasks)) if about and about.suite == suite else []
        if both:
            raise UsageError(
                f"strategy {one.label}: expected no task that {folder} was trained on, got {len(both)} ({both[0]}, "
                "...); evaluate the other side, or say --leak official"
            )


def write_record(about: TrainedOn, folder: Path) -> None:
    """Raises: StoreError if the folder holds a training on something else."""
    folder.mkdir(parents=True, exist_ok=True)
    path, text = folder / _RECORD, json.dumps(asdict(about), indent=1, sort_keys=True) + "\n"
    if path.exists() and path.read_text(encoding="utf-8") != text:
        raise StoreError(f"train: expected a folder of this training, got {path} of another; choose another with -o")
    path.write_text(text, encoding="utf-8")


def read_record(folder: Path) -> TrainedOn | None:
    """Return what weights in a folder were trained on, None if nothing is recorded. Raises: UsageError."""
    path = folder / _RECORD
    if not path.is_file():
        return None
    try:
        held = json.loads(path.read_text(encoding="utf-8-sig"))
        values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in held.items()}
        return TrainedOn(**values)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as fault:
        raise UsageError(f"{path}: expected the record of a training, got {fault}; train again") from fault


def _hash_input(given: Path) -> str:
    """Return the digest of a file, or of the files of a trained model, as 16 hex digits."""
    digest = hashlib.sha256()
    for path in sorted(given.iterdir()) if given.is_dir() else [given]:
        if path.is_file() and path.suffix not in _NO_PART:
            with path.open("rb") as file:
                digest.update(f"{path.name} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()[:16]
