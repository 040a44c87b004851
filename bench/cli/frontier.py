"""``bench frontier``: runs in, the frontier's numbers and its figure out. Apart, so that a table needs no drawing."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from bench.cli.console import width
from bench.cli.drawing import FigureOptions, check_files, choose_items, read_look, write_files
from bench.cli.table import end_line
from bench.errors import UsageError, unknown_name
from bench.report.figures.frontier import draw
from bench.report.frontier import Frontier, find_frontiers
from bench.report.frontier_text import FRONTIER_FORMATS, render_frontier
from bench.store.dataframe import read_items
from bench.store.rows import KEY_COLUMNS

__all__ = ["FrontierOptions", "frontier_command"]

_BUILD = {"": None, "on": True, "off": False}


@dataclass(frozen=True, slots=True)
class FrontierOptions:
    """The flags that other figures do not have."""

    x: str = "tokens"
    y: str = "success"
    build_cost: str = ""
    overlay: bool = False


def frontier_command(folders: Sequence[Path], options: FrontierOptions, shared: FigureOptions) -> None:
    """Print the frontier's numbers and write its files. Raises: UsageError, StoreError."""
    check_files("frontier", shared.outs)
    if options.build_cost not in _BUILD:
        raise unknown_name("frontier", "--build-cost", options.build_cost, ("on", "off"))
    if shared.style not in FRONTIER_FORMATS:
        raise unknown_name("frontier", "a format", shared.style, FRONTIER_FORMATS)
    frames = [read_items([folder]) for folder in folders]
    look = read_look(shared, pd.concat(frames, ignore_index=True))
    before: tuple[Frontier, ...] = ()
    if _are_overlaid(frames, overlay=options.overlay):
        before, found = (
            _find(choose_items(frame, shared.rows)[0], options, str(folder))
            for frame, folder in zip(frames, folders, strict=True)
        )
    else:
        found = _find(choose_items(pd.concat(frames, ignore_index=True), shared.rows)[0], options, "")
    both = (*before, *found)
    write_files(
        "frontier", shared.outs, lambda: render_frontier(both, "csv"),
        lambda path: draw(found, path, look=look, before=before),
    )  # fmt: skip
    print(end_line(render_frontier(both, shared.style, width=width(), color=sys.stdout.isatty())), end="")


def _find(frame: pd.DataFrame, options: FrontierOptions, run: str) -> tuple[Frontier, ...]:
    return find_frontiers(frame, x=options.x, y=options.y, learning=_BUILD[options.build_cost], run=run)


def _are_overlaid(frames: Sequence[pd.DataFrame], *, overlay: bool) -> bool:
    """True if the second of two runs is drawn over the first: because it is asked for, or because both played the same
    trials, which cannot be rows of one frontier."""
    if overlay and len(frames) != 2:
        raise UsageError(f"--overlay: expected two runs, got {len(frames)}; name the earlier one first")
    if len(frames) != 2:
        return False
    keys = [set(frame[list(KEY_COLUMNS)].itertuples(index=False, name=None)) for frame in frames]
    return overlay or bool(keys[0] & keys[1])
