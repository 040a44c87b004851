"""The frontier's numbers, and the picture drawn from them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bench.errors import UsageError
from bench.report.figures.frontier import draw
from bench.report.frontier import Frontier, Spot, find_frontiers
from bench.report.frontier_text import FRONTIER_FORMATS, render_frontier
from bench.report.table import build_table

PNG = b"\x89PNG\r\n\x1a\n"


def spots(found: Frontier) -> dict[str, Spot]:
    return {spot.strategy: spot for spot in found.spots}


def test_frontier_has_the_numbers_of_the_table(items: pd.DataFrame) -> None:
    (found,) = find_frontiers(items)
    for row in build_table(items).records:
        spot = spots(found)[row["strategy"]]
        assert spot.cost == pytest.approx(row["tokens_total"])
        assert spot.value == pytest.approx(row["success_rate"])
    best = max(found.spots, key=lambda s: s.value or 0)
    assert best.on_frontier
    assert found.n_shared == 40
    assert all(s.cost_low <= s.cost <= s.cost_high for s in found.spots if s.cost and s.cost_low and s.cost_high)


def test_incomplete_rows_are_printed_and_not_on_the_frontier(
    items: pd.DataFrame, lost: Callable[..., pd.DataFrame]
) -> None:
    frame = lost(items, "full-history", "task-001")
    frame.loc[(frame["strategy"] == "embedding") & (frame["task"] == "task-002"), "tokens_total"] = np.nan
    (found,) = find_frontiers(frame)
    assert found.n_shared == 40
    full, embedding = spots(found)["full-history"], spots(found)["embedding"]
    assert (full.on_frontier, full.ranked, full.membership) == (False, False, None)
    assert full.value is not None
    assert (embedding.cost, embedding.on_frontier, embedding.solid) == (None, False, False)
    text = render_frontier((found,), "md")
    assert "39/40" in text
    assert "tokens missing" in text
    assert "not ranked" in text


def test_clusters_are_resampled_where_there_are_enough(items: pd.DataFrame) -> None:
    (found,) = find_frontiers(items)
    assert (found.unit, found.n_units) == ("cluster", 10)
    (few,) = find_frontiers(items.assign(cluster=items["group"]))
    assert (few.unit, few.n_units) == ("task", 40)


def test_formats_agree(items: pd.DataFrame) -> None:
    found = find_frontiers(items, x="context", y="progress")
    records = json.loads(render_frontier(found, "json"))
    lines = list(csv.DictReader(io.StringIO(render_frontier(found, "csv"))))
    assert [line["strategy"] for line in lines] == [spot["strategy"] for spot in records[0]["spots"]]
    assert all(float(line["cost"]) == spot["cost"] for line, spot in zip(lines, records[0]["spots"], strict=True))
    for style in FRONTIER_FORMATS:
        assert render_frontier(found, style) == render_frontier(find_frontiers(items, x="context", y="progress"), style)
    assert "HAL hull" in render_frontier(found, hulls=True)


def test_unknown_axes_formats_and_files_are_refused(items: pd.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="did you mean success"):
        find_frontiers(items, y="sucess")
    with pytest.raises(UsageError, match="did you mean latex"):
        render_frontier(find_frontiers(items), "latexx")
    with pytest.raises(UsageError, match=r"ending in \.png, \.svg, \.pdf, got 'a\.gif'"):
        draw(find_frontiers(items), tmp_path / "a.gif")


def test_draw_rejects_unscored_runs(items: pd.DataFrame, lost: Callable[..., pd.DataFrame], tmp_path: Path) -> None:
    one = items[items["task"] == "task-000"]
    for name in sorted(set(one["strategy"])):
        one = lost(one, name, "task-000")
    with pytest.raises(UsageError, match="at least one scored row"):
        draw(find_frontiers(one), tmp_path / "a.png")


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_equal_numbers_give_equal_files(items: pd.DataFrame, tmp_path: Path, suffix: str) -> None:
    first, second = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    draw(find_frontiers(items), first)
    draw(find_frontiers(items.sample(frac=1, random_state=2)), second)
    assert first.read_bytes() == second.read_bytes()
    assert len(first.read_bytes()) > 5000


def test_zero_missing_and_hulls_are_drawn(full: pd.DataFrame, tmp_path: Path) -> None:
    full.loc[full["strategy"] == "embedding", "context_tokens_mean"] = np.nan
    full.loc[full["strategy"] == "window:k=5", "estimated_calls"] = 2.0
    found = find_frontiers(full, x="context", y="progress")
    plain, hulled = tmp_path / "plain.png", tmp_path / "hull.png"
    draw(found, plain)
    draw(found, hulled, hulls=True)
    assert plain.read_bytes().startswith(PNG)
    assert plain.read_bytes() != hulled.read_bytes()


def test_axes_follow_the_direction_of_their_metric(items: pd.DataFrame) -> None:
    (turned,) = find_frontiers(items, x="success", y="tokens")  # more success is better, fewer tokens are
    best = max(turned.spots, key=lambda spot: spot.cost or 0)
    fewest = min(turned.spots, key=lambda spot: spot.value or 0)
    assert best.on_frontier
    assert fewest.on_frontier
    (plain,) = find_frontiers(items)
    assert {s.strategy for s in turned.spots if s.on_frontier} == {s.strategy for s in plain.spots if s.on_frontier}
    for spot in turned.spots:
        assert (spot.cost_low or 0) <= (spot.cost or 0) <= (spot.cost_high or 0)
        assert (spot.value_low or 0) <= (spot.value or 0) <= (spot.value_high or 0)


def test_turned_axes_are_drawn(items: pd.DataFrame, tmp_path: Path) -> None:
    draw(find_frontiers(items, x="success", y="tokens"), tmp_path / "turned.png")
    assert (tmp_path / "turned.png").read_bytes().startswith(PNG)


def test_known_metric_without_values_says_so(items: pd.DataFrame) -> None:
    with pytest.raises(UsageError, match="that this run has values for, got 'f1'"):
        find_frontiers(items, y="f1")
