"""The numbers of learning curves as text: rich, md, csv or json. Knows no item and no statistic."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from bench.errors import unknown_name
from bench.report.columns import BLANK, format_value
from bench.report.curve import Curve, Point
from bench.report.formats import Grid, Section, round_all, to_csv, to_markdown, to_rich
from bench.report.role_models import RULE_BASED, RULE_BASED_NOTE
from bench.scoring.metric import Metric
from bench.scoring.metric_names import resolve_metric
from bench.store.printing import escape_json

__all__ = ["CURVE_FORMATS", "render_curves"]

CURVE_FORMATS = ("rich", "md", "csv", "json")


def render_curves(found: Sequence[Curve], style: str = "rich", *, width: int = 120, color: bool = False) -> str:
    """Return the numbers of curves as text. Raises: UsageError for an unknown format."""
    if style == "json":
        return escape_json(json.dumps(round_all([asdict(one) for one in found]), indent=2, ensure_ascii=False)) + "\n"
    if style == "csv":
        return to_csv([{"block": one.title, "y": one.y} | asdict(p) for one in found for p in one.points], timing=False)
    if style not in CURVE_FORMATS:
        raise unknown_name("curve", f"--format {'|'.join(CURVE_FORMATS)}", style, CURVE_FORMATS)
    metric = resolve_metric("curve", found[0].y, (found[0].y,))
    header = ("strategy", "training tasks", "n", metric.header or metric.name, "[95 %]", "memory", "tokens", "build")
    sections = tuple(_build_section(one, metric) for one in found)
    left = (True, *[False] * (len(header) - 1))
    grid = Grid(header, left, (0,) * len(header), sections, _write_notes(found, metric))
    return to_markdown(grid) if style == "md" else to_rich(grid, width=width, color=color)


def _build_section(one: Curve, metric: Metric) -> Section:
    lines = tuple(_format_line(point, metric) for point in one.points)
    return Section(one.title, lines, tuple(p.n < p.n_total for p in one.points), (False,) * len(lines))


def _format_line(point: Point, metric: Metric) -> tuple[str, ...]:
    interval = BLANK
    if point.low is not None:
        interval = f"[{format_value(metric, point.low)}, {format_value(metric, point.high)}]"
    amounts = (point.memory_tokens, point.tokens, point.build_tokens)
    return (
        point.strategy,
        str(point.tasks) if point.tasks else BLANK,
        f"{point.n}/{point.n_total}",
        format_value(metric, point.value),
        interval,
        *(BLANK if amount is None else f"{amount:,.0f}" for amount in amounts),
    )


def _write_notes(found: Sequence[Curve], metric: Metric) -> tuple[str, ...]:
    out = [
        metric.definition,
        "training tasks: those of a smaller number are among those of a larger one; all points are evaluated on the "
        f"same tasks. {BLANK}: it learns nothing. [95 %]: as in a table of these runs.",
        "build: tokens of gathering and learning per evaluated task, what the point alone would have taken; one "
        "collection serves them all.",
    ]
    if any(RULE_BASED in one.title for one in found):
        out.append(f"{RULE_BASED_NOTE}.")
    return (*out, *(note for one in found for note in one.notes))
