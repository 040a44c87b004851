"""``bench figure``: runs in, one kind of figure and its numbers out; and the options that all figures share."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from bench.cli.console import width
from bench.cli.table import end_line
from bench.errors import UsageError, unknown_name, writing
from bench.registry import split_names
from bench.report.choose import choose_strategies
from bench.report.curve import find_curves
from bench.report.curve_text import render_curves
from bench.report.differences import find_differences, render_differences
from bench.report.error_shares import find_error_shares, render_error_shares
from bench.report.figures.curve import draw_curves
from bench.report.figures.differences import draw_differences
from bench.report.figures.errors import draw_errors
from bench.report.figures.steps import draw_steps
from bench.report.figures.style import DARK, DOUBLE, LIGHT, POINTS, SINGLE, Look, check_suffix
from bench.report.figures.tokens import draw_tokens
from bench.report.row_names import name_rows
from bench.report.step_curves import STEP_KINDS, find_step_curves, render_step_curves
from bench.report.token_phases import find_token_phases, render_token_phases
from bench.store.dataframe import read_items
from bench.store.printing import say
from bench.store.steps import read_steps

__all__ = ["FigureOptions", "KindOptions", "check_files", "choose_items", "figure_command", "read_look", "write_files"]

_CSV = ".csv"
_STYLES = ("rich", "csv")
_SIZE = re.compile(r"(\d+\.?\d*)(?:x(\d+\.?\d*))?")
_SMALLEST, _LARGEST = 2.0, 40.0
"""Inches."""
_CURVE = "curve"
"""Below the run of a learning curve its other points."""


@dataclass(frozen=True, slots=True)
class FigureOptions:
    """The flags that all figures have."""

    outs: Sequence[Path] = ()
    rows: str = ""
    title: str | None = None
    size: str = ""
    highlight: str = ""
    dark: bool = False
    style: str = "rich"


@dataclass(frozen=True, slots=True)
class KindOptions:
    """The flags that only some kinds use."""

    metric: str = "success"
    every: int = 5


@dataclass(frozen=True, slots=True)
class _Source:
    """What a kind is found in."""

    folders: tuple[Path, ...]
    frame: pd.DataFrame
    rows: tuple[str, ...]
    options: KindOptions


@dataclass(frozen=True, slots=True)
class _Kind:
    """How the numbers of a kind are found, written and drawn. The types of the three belong together."""

    find: Callable[[_Source], tuple]  # type: ignore[type-arg]
    render: Callable[..., str]
    draw: Callable[..., None]


def _find_steps(kind: str) -> Callable[[_Source], tuple]:  # type: ignore[type-arg]
    return lambda source: find_step_curves(source.frame, read_steps(source.folders), kind, source.options.every)


_KINDS: Mapping[str, _Kind] = {
    **{kind: _Kind(_find_steps(kind), render_step_curves, draw_steps) for kind in STEP_KINDS},
    "learning": _Kind(lambda source: find_curves(source.frame, source.options.metric), render_curves, draw_curves),
    "tokens": _Kind(lambda source: find_token_phases(source.frame), render_token_phases, draw_tokens),
    "errors": _Kind(lambda source: find_error_shares(source.frame), render_error_shares, draw_errors),
    "differences": _Kind(
        lambda source: find_differences(source.frame, source.rows, source.options.metric),
        render_differences,
        draw_differences,
    ),
}


def figure_command(kind: str, folders: Sequence[Path], options: KindOptions, shared: FigureOptions) -> None:
    """Print the numbers of a figure and write its files. Raises: UsageError, StoreError."""
    if kind not in _KINDS:
        raise unknown_name("figure", "a kind (bench frontier is a command of its own)", kind, (*_KINDS, "frontier"))
    if shared.style not in _STYLES:
        raise unknown_name("figure", "a format", shared.style, _STYLES)
    check_files("figure", shared.outs)
    chosen = _list_points(folders) if kind == "learning" else tuple(folders)
    frame, names = choose_items(read_items(chosen), shared.rows)
    look, what = read_look(shared, frame), _KINDS[kind]
    found = what.find(_Source(chosen, frame, names, options))
    write_files(
        f"figure {kind}", shared.outs, lambda: what.render(found, "csv"), lambda path: what.draw(found, path, look)
    )
    print(end_line(what.render(found, shared.style, width=width(), color=sys.stdout.isatty())), end="")


def _list_points(folders: Sequence[Path]) -> tuple[Path, ...]:
    """Return the runs of a learning curve: those given, and the points below them."""
    out = list(folders)
    for folder in folders:
        points = folder / _CURVE
        out += (
            sorted(one for one in points.glob("tasks-*") if one.is_dir() and one not in out) if points.is_dir() else []
        )
    return tuple(out)


def check_files(who: str, outs: Sequence[Path]) -> None:
    """Raises: UsageError for a file that is no picture and no CSV, before any work."""
    for path in outs:
        check_suffix(who, path, (_CSV,))


def write_files(who: str, outs: Sequence[Path], to_csv: Callable[[], str], draw: Callable[[Path], None]) -> None:
    """Write each file as its suffix says. Raises: UsageError, StoreError."""
    for path in outs:
        if path.suffix.lower() == _CSV:
            with writing(who, path):
                path.write_text(to_csv(), encoding="utf-8")
        else:
            draw(path)
        say(f"{who}: {'written to' if path.suffix.lower() == _CSV else 'drawn in'} {path}")


def choose_items(frame: pd.DataFrame, rows: str) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the items of the strategies named with commas, as for a table, and their names; without names, all items.

    Raises: UsageError for a strategy that the runs do not have.
    """
    if not rows.strip():
        return frame, ()
    named = name_rows(frame)
    names = choose_strategies(split_names(rows), named)
    return frame[named["strategy"].isin(names)], names


def read_look(options: FigureOptions, frame: pd.DataFrame) -> Look:
    """Return how a figure is to look. Raises: UsageError for a size or a strategy that is none."""
    named = name_rows(frame) if options.highlight else frame
    highlight = choose_strategies(split_names(options.highlight), named)
    wide, tall = _read_size(options.size)
    return Look(DARK if options.dark else LIGHT, wide, tall, options.title, highlight)


def _read_size(text: str) -> tuple[float | None, float | None]:
    """Return width and height in points."""
    if not text:
        return None, None
    if text in ("single", "double"):
        return POINTS * (SINGLE if text == "single" else DOUBLE), None
    found = _SIZE.fullmatch(text)
    inches = [float(part) for part in found.groups() if part] if found else []
    if not inches or not all(_SMALLEST <= each <= _LARGEST for each in inches):
        raise UsageError(
            f"--size: expected single, double, or inches of {_SMALLEST:g} to {_LARGEST:g}, got {text!r}; "
            "write 3.3 or 6.5x4"
        )
    wide, tall = (*inches, None)[:2]
    return POINTS * (wide or 0.0), None if tall is None else POINTS * tall
