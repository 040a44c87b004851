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
from bench.report.latex import to_latex
from bench.report.role_models import RULE_BASED, RULE_BASED_NOTE
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
    axes = found[0] if found else Frontier("", False, "tokens_total", "success", 0, "task", 0, ())
    header = ("strategy", "n", axes.x, "[95 %]", axes.y, "[95 %]", "hull" if hulls else "frontier", "membership")
    sections = []
    for one in found:
        lines = tuple(_format_line(spot, hulls) for spot in one.spots)
        chosen = tuple(spot.on_hull if hulls else spot.on_frontier for spot in one.spots)
        sections.append(Section(one.title, lines, tuple(not spot.solid for spot in one.spots), chosen))
    left = (True, False, False, False, False, False, True, False)
    grid = Grid(header, left, (0, 0, 0, 2, 0, 1, 0, 0), tuple(sections), _write_notes(found, hulls))
    if style == "rich":
        return to_rich(grid, width=width, color=color)
    return to_markdown(grid) if style == "md" else to_latex((grid,))


def _format_line(spot: Spot, hulls: bool) -> tuple[str, ...]:
    chosen = spot.on_hull if hulls else spot.on_frontier
    return (
        spot.strategy,
        f"{spot.n}/{spot.n_total}",
        ("~" if spot.estimated and spot.cost is not None else "") + _format_cost(spot.cost),
        BLANK if spot.cost_low is None else f"[{_format_cost(spot.cost_low)}, {_format_cost(spot.cost_high)}]",
        BLANK if spot.value is None else f"{spot.value:.3f}",
        BLANK if spot.value_low is None else f"[{spot.value_low:.3f}, {spot.value_high:.3f}]",
        "yes" if chosen else _explain_absence(spot),
        BLANK if spot.membership is None else f"{100 * spot.membership:.0f} %",
    )


def _explain_absence(spot: Spot) -> str:
    if spot.solid:
        return "no"
    if spot.privileged or not spot.ranked:
        return "sees the evidence" if spot.privileged else "not ranked"
    return "tokens missing" if spot.cost is None else "score missing"


def _format_cost(value: float | None) -> str:
    return BLANK if value is None else f"{value:,.0f}" if abs(value) >= 10 or value == 0 else f"{value:.4g}"


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
        round_all({"block": one.title, "x": one.x, "y": one.y, "n_shared": one.n_shared} | asdict(spot))
        for one in found
        for spot in one.spots
    ]
    out = io.StringIO()
    if records:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(records[0])
        writer.writerows(map(guard_cell, record.values()) for record in records)
    return out.getvalue()
