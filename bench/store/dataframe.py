"""Runs as pandas data frames: what tables, statistics and notebooks read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import pandas as pd

from bench.errors import StoreError
from bench.store.items_file import is_items_file, read_items_file
from bench.store.orders import read_places
from bench.store.read import reading_run
from bench.store.rows import KEY_COLUMNS
from bench.store.score_columns import read_score_columns
from bench.types import Status, read_role_models

__all__ = ["OFFLINE_PREFIX", "read_items"]

OFFLINE_PREFIX = "offline/"
_WALLS = ("wall_s", "wall_model_s", "wall_env_s", "wall_memory_s")
_SCORED = frozenset(status.value for status in Status if status.scored)
_ORDER = ",".join(f"t.{name}" for name in KEY_COLUMNS)
_FIELDS = (
    "id", *KEY_COLUMNS, "status", "end_reason", "error", "grp", "cluster", "optimal_steps", "fingerprint", *_WALLS,
)  # fmt: skip
_TRIALS = f"SELECT {','.join(_FIELDS)} FROM trials t WHERE t.attempt > 0 ORDER BY {_ORDER}"
_ITEMS = f"""
SELECT t.id, i.item, i.grp, i.cluster, i.scores FROM trials t LEFT JOIN items i ON i.trial = t.id
WHERE t.attempt > 0 ORDER BY {_ORDER}, i.item
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
        db.row_factory = None  # plain rows: there may be 100,000
        db.execute("BEGIN")  # trials and items of one moment, also while the run is being written
        trials = _describe_trials(folder, db.execute(_TRIALS).fetchall())
        numbers = {trial_id: number for number, trial_id in enumerate(trials.pop("id"))}
        found = _Items(list(zip(*(trials[name] for name in ("scored", "task", "group", "cluster")), strict=True)))
        scores = read_score_columns(found.collect(db.execute(_ITEMS), numbers))
        if places := read_places(db):
            keys = zip(trials["suite"], trials["seed"], trials["task"], strict=True)
            trials["place"] = [places.get((str(suite), int(str(seed)), str(task))) for suite, seed, task in keys]
    frame = pd.DataFrame(trials).take(found.of).reset_index(drop=True)
    columns = {str(name): frame[name] for name in frame.columns} | found.own
    place = {"place": columns.pop("place")} if places else {}
    first = {name: scores[name] for name in found.first}
    return pd.DataFrame(columns | first | place | scores)


class _Items:
    """What each item has of its own, and the number of its trial."""

    def __init__(self, trials: Sequence[tuple[object, ...]]):
        """``trials``: whether it is scored, its task, group and cluster, of each."""
        self._trials = trials
        self.of: list[int] = []
        self.own: dict[str, list[object]] = {"item": [], "group": [], "cluster": []}
        self.first: list[str] = []
        """The scores of the first item: their columns stand before all others."""

    def collect(self, rows: Iterable[tuple[object, ...]], numbers: Mapping[object, int]) -> Iterator[str]:
        """Yield the scores of each item as text, empty where its trial has no score, and keep what else it has."""
        items, groups, clusters = self.own.values()
        for trial_id, item, group, cluster, text in rows:
            number = numbers[trial_id]
            scored, task, shared_group, shared_cluster = self._trials[number]
            scores = str(text) if scored and text else ""
            if not self.of and scores:
                self.first = list(json.loads(scores))
            self.of.append(number)
            items.append(item if item is not None else task)
            groups.append(group or shared_group)
            clusters.append(cluster or shared_cluster)
            yield scores


def _describe_trials(folder: Path, rows: Sequence[tuple[object, ...]]) -> dict[str, list[object]]:
    """Return what the items of each trial share, under the names of columns, and the ids."""
    found = dict(zip(_FIELDS, map(list, zip(*rows, strict=True)) if rows else ([] for _ in _FIELDS), strict=True))
    statuses = list(map(str, found["status"]))
    walls = {name: list(map(_float, found[name])) for name in _WALLS}
    models = zip(found["model"], found["fingerprint"], strict=True)
    return {
        "id": found["id"],
        "run": [folder.name] * len(rows),
        **{name: found[name] for name in KEY_COLUMNS},
        "offline": [_is_offline(str(model), str(fields)) for model, fields in models],
        "status": [*statuses],
        "scored": [status in _SCORED for status in statuses],
        "end": found["end_reason"],
        "error": found["error"],
        "item": found["task"],
        "group": found["grp"],
        "cluster": found["cluster"],
        "optimal_steps": found["optimal_steps"],
        "fingerprint": found["fingerprint"],
        **walls,
        "wall_harness_s": [total - sum(parts) for total, *parts in zip(*walls.values(), strict=True)],
    }


@lru_cache(maxsize=4096)
def _is_offline(model: str, fingerprint: str) -> bool:
    """True if any model of a trial is made of rules: the acting one, or one of single roles.

    Raises: ValueError for a fingerprint that those who read the frame could not read.
    """
    fields = json.loads(fingerprint) if fingerprint else {}
    if not isinstance(fields, dict):
        raise ValueError(f"a fingerprint that is no JSON object: {fingerprint[:40]!r}")
    return any(name.startswith(OFFLINE_PREFIX) for name in (model, *read_role_models(fields).values()))


def _float(value: object) -> float:
    return value if isinstance(value, float) else float("nan") if value is None else float(str(value))
