"""Runs as pandas data frames: what tables, statistics and notebooks read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import pandas as pd

from bench.errors import StoreError
from bench.store.items_file import is_items_file, read_items_file
from bench.store.orders import read_places
from bench.store.read import reading_run
from bench.store.rows import KEY_COLUMNS
from bench.types import ROLE_MODEL, Status, read_role_models

__all__ = ["OFFLINE_PREFIX", "read_items"]

OFFLINE_PREFIX = "offline/"
_WALLS = ("wall_s", "wall_model_s", "wall_env_s", "wall_memory_s")
_QUERY = f"""
SELECT t.*, i.item, i.grp AS item_grp, i.cluster AS item_cluster, i.scores
FROM trials t LEFT JOIN items i ON i.trial = t.id
WHERE t.attempt > 0
ORDER BY {",".join(f"t.{name}" for name in KEY_COLUMNS)}, i.item
"""


def read_items(folders: Sequence[Path]) -> pd.DataFrame:
    """Return one row per item of every planned trial of the runs, by key; unscored ones have no numbers.

    In the place of a run folder a file of its items may stand (``items_file.py``).

    Columns: run, the trial key, offline (any of its models is made of rules), status, scored, end, error, item, group,
    cluster, optimal_steps, fingerprint (JSON), wall times, of a stream the place of the task in the order of its seed,
    and one float column per score (NaN = not applicable or unscored).
    Raises: StoreError for a folder that is no run, or one in which something was only learned.
    """
    frames = [_read(Path(folder)) for folder in folders]
    for folder, frame in zip(folders, frames, strict=True):
        if frame.empty:
            raise StoreError(
                f"run folder: expected trials of an evaluation, got none in {folder}; give a folder of `bench run`, or "
                "show one of the artifacts below it"
            )
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def _read(folder: Path) -> pd.DataFrame:
    if is_items_file(folder):
        return read_items_file(folder)
    with reading_run(folder) as db:
        records = [_record(folder, dict(row)) for row in db.execute(_QUERY)]
        places = read_places(db)
        for record in records if places else ():
            record["place"] = places.get((str(record["suite"]), int(str(record["seed"])), str(record["task"])))
    return pd.DataFrame.from_records(records)


def _record(folder: Path, row: dict[str, object]) -> dict[str, object]:
    status = str(row["status"])
    scored = status in {s.value for s in Status if s.scored}
    _check_fields(str(row["fingerprint"]))
    record: dict[str, object] = {"run": folder.name, **{name: row[name] for name in KEY_COLUMNS}}
    record |= {
        "offline": any(name.startswith(OFFLINE_PREFIX) for name in _list_models(row)),
        "status": status,
        "scored": scored,
        "end": row["end_reason"],
        "error": row["error"],
        "item": row["item"] if row["item"] is not None else row["task"],
        "group": row["item_grp"] or row["grp"],
        "cluster": row["item_cluster"] or row["cluster"],
        "optimal_steps": row["optimal_steps"],
        "fingerprint": row["fingerprint"],
    }
    timings = {name: _float(row[name]) for name in _WALLS}
    record |= timings
    record["wall_harness_s"] = timings["wall_s"] - sum(timings[name] for name in _WALLS[1:])
    scores = json.loads(str(row["scores"])) if scored and row["scores"] else {}
    record |= {name: _float(value) for name, value in scores.items()}
    return record


@lru_cache(maxsize=4096)
def _check_fields(text: str) -> None:
    """Raises: ValueError for a fingerprint that those who read the frame could not read."""
    if text and not isinstance(json.loads(text), dict):
        raise ValueError(f"a fingerprint that is no JSON object: {text[:40]!r}")


def _list_models(row: dict[str, object]) -> list[str]:
    """Return the models of a trial: the acting one, and those of single roles."""
    text = str(row["fingerprint"])
    return [str(row["model"]), *(read_role_models(json.loads(text)).values() if f'"{ROLE_MODEL}' in text else ())]


def _float(value: object) -> float:
    return float("nan") if value is None else float(str(value))
