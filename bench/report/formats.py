"""Grids of text to Markdown, LaTeX and the terminal; records to CSV and JSON. Knows no metric and no statistics.

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
from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bench.report.row import is_stable
from bench.store.printing import escape_json, guard_cell, make_line

__all__ = ["Grid", "Section", "guard_cell", "round_all", "to_csv", "to_json", "to_latex", "to_markdown", "to_rich"]

DIGITS = 10
"""Significant digits of a number in CSV and JSON: enough for any reader, few enough to be the same on any machine."""

_LATEX = {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}"} | {
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "–": "--",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "\ufffd": "?",
}
_MARKDOWN = re.compile(r"[\\`*|]|\](?=[(\[:])|~(?=~)|<(?=[A-Za-z/!?])|&(?=#?\w+;)|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
"""What would begin a code, an emphasis, a cell, a link, a tag or an entity; the rest of a name stays as it is."""


@dataclass(frozen=True, slots=True)
class Section:
    """Lines under one heading; ``dim`` and ``bold`` say how each is set."""

    title: str
    lines: tuple[tuple[str, ...], ...]
    dim: tuple[bool, ...]
    bold: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as text: the same header over each section. ``weights``: what a narrow terminal leaves out first."""

    header: tuple[str, ...]
    left: tuple[bool, ...]
    weights: tuple[int, ...]
    sections: tuple[Section, ...]
    notes: tuple[str, ...]


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


def to_latex(grid: Grid) -> str:
    """Return one booktabs table a section, notes as a footnote-sized paragraph; needs booktabs and graphicx."""
    grid = _change_texts(grid, lambda text: _escape_latex(make_line(text)))
    spec = "".join("l" if left else "r" for left in grid.left)
    parts = ["% needs \\usepackage{booktabs,graphicx}"]
    for section in grid.sections:
        parts += [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{section.title}}}",
            r"\resizebox{\linewidth}{!}{%",
            rf"\begin{{tabular}}{{{spec}}}",
            r"\toprule",
            _join_latex(grid.header),
            r"\midrule",
            *map(_join_latex, section.lines),
            r"\bottomrule",
            r"\end{tabular}}",
            r"\par\smallskip\footnotesize\raggedright",
            *grid.notes,
            r"\end{table}",
        ]
    return "\n".join(parts) + "\n"


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
    keep, gone = _fit_columns(grid, width)
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
            Text(grid.header[place]), justify="left" if grid.left[place] else "right", overflow="fold", no_wrap=True
        )
    for line, dim, bold in zip(section.lines, section.dim, section.bold, strict=True):
        table.add_row(*(Text(line[place]) for place in keep), style="dim" if dim else "bold" if bold else "")
    return table


def _fit_columns(grid: Grid, width: int) -> tuple[list[int], list[str]]:
    """Drop the heaviest columns, the last first, until the widest section fits."""
    lines = [grid.header, *(line for section in grid.sections for line in section.lines)]
    widths = [max(len(line[place]) for line in lines) + 2 for place in range(len(grid.header))]
    keep = list(range(len(grid.header)))
    while sum(widths[place] for place in keep) > width and any(grid.weights[place] for place in keep):
        keep.remove(max(keep, key=lambda place: (grid.weights[place], place)))
    return keep, [name for place, name in enumerate(grid.header) if place not in keep]


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


def _join_latex(line: Sequence[str]) -> str:
    """Return the line of a table. After a line's end LaTeX takes a star or a bracket for an argument of it."""
    guard = "{}" if line[0].startswith(("[", "*")) else ""
    return guard + " & ".join(line) + r" \\"


def _escape_latex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text)
