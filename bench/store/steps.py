"""The steps of runs as a data frame of numbers alone: what curves over the steps of an episode are made of.

One plain query a run; no text of a step is read or decoded.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from bench.store.read import reading_run
from bench.store.rows import KEY_COLUMNS

__all__ = ["read_steps"]

_NUMBERS = ("step", "progress", "valid", "won")
_QUERY = f"""
SELECT {",".join(f"t.{name}" for name in KEY_COLUMNS)}, {",".join(f"s.{name}" for name in _NUMBERS)}
FROM steps s JOIN trials t ON t.id = s.trial WHERE t.attempt = 1
ORDER BY s.trial, s.step
"""


def read_steps(folders: Sequence[Path]) -> pd.DataFrame:
    """Return one row per step of the first attempts of runs: run, the trial key, step (from 1), progress (0..1, as the
    environment said after the step), valid and won (0 or 1).

    Raises: StoreError.
    """
    frames = []
    for folder in map(Path, folders):
        with reading_run(folder) as db:
            found = pd.DataFrame(map(tuple, db.execute(_QUERY)), columns=[*KEY_COLUMNS, *_NUMBERS])
            frames.append(found.assign(run=folder.name))
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
