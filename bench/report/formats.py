"""Grids of text to Markdown and the terminal; records to CSV and JSON. Knows no metric and no statistics.

Names come from plug-ins, models and data sets, so each format escapes what it would obey.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bench.report.emphasis import Emphasis
from bench.report.row import is_stable
from bench.store.printing import escape_json, guard_cell, make_line

__all__ = [
    "Grid",
    "Section",
    "fit_columns",
    "guard_cell",
    "measure",
    "round_all",
    "to_csv",
    "to_json",
    "to_markdown",
    "to_rich",
]

DIGITS = 10
"""Significant digits of a number in CSV and JSON: enough for any reader, few enough to be the same on any machine."""

_MARKDOWN = re.compile(r"[\\`*|]|\](?=[(\[:])|~(?=~)|<(?=[A-Za-z/!?])|&(?=#?\w+;)|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
"""What would begin a code, an emphasis, a cell, a link, a tag or an entity; the rest of a name stays as it is."""


@dataclass(frozen=True, slots=True)
class Section:
    """Lines under one heading; ``dim`` and ``bold`` say how each is set.

    What LaTeX sets off: ``emphasis`` and ``marks`` hold one entry a cell, or nothing; ``caption`` follows the title.
    """

    title: str
    lines: tuple[tuple[str, ...], ...]
    dim: tuple[bool, ...]
    bold: tuple[bool, ...]
    emphasis: tuple[tuple[Emphasis, ...], ...] = ()
    marks: tuple[tuple[str, ...], ...] = ()
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as text: the same header over each section. ``weights``: what a narrow terminal leaves out first."""

    header: tuple[str, ...]
    left: tuple[bool, ...]
    weights: tuple[int, ...]
    sections: tuple[Section, ...]
    notes: tuple[str, ...]
    whole: bool = False
    """No column may be left out; the lines may then be longer than the terminal is wide."""
    header_width: int = 0
    """Most characters of a line of a header where a format breaks them: names of task types are long. 0 = no limit."""

    def break_header(self, text: str) -> list[str]:
        """Return the lines of a header: broken after ``_``, ``-``, ``/`` or at a blank."""
        lines = [""]
        for piece in re.findall(r"[^_\-/ ]*[_\-/ ]?", text) if self.header_width else [text]:
            if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > self.header_width:
                lines.append("")
            lines[-1] += piece
        return [line.strip() for line in lines]


def to_markdown(grid: Grid) -> str:
    """Return one GitHub table a section, notes as a list below."""
    grid = _change_texts(grid, lambda text: _MARKDOWN.sub(r"\\\g<0>", make_line(text)))
    rule = "|".join("---" if left else "---:" for left in grid.left)
    parts = []
    for section in grid.sections:
        lines = [" | ".join(line) for line in section.lines]
        table = [f"| {' | '.join(grid.header)} |", f"|{rule}|", *(f"| {line} |" for line in lines)]
        parts.append(f"### {section.title}\n\n" + "\n".join(table) + "\n")
    return "\n".join([*parts, *(f"- {note}" for note in grid.notes)]) + "\n"


def to_csv(records: Sequence[Mapping[str, Any]], *, timing: bool) -> str:
    """Return one line a row, full precision; wall times only if asked for."""
    names = [name for name in dict.fromkeys(key for r in records for key in r) if timing or is_stable(name)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(guard_cell, names))
    for record in map(round_all, records):
        writer.writerow([guard_cell(_flatten(record.get(name))) for name in names])
    return out.getvalue()


def to_json(records: Sequence[Mapping[str, Any]]) -> str:
    """Return a list of objects, keys in the records' own order; wall times included."""
    text = json.dumps([round_all(record) for record in records], indent=2, ensure_ascii=False, allow_nan=False)
    return escape_json(text) + "\n"


def to_rich(grid: Grid, *, width: int, color: bool) -> str:
    """Return the table as drawn on a terminal of this width; columns that do not fit are left out and named."""
    grid = _change_texts(grid, make_line)
    keep, gone = fit_columns(grid, width)
    if grid.whole:
        width = max(width, measure(grid, keep))
    out = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        legacy_windows=False,
        soft_wrap=False,
        _environ={},
    )
    for section in grid.sections:
        out.print(Text(section.title, style="bold"))
        out.print(_draw_table(grid, section, keep))
        out.print()
    hidden = [f"Left out at this width: {', '.join(gone)} (a wider terminal or another format shows them)."] * bool(
        gone
    )
    notes = [Padding(Text(note, style="dim"), (0, 0, 0, 2)) for note in (*grid.notes, *hidden)]
    out.print(Group(*notes))
    assert isinstance(out.file, io.StringIO)
    return "\n".join(line.rstrip() for line in out.file.getvalue().splitlines()) + "\n"


def _draw_table(grid: Grid, section: Section, keep: Sequence[int]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), collapse_padding=True, show_edge=False)
    for place in keep:
        table.add_column(
            Text("\n".join(grid.break_header(grid.header[place]))),
            justify="left" if grid.left[place] else "right",
            overflow="fold",
            no_wrap=True,
        )
    for line, dim, bold in zip(section.lines, section.dim, section.bold, strict=True):
        table.add_row(*(Text(line[place]) for place in keep), style="dim" if dim else "bold" if bold else "")
    return table


def fit_columns(grid: Grid, width: int) -> tuple[list[int], list[str]]:
    """Return the places of the columns that are kept and the headers of those that are left out: the heaviest, the last
    first, until the widest section fits."""
    keep = list(range(len(grid.header)))
    while measure(grid, keep) > width and any(grid.weights[place] for place in keep):
        keep.remove(max(keep, key=lambda place: (grid.weights[place], place)))
    return keep, [name for place, name in enumerate(grid.header) if place not in keep]


def measure(grid: Grid, keep: Sequence[int]) -> int:
    """Return how many characters wide the widest section is."""
    return sum(max(map(cell_len, _list_texts(grid, place))) + 2 for place in keep)


def _list_texts(grid: Grid, place: int) -> list[str]:
    """Return the texts of a column, each on one line."""
    return [
        *grid.break_header(grid.header[place]),
        *(line[place] for section in grid.sections for line in section.lines),
    ]


def round_all(value: Any) -> Any:
    """Return the value with every number in it cut to ten significant digits, None for what is not finite."""
    if isinstance(value, dict):
        return {name: round_all(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [round_all(inner) for inner in value]
    if not isinstance(value, float):
        return value
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None


def _flatten(value: Any) -> Any:
    if isinstance(value, dict):
        return ";".join(f"{name}={count}" for name, count in value.items())
    return str(value).lower() if isinstance(value, bool) else value


def _change_texts(grid: Grid, change: Callable[[str], str]) -> Grid:
    """Return the grid with every text in it changed."""
    sections = tuple(
        replace(one, title=change(one.title), lines=tuple(tuple(map(change, line)) for line in one.lines))
        for one in grid.sections
    )
    header, notes = tuple(map(change, grid.header)), tuple(map(change, grid.notes))
    return replace(grid, header=header, sections=sections, notes=notes)
