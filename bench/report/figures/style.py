"""How a figure looks and is written: PNG, SVG or PDF, the same bytes for the same numbers."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.errors import UsageError, writing
from bench.report.figures.labels import INK, SOFT

__all__ = ["STYLE", "check_suffix", "draw_grid", "save"]

_SUFFIXES = (".png", ".svg", ".pdf")
_GRID = "#e4e8ec"
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "text.parse_math": False,  # a name with two $ in it is a name
    "svg.hashsalt": "memfrontier",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "text.color": INK,
}


def draw_grid(axes: Axes) -> None:
    """Draw the grid of a plane of points behind them, without ticks or a frame above and on the right."""
    axes.grid(True, color=_GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(which="both", length=0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def check_suffix(who: str, path: Path) -> None:
    """Raises: UsageError for a file whose suffix is no format."""
    if path.suffix.lower() not in _SUFFIXES:
        raise UsageError(f"{who}: expected a file ending in {', '.join(_SUFFIXES)}, got {path.name!r}; rename it")


def save(who: str, path: Path, build: Callable[[], Figure]) -> None:
    """Write a figure; the suffix of the file says the format. Raises: UsageError for another suffix, StoreError
    for a place that cannot be written."""
    check_suffix(who, path)
    image = BytesIO()
    with mpl.rc_context(STYLE):
        build().savefig(
            image, format=path.suffix.lower().removeprefix("."), metadata=_plain_metadata(path), facecolor="white"
        )
    with writing(who, path):
        path.write_bytes(image.getvalue())


def _plain_metadata(path: Path) -> dict[str, str | None]:
    """No dates and no versions: equal numbers give equal files."""
    if path.suffix.lower() == ".svg":
        return {"Date": None, "Creator": None}
    if path.suffix.lower() == ".pdf":
        return {"CreationDate": None, "Creator": None, "Producer": None}
    return {"Software": None}
