"""The words of a frontier's picture: what stands above a panel, and what is told to those who cannot see it."""

from __future__ import annotations

from collections.abc import Sequence

from bench.report.figures.page import Header
from bench.report.figures.style import About, Look, shorten
from bench.report.frontier import Frontier, Spot
from bench.report.frontier_axes import describe_axis
from bench.scoring.metric import Metric

__all__ = ["describe_frontiers", "write_header_text"]

_TOLD = 40
"""Rows of a panel that the description of a picture tells."""
_RUN_CHARS = 34


def write_header_text(one: Frontier, before: Frontier | None, look: Look) -> Header:
    """Return the heading of a panel; ``before``: the run beneath it."""
    suite, _, rest = one.title.partition(" · ")
    what = f"{suite}: {one.y_name} against {one.x_name}"
    notes = [f"mean over {one.n_shared} {one.item}s; bars: 95 % bootstrap"] if one.n_shared else []
    why = _list_hollow_reasons(one)
    if any(spot.sanity and spot.value is not None for spot in one.spots):
        notes.append("diamonds: checks, not competitors")
    if why:
        notes.append(f"hollow: {', '.join(why)}")
    if before is not None:
        first, second = (shorten(layer.run or layer.title, _RUN_CHARS) for layer in (before, one))
        notes.append(f"■ {first} (dashed)  →  ● {second}")
    if look.title is not None:
        return Header(look.title, rest if look.title else "", tuple(notes))
    return Header(what, rest, tuple(notes))


def _list_hollow_reasons(one: Frontier) -> list[str]:
    """Name the reasons for which a marker of this panel is hollow."""
    visible = [spot for spot in one.spots if spot.value is not None]
    reasons = (
        ("sees the evidence", any(spot.privileged for spot in visible)),
        ("tokens estimated", any(spot.estimated for spot in visible)),
        (f"{one.x_name} missing", any(spot.cost is None for spot in visible)),
        ("trials unscored", any(not spot.ranked for spot in visible)),
    )
    return [reason for reason, there in reasons if there]


def describe_frontiers(found: Sequence[Frontier]) -> About:
    """Return a sentence for each panel and row."""
    lines = []
    for one in found:
        x, y = (
            describe_axis(axis, one.main, one.item, cost=cost)
            for axis, cost in ((one.x_axis, True), (one.y_axis, False))
        )
        on = [spot.strategy for spot in one.spots if spot.on_frontier]
        lines.append(f"{one.title}: {y} against {x}. On the frontier: {', '.join(on) or 'nobody'}.")
        lines += [_tell(one, spot) for spot in one.spots[:_TOLD]]
        lines += [f"And {len(one.spots) - _TOLD} more rows."] if len(one.spots) > _TOLD else []
    return About(f"Frontier of {', '.join(dict.fromkeys(one.suite for one in found))}", tuple(lines))


def _tell(one: Frontier, spot: Spot) -> str:
    return f"{spot.strategy}: {_say(one.y_axis.metric, spot.value)} at {_say(one.x_axis.metric, spot.cost)}."


def _say(metric: Metric, value: float | None) -> str:
    if value is None:
        return "unknown"
    return f"{100 * value:.1f} %" if metric.is_share else f"{value:,.4g}"
