"""memfrontier: a benchmark harness for agent memory whose numbers can be reproduced.

``bench.run``, ``bench.table``, ``bench.compare`` and ``bench.frontier`` are the Python interface (``bench.api``), with
``bench.curve``, ``bench.curve_points``, ``bench.error_shares`` and ``bench.draw`` (``bench.api.looking``). They are
imported when first used, so that ``import bench`` is light.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.api import Run, compare, frontier, run, table
    from bench.api.looking import curve, curve_points, draw, error_shares

__version__ = "0.1.0"
__all__ = [
    "Run", "__version__", "compare", "curve", "curve_points", "draw", "error_shares", "frontier", "run", "table",
]  # fmt: skip
_LOOKING = ("curve", "curve_points", "draw", "error_shares")


def __getattr__(name: str) -> object:
    if name in __all__:
        return getattr(import_module("bench.api.looking" if name in _LOOKING else "bench.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
