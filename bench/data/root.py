"""Where benchmark data lies: ``$BENCH_DATA``, else the platform's user data folder."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

__all__ = ["DATA_VARIABLE", "data_root"]

DATA_VARIABLE = "BENCH_DATA"


def data_root() -> Path:
    """Return the data root; it need not exist."""
    given = os.environ.get(DATA_VARIABLE)
    if not given:
        return Path(platformdirs.user_data_dir("memfrontier"))
    return Path(os.path.expanduser(given)).resolve()  # noqa: PTH111  # the method raises for a user that is not there
