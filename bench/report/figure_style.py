"""How every figure looks, and how it is written: PNG, SVG or PDF, the same bytes for the same numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from bench.errors import UsageError
from bench.report.figure_labels import INK, SOFT

__all__ = ["STYLE", "check_suffix", "save"]

_SUFFIXES = (".png", ".svg", ".pdf")
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "svg.hashsalt": "memfrontier",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "text.color": INK,
}


def check_suffix(who: str, path: Path) -> None:
    """Raises: UsageError for a file that is named as no picture that can be drawn."""
    if path.suffix.lower() not in _SUFFIXES:
        raise UsageError(f"{who}: expected a file ending in {', '.join(_SUFFIXES)}, got {path.name!r}; rename it")


def save(figure: Figure, path: Path) -> None:
    """Write a figure; the suffix of the file says the format."""
    with mpl.rc_context(STYLE):
        figure.savefig(path, metadata=_plain_metadata(path), facecolor="white")


def _plain_metadata(path: Path) -> dict[str, str | None]:
    """No dates and no versions: equal numbers give equal files."""
    if path.suffix.lower() == ".svg":
        return {"Date": None, "Creator": None}
    if path.suffix.lower() == ".pdf":
        return {"CreationDate": None, "Creator": None, "Producer": None}
    return {"Software": None}
