"""The numbers of frontiers as text: rich, md, csv, latex or json. Knows no item and no statistic."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict

from bench.errors import unknown_name
from bench.report.columns import BLANK
from bench.report.formats import Grid, Section, guard_cell, round_all, to_markdown, to_rich
from bench.report.frontier import Frontier, Spot
from bench.report.frontier_axes import name_axis
from bench.report.latex import to_latex
from bench.report.role_models import RULE_BASED, RULE_BASED_NOTE
from bench.scoring.metric import Metric
from bench.scoring.metric_names import find_metric
from bench.stats.bootstrap import FEW_CLUSTERS
from bench.stats.pareto import TOLERANCE
from bench.store.printing import escape_json

__all__ = ["FRONTIER_FORMATS", "render_frontier"]

FRONTIER_FORMATS = ("rich", "md", "csv", "latex", "json")


def render_frontier(
    found: Sequence[Frontier], style: str = "rich", *, width: int = 120, color: bool = False, hulls: bool = False
) -> str:
    """Return the numbers of frontiers as text: rich, md, csv, latex or json.

    Raises: UsageError for an unknown format.
    """
    if style == "json":
        text = json.dumps(round_all([asdict(one) for one in found]), indent=2, ensure_ascii=False, allow_nan=False)
        return escape_json(text) + "\n"
    if style == "csv":
        return _to_csv(found)
    if style not in FRONTIER_FORMATS:
        raise unknown_name("frontier", f"--format {'|'.join(FRONTIER_FORMATS)}", style, FRONTIER_FORMATS)
    names = (_name_metric(found, cost=True), _name_metric(found, cost=False))
    header = ("strategy", "n", names[0], "[95 %]", names[1], "[95 %]", "hull" if hulls else "frontier", "membership")
    sections = []
    for one in found:
        lines = tuple(_format_line(one, spot, hulls) for spot in one.spots)
        chosen = tuple(spot.on_hull if hulls else spot.on_frontier for spot in one.spots)
        sections.append(Section(_title(one), lines, tuple(not spot.competes for spot in one.spots), chosen))
    left = (True, False, False, False, False, False, True, False)
    grid = Grid(header, left, (0, 0, 0, 2, 0, 1, 0, 0), tuple(sections), _write_notes(found, hulls))
    if style == "rich":
        return to_rich(grid, width=width, color=color)
    return to_markdown(grid) if style == "md" else to_latex((grid,))


def _name_metric(found: Sequence[Frontier], *, cost: bool) -> str:
    """Return the title of a column; where the main scores of several suites differ, it is that of none."""
    named = [name_axis(one.x_axis if cost else one.y_axis, one.main) for one in found]
    titles = list(dict.fromkeys(metric.header or metric.name for metric in named))
    return titles[0] if len(titles) == 1 else "main score %" if titles else ""


def _title(one: Frontier) -> str:
    main = find_metric(one.main) if one.main and one.y != one.main else None
    named = f" · success is {main.header.removesuffix(' %') or main.name}" if main and one.y == "success" else ""
    return f"{one.title}{named}{f' · {one.run}' if one.run else ''}"


def _format_line(one: Frontier, spot: Spot, hulls: bool) -> tuple[str, ...]:
    chosen = spot.on_hull if hulls else spot.on_frontier
    x, y = one.x_axis.metric, one.y_axis.metric
    return (
        spot.strategy,
        f"{spot.n}/{spot.n_total}",
        ("~" if spot.estimated and spot.cost is not None else "") + _format(x, spot.cost),
        BLANK if spot.cost_low is None else f"[{_format(x, spot.cost_low)}, {_format(x, spot.cost_high)}]",
        _format(y, spot.value),
        BLANK if spot.value_low is None else f"[{_format(y, spot.value_low)}, {_format(y, spot.value_high)}]",
        "yes" if chosen else _explain_absence(one, spot),
        BLANK if spot.membership is None else f"{100 * spot.membership:.0f} %",
    )


def _explain_absence(one: Frontier, spot: Spot) -> str:
    if spot.privileged or not spot.ranked:
        return "sees the evidence" if spot.privileged else "not ranked"
    if not spot.solid:
        return f"{one.x_name} missing" if spot.cost is None else "score missing"
    return BLANK if one.undirected else "a check" if spot.sanity else "no"


def _format(metric: Metric, value: float | None) -> str:
    if value is None:
        return BLANK
    if metric.is_share:
        return f"{100 * value:.1f}"
    return f"{value:,.0f}" if abs(value) >= 10 or value == 0 else f"{value:.4g}"


def _write_notes(found: Sequence[Frontier], hulls: bool) -> tuple[str, ...]:
    shared = sorted({one.n_shared for one in found})
    units = sorted({f"{one.n_units} {one.unit}s" for one in found})
    items = "s or ".join(sorted({one.item for one in found}, reverse=True)) + "s"
    out = [
        f"Frontier: rows that no other row of their suite dominates (no worse on both means and better on one by more "
        f"than {TOLERANCE:g}); ties are kept.",
        f"Means over the {' or '.join(map(str, shared))} {items} scored for every complete row; [95 % percentile "
        f"bootstrap], all rows resampled together over {' or '.join(units)} (over {items} where there are fewer than "
        f"{FEW_CLUSTERS} clusters); membership: share of resamples in which a row is on the frontier.",
    ]
    undirected = sorted({name for one in found for name in one.undirected})
    if undirected:
        out[0] = f"No frontier: neither more nor less of {' or '.join(undirected)} is better."
    if any(spot.sanity and not spot.privileged for one in found for spot in one.spots):
        out.append("a check: shows what a score is worth and competes with nobody.")
    if any(one.learning for one in found):
        out.append(f"What learning took is {found[0].learning}{' in' if found[0].learning == 'included' else ' of'} x.")
    if hulls:
        out.insert(1, "HAL hull: the upper convex hull of the means without its dominated points.")
    if any(spot.estimated for one in found for spot in one.spots):
        out.append("~ some tokens were estimated by a tokenizer, not reported by the provider.")
    if any(not spot.ranked for one in found for spot in one.spots):
        out.append("Rows with unscored trials: means over their own tasks, not ranked.")
    notes = tuple(dict.fromkeys(note for one in found for note in one.notes))
    if any(one.offline for one in found) or any(RULE_BASED in note for note in notes):
        out.append(f"{RULE_BASED_NOTE}.")
    return (*out, *notes)


def _to_csv(found: Sequence[Frontier]) -> str:
    records = [
        round_all(
            {"block": one.title, "x": one.x, "y": one.y, "n_shared": one.n_shared}
            | asdict(spot)
            | {"score": one.main or one.y if one.y == "success" else one.y, "learning": one.learning, "run": one.run}
        )
        for one in found
        for spot in one.spots
    ]
    out = io.StringIO()
    if records:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(records[0])
        writer.writerows(map(guard_cell, record.values()) for record in records)
    return out.getvalue()
