"""Makes every table, figure and comparison of a board from its items alone: no run, no model and no data is needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

import pandas as pd

from bench.board.provenance import write_provenance
from bench.board.record import BOARD_FILE, BoardRecord, ComparisonRecord, FigureRecord, TableRecord, read_board
from bench.errors import UsageError, unknown_name, writing
from bench.report.compare import compare, render_comparison
from bench.report.curve import find_curves
from bench.report.curve_text import render_curves
from bench.report.error_shares import find_error_shares, render_error_shares
from bench.report.figures.curve import draw_curves
from bench.report.figures.errors import draw_errors
from bench.report.figures.frontier import draw
from bench.report.frontier import find_frontiers
from bench.report.frontier_text import render_frontier
from bench.report.pivot import build_pivot, render_pivot
from bench.report.prefer import join_preferred
from bench.report.table import Selection, build_table, choose_reference, render_table
from bench.store.dataframe import read_items
from bench.store.items_file import ITEM_SUFFIXES

__all__ = ["ITEMS", "PROVENANCE", "find_boards", "find_items", "make_board"]

ITEMS = "items"
"""The folder of a board that holds its items, one file a run."""
PROVENANCE = "provenance.md"
_WIDTH = 160
_IMAGES = ("svg", "png", "pdf")
_STYLES = {"txt": "rich", "tex": "latex"}


def find_boards(folder: Path) -> list[Path]:
    """Return the board that a folder is, or those in it. Raises: UsageError if there is none."""
    found = [folder] if (folder / BOARD_FILE).is_file() else sorted(p.parent for p in folder.glob(f"*/{BOARD_FILE}"))
    if not found:
        raise UsageError(f"board: expected {BOARD_FILE} in {folder}, or in a folder of it, got none; make one first")
    return found


def find_items(folder: Path) -> dict[str, Path]:
    """Return the items files of a board, by name."""
    files = sorted((folder / ITEMS).glob("*")) if (folder / ITEMS).is_dir() else []
    return {name_items(path): path for path in files if path.name.endswith(ITEM_SUFFIXES)}


def name_items(path: Path) -> str:
    """Return the name of an items file: without its suffix."""
    return next((path.name.removesuffix(end) for end in reversed(ITEM_SUFFIXES) if path.name.endswith(end)), path.name)


def make_board(folder: Path, only: Sequence[str] = ()) -> list[Path]:
    """Write everything that the board's record names, or what has one of the names in ``only``; return the files.

    Raises: UsageError, StoreError.
    """
    record, files = read_board(folder), find_items(folder)
    _check_names(record, files, only)

    @lru_cache(maxsize=4)
    def read(names: tuple[str, ...]) -> pd.DataFrame:
        return _read(files, names, record.prefer)

    made: list[Path] = []
    for output in record.outputs:
        if only and output.name not in only:
            continue
        frame = read(output.items or tuple(files))
        if isinstance(output, TableRecord):
            made += _make_table(output, frame, folder)
        elif isinstance(output, FigureRecord):
            made += _make_figure(output, frame, folder)
        else:
            made += _make_comparison(output, frame, folder)
    if not only:
        made.append(_write(folder / PROVENANCE, write_provenance(record.title, files, read)))
    return made


def _read(files: dict[str, Path], names: Sequence[str], prefer: Sequence[str]) -> pd.DataFrame:
    first = [files[name] for name in names if name in prefer]
    rest = read_items([files[name] for name in names if name not in prefer])
    return join_preferred(rest, read_items(first)) if first else rest


def _check_names(record: BoardRecord, files: dict[str, Path], only: Sequence[str]) -> None:
    if not files:
        raise UsageError(f"board: expected files of items in {ITEMS}/, got none; make the board of runs first")
    for name in (*record.prefer, *(name for output in record.outputs for name in output.items)):
        if name not in files:
            raise unknown_name("board", f"the name of a file in {ITEMS}/", name, files)
    for name in only:
        if name not in {output.name for output in record.outputs}:
            raise unknown_name("board", "the name of a table or figure of it", name, {o.name for o in record.outputs})


def _make_table(output: TableRecord, frame: pd.DataFrame, folder: Path) -> list[Path]:
    render = _find_table(output, frame)
    return [
        _write(folder / f"{output.name}.{ending}", render(_STYLES.get(ending, ending))) for ending in output.formats
    ]


def _find_table(output: TableRecord, frame: pd.DataFrame) -> Callable[[str], str]:
    """Return how a table is written in a style."""
    reference = output.reference or choose_reference(frame)
    if output.pivot:
        pivot = build_pivot(frame, metric="".join(output.columns[:1]), rows=output.rows, reference=reference)
        return lambda style: render_pivot(pivot, style, width=_WIDTH)
    selection = Selection(output.columns, output.rows, output.by == "group")
    table = build_table(frame, reference=reference, selection=selection)
    return lambda style: render_table(table, style, width=_WIDTH)


def _make_figure(output: FigureRecord, frame: pd.DataFrame, folder: Path) -> list[Path]:
    draw_to, render = _find_drawing(output, frame)
    made = []
    for ending in output.formats:
        path = folder / f"{output.name}.{ending}"
        if ending in _IMAGES:
            draw_to(path)
        else:
            _write(path, render(_STYLES.get(ending, ending)))
        made.append(path)
    return made


def _find_drawing(output: FigureRecord, frame: pd.DataFrame) -> tuple[Callable[[Path], None], Callable[[str], str]]:
    """Return how a figure is drawn into a file, and how its numbers are written in a style."""
    if output.kind == "frontier":
        fronts = find_frontiers(frame, x=output.x, y=output.y)
        return lambda path: draw(fronts, path), lambda style: render_frontier(fronts, style, width=_WIDTH)
    if output.kind == "curve":
        curves = find_curves(frame, output.y)
        return lambda path: draw_curves(curves, path), lambda style: render_curves(curves, style, width=_WIDTH)
    panels = find_error_shares(frame)
    return lambda path: draw_errors(panels, path), lambda _: render_error_shares(panels, width=_WIDTH)


def _make_comparison(output: ComparisonRecord, frame: pd.DataFrame, folder: Path) -> list[Path]:
    found = compare(frame, output.first, output.second, output.metric)
    return [
        _write(folder / f"{output.name}.{ending}", render_comparison(found, _STYLES.get(ending, ending), width=_WIDTH))
        for ending in output.formats
    ]


def _write(path: Path, text: str) -> Path:
    with writing("board", path):
        path.write_text(text if text.endswith("\n") else f"{text}\n", encoding="utf-8", newline="\n")
    return path
