"""How every figure looks and is written: one set of colours and sizes, PNG, SVG or PDF, equal bytes for equal numbers.

The colours are told apart with any kind of colour vision (Okabe and Ito), on white and on a dark ground. Text stays
text in SVG and PDF; an SVG has a title and a description for those who cannot see it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.errors import UsageError, writing

__all__ = [
    "DARK", "DOUBLE", "LIGHT", "POINTS", "SINGLE", "SUFFIXES", "About", "Look", "Theme", "check_suffix", "draw_grid",
    "join_lines", "save", "shorten",
]  # fmt: skip

POINTS = 72
"""In an inch."""
SINGLE, DOUBLE = 3.25, 6.75
"""Inches: the widths of one column and of both, as in ICML; within 0.4 inches of those of ACL and IEEE."""
SUFFIXES = (".png", ".svg", ".pdf")
_NARROW = 330.0
"""Panels of fewer points have smaller letters."""
_LONGEST_TEXT = 400
"""Characters of a name in the description of a picture."""


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a figure."""

    paper: str
    ink: str
    soft: str
    grid: str
    band: str
    main: str
    """The frontier, and what is won."""
    rest: str
    accent: str
    """What is highlighted, and what is lost."""
    before: str
    """The first of two runs."""
    palette: tuple[str, ...]
    pale: str
    """The part of a bar that is no news."""


LIGHT = Theme(
    paper="#ffffff", ink="#1f2933", soft="#5b6672", grid="#e4e8ec", band="#f4f6f8", main="#0b6e8a", rest="#8b97a3",
    accent="#d55e00", before="#b07cc6", pale="#e3e8ed",
    palette=("#0b6e8a", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5b4fa2", "#1f2933"),
)  # fmt: skip
DARK = Theme(
    paper="#14191f", ink="#e8edf2", soft="#a3afbb", grid="#2a323b", band="#1c232b", main="#4cc3e0", rest="#77838f",
    accent="#ff9d4d", before="#d3a6e8", pale="#39434e",
    palette=("#4cc3e0", "#ff9d4d", "#3ddba6", "#f0a3cd", "#ffd166", "#9fd8ff", "#b3a6f5", "#e8edf2"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Look:
    """How a user wants a figure: the same choices for every kind. Sizes are points, None = the kind's own."""

    theme: Theme = LIGHT
    wide: float | None = None
    tall: float | None = None
    title: str | None = None
    """Instead of the kind's own heading; empty = none, as where a caption has it."""
    highlight: tuple[str, ...] = ()

    def scale(self, wide: float) -> float:
        """Return the factor of letters and marks in a panel of this width."""
        return 0.82 if wide < _NARROW else 1.0

    @property
    def rc(self) -> dict[Any, Any]:
        """The settings of matplotlib."""
        theme = self.theme
        return {
            "font.family": "DejaVu Sans",
            "font.size": 9.5,
            "text.parse_math": False,  # a name with two $ in it is a name
            "svg.hashsalt": "memfrontier",
            "svg.fonttype": "none",
            "pdf.fonttype": 42,
            "hatch.linewidth": 0.7,
            "figure.facecolor": theme.paper,
            "axes.facecolor": theme.paper,
            "axes.edgecolor": theme.soft,
            "axes.labelcolor": theme.ink,
            "xtick.color": theme.soft,
            "ytick.color": theme.soft,
            "text.color": theme.ink,
        }


@dataclass(frozen=True, slots=True)
class About:
    """What a picture shows, for those who cannot see it."""

    title: str
    lines: tuple[str, ...] = field(default=())


def draw_grid(axes: Axes, look: Look, *, vertical: bool = True) -> None:
    """Draw the grid of a plane of points behind them, without ticks or a frame above and on the right."""
    axes.grid(True, axis="both" if vertical else "y", color=look.theme.grid, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(which="both", length=0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def check_suffix(who: str, path: Path, also: tuple[str, ...] = ()) -> None:
    """Raises: UsageError for a file whose suffix is no format."""
    allowed = (*SUFFIXES, *also)
    if path.suffix.lower() not in allowed:
        raise UsageError(f"{who}: expected a file ending in {', '.join(allowed)}, got {path.name!r}; rename it")


def save(who: str, path: Path, build: Callable[[], Figure], look: Look, about: About) -> None:
    """Write a figure; the suffix of the file says the format. Raises: UsageError for another suffix, StoreError
    for a place that cannot be written."""
    check_suffix(who, path)
    image, kind = BytesIO(), path.suffix.lower().removeprefix(".")
    with mpl.rc_context(look.rc):
        build().savefig(image, format=kind, metadata=_choose_metadata(kind, about), facecolor=look.theme.paper)
    data = image.getvalue()
    with writing(who, path):
        path.write_bytes(_describe_svg(data, about) if kind == "svg" else data)


def _choose_metadata(kind: str, about: About) -> dict[str, str | None]:
    """No dates and no versions: equal numbers give equal files."""
    title = _clean(about.title)
    if kind == "svg":
        return {"Date": None, "Creator": None}
    if kind == "pdf":
        return {"CreationDate": None, "Creator": None, "Producer": None, "Title": title}
    return {"Software": None, "Title": title.encode("latin-1", "replace").decode("latin-1")}


def _describe_svg(data: bytes, about: About) -> bytes:
    """Give a picture its title and description, and letters of the same width where its own are not installed."""
    text = data.decode()
    title, lines = escape(_clean(about.title)), (escape(_clean(line)) for line in about.lines)
    texts = f'<title id="title">{title}</title>\n <desc id="desc">{join_lines(lines)}</desc>'
    text = re.sub(
        r"(<svg\b[^>]*)>", lambda m: f'{m[1]} role="img" aria-labelledby="title desc">\n {texts}', text, count=1
    )
    return text.replace("'DejaVu Sans'", "'DejaVu Sans', Verdana, sans-serif").encode()


def join_lines(lines: Iterable[str]) -> str:
    """Return the lines of a description as one text."""
    return "\n".join(lines)


def _clean(text: str) -> str:
    """Return a text without what XML cannot hold, and not too long."""
    return shorten("".join(letter if letter.isprintable() else " " for letter in text), _LONGEST_TEXT)


def shorten(name: str, chars: int) -> str:
    """Return a name of at most so many characters: the middle of a longer one is left out, for ends tell apart."""
    if len(name) <= chars:
        return name
    tail = max(1, chars // 3)
    return f"{name[: max(1, chars - tail - 1)]}…{name[-tail:]}"
