"""Measured beside published: the lines of a comparison, and their text. A published number is never ranked."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bench.errors import unknown_name
from bench.papers.matching import Cell, Line
from bench.papers.measuring import Measured, RunItems
from bench.papers.recipe import ANY
from bench.report.columns import BLANK
from bench.report.formats import Grid, Section, round_all, to_csv, to_markdown, to_rich
from bench.report.latex import to_latex
from bench.report.role_models import RULE_BASED
from bench.scoring.metric_names import find_metric
from bench.store.printing import escape_json

__all__ = ["FORMATS", "Beside", "Comparison", "compare_lines", "render"]

FORMATS = ("rich", "md", "csv", "json", "latex")
_HEADER = (
    "strategy", "tasks", "metric", "paper's model", "n", "published", "our model", "n", "measured", "difference",
)  # fmt: skip
_LEFT = (True, True, True, True, False, False, True, False, False, False)
_WEIGHTS = (0, 0, 0, 2, 1, 0, 3, 1, 0, 0)
_DRY = f" · {RULE_BASED}, a dry exercise"
_TITLES = ("Measured beside published", "Published, not measured", "Measured, not published")


@dataclass(frozen=True, slots=True)
class Beside:
    """One line: a published number, the measured one that stands for it, or both."""

    line: Line
    measured: Measured

    @property
    def difference(self) -> float | None:
        """Return measured minus published, in the published unit; None where one is missing, and of a paired test:
        its rank sum and p depend on the number of pairs."""
        if self.line.published is None or self.measured.value is None or self.measured.n_nonzero is not None:
            return None
        return self.measured.value - self.line.published.value

    @property
    def why(self) -> str:
        return self.line.why or self.measured.why


@dataclass(frozen=True, slots=True)
class Comparison:
    """All lines of a recipe's table, what it is called, and what has to be known to read it."""

    name: str
    title: str
    lines: tuple[Beside, ...]
    notes: tuple[str, ...]
    offline: bool
    """A fixed program played, no language model."""


def compare_lines(lines: Sequence[Line], items: RunItems) -> tuple[Beside, ...]:
    """Return the lines with what was measured; what only we have is left out where it has no value."""
    found = []
    for line in lines:
        measured = items.measure(line.cell) if line.cell else Measured(None, 0, 0)
        if line.published is not None or measured.value is not None:
            found.append(Beside(line, measured))
    return tuple(found)


def render(found: Comparison, style: str = "rich", *, width: int = 120, color: bool = False) -> str:
    """Return a comparison as text: rich, md, csv, json or latex. Raises: UsageError for another."""
    if style == "json":
        head = {"name": found.name, "title": found.title, "offline": found.offline, "notes": list(found.notes)}
        record = {**head, "rows": [round_all(_to_record(one)) for one in found.lines]}
        return escape_json(json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False)) + "\n"
    if style == "csv":
        return to_csv([_to_record(one) for one in found.lines], timing=True)
    if style not in FORMATS:
        raise unknown_name("reproduce", "a format", style, FORMATS)
    grid = _build_grid(found)
    if style == "rich":
        return to_rich(grid, width=width, color=color)
    if style == "md":
        return to_markdown(grid)
    # Each part is a table of its own there, with all notes below it: once is enough.
    first, rest = replace(grid, sections=grid.sections[:1]), replace(grid, sections=grid.sections[1:], notes=())
    return to_latex([first, rest] if rest.sections else [first])


def _to_record(one: Beside) -> dict[str, Any]:
    published, cell, measured = one.line.published, one.line.cell, one.measured
    record: dict[str, Any] = dict(zip(("strategy", "tasks", "metric"), _name(one.line), strict=True))
    for name in ("table", "model", "n", "value", "unit", "budget", "step_limit", "source_kind", "note"):
        record[f"published_{name}"] = getattr(published, name) if published else None
    record |= {
        "run": cell.run if cell else None,
        "our_strategy": cell.strategy.ours if cell else None,
        "our_metric": _name_ours(cell) if cell else None,
        "suite": measured.suite or None,
        "split": measured.split or None,
        "model": measured.model or None,
        "n": measured.n if cell else None,
        "n_planned": measured.n_planned if cell else None,
        "measured": measured.value,
        "measured_low": measured.low,
        "measured_high": measured.high,
        "n_nonzero": measured.n_nonzero,
        "difference": one.difference,
        "why_not": one.why or None,
    }
    return record


def _name(line: Line) -> tuple[str, str, str]:
    """Return strategy, tasks and metric in the paper's words, where it has such a number, else in ours."""
    if (one := line.published) is not None:
        strategy = f"{one.strategy} ({one.variant})" if one.variant else one.strategy
        budget = f" at {one.budget:,}" if one.budget else ""
        return strategy, f"{one.benchmark}/{one.subset}{budget}", one.metric
    assert line.cell is not None
    cell = line.cell
    budget = f" at {cell.subset.budget:,}" if cell.subset.budget else ""
    ours, variant = cell.strategy.ours, cell.strategy.variant
    strategy = ours if variant in (ANY, "") or variant in ours else f"{ours} ({variant})"
    return strategy, f"{cell.subset.name}{budget}", _name_ours(cell)


def _name_ours(cell: Cell) -> str:
    return cell.metric.name if cell.metric.label or cell.metric.statistic != "mean" else cell.metric.ours


def _build_grid(found: Comparison) -> Grid:
    reasons: dict[str, str] = {}
    prefix = _find_prefix(found.lines)
    parts: tuple[list[Beside], ...] = ([], [], [])
    for one in found.lines:
        parts[2 if one.line.published is None else 1 if one.measured.value is None else 0].append(one)
    sections = []
    for title, part in zip(_TITLES, parts, strict=True):
        if part:
            lines = tuple(_write_line(one, reasons, prefix) for one in part)
            dim = (title == _TITLES[1],) * len(part)
            head = f"{found.name} · {title} ({len(part)}){_DRY * found.offline}"
            sections.append(Section(head, lines, dim, (False,) * len(part)))
    counts = [f"({mark}) not measured: {why}" for why, mark in reasons.items()]
    notes = tuple(map(_end, (found.title, *counts, *found.notes)))
    return Grid(_HEADER, _LEFT, _WEIGHTS, tuple(sections), notes)


def _end(note: str) -> str:
    """Return a note as a sentence: in LaTeX one follows the other."""
    return note if note.endswith(".") else f"{note}."


def _write_line(one: Beside, reasons: dict[str, str], prefix: str) -> tuple[str, ...]:
    published, measured = one.line.published, one.measured
    digits = _find_digits(one)
    values = [BLANK] * 3 if published is None else [
        published.model or BLANK, BLANK if published.n is None else str(published.n), f"{published.value:,.10g}",
    ]  # fmt: skip
    if measured.value is None:
        mark = reasons.setdefault(one.why, _letter(len(reasons))) if one.why else ""
        ours = [BLANK, BLANK, f"({mark})" if mark else BLANK, BLANK]
    else:
        planned = f"/{measured.n_planned}" if measured.n < measured.n_planned and measured.n_nonzero is None else ""
        interval = (
            "" if measured.low is None or measured.high is None
            else f" [{_write(measured.low, digits)}, {_write(measured.high, digits)}]"
        )  # fmt: skip
        if measured.n_nonzero is not None:
            interval = f" ({measured.n_nonzero} pairs differ)"
        gap = BLANK if one.difference is None else _write(one.difference, digits, sign=True)
        ours = [measured.model, f"{measured.n}{planned}", f"{_write(measured.value, digits)}{interval}", gap]
    strategy, tasks, metric = _name(one.line)
    return strategy, tasks.removeprefix(prefix), metric, *values, *ours


def _find_prefix(lines: Sequence[Beside]) -> str:
    """Return the benchmark's name and a slash where all lines are of one; else nothing."""
    heads = {head if slash else "" for head, slash, _ in (_name(one.line)[1].partition("/") for one in lines)}
    return f"{heads.pop()}/" if len(heads) == 1 and heads != {""} else ""


def _find_digits(one: Beside) -> int:
    """Return the decimals of a number of ours; -1 = three significant digits."""
    published, cell = one.line.published, one.line.cell
    if published is not None and published.unit == "ratio":
        return -1
    if cell is not None and cell.metric.statistic == "wilcoxon-p":
        return -1
    if published is not None and published.unit == "percent":
        return 1
    if cell is not None and cell.metric.statistic == "mean":
        metric = find_metric(cell.metric.ours)
        return 1 if metric is None or metric.is_share else max(metric.digits, 0 if metric.unit == "tokens" else 1)
    return 1


def _write(value: float, digits: int, *, sign: bool = False) -> str:
    plus = "+" if sign else ""
    if digits < 0:
        return f"{value:{plus}.3g}"
    return f"{value:{plus},.{digits}f}" if math.isfinite(value) else BLANK


def _letter(number: int) -> str:
    return chr(ord("a") + number) if number < 26 else f"a{number}"


def count_by_reason(lines: Sequence[Line]) -> Mapping[str, int]:
    """Return how many published numbers are not measured for each reason, in the order of the table."""
    counts: dict[str, int] = {}
    for line in lines:
        if line.published is not None and line.cell is None:
            counts[line.why] = counts.get(line.why, 0) + 1
    return counts
