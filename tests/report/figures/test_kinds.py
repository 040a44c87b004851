"""Every kind of figure: nothing leaves the canvas, whatever the look and the names; equal numbers give equal files."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from bench.errors import UsageError
from bench.report.curve import Curve, Point
from bench.report.differences import find_differences, render_differences
from bench.report.figures.curve import build_curve_figure
from bench.report.figures.differences import build_difference_figure, draw_differences
from bench.report.figures.frontier import build_figure, draw
from bench.report.figures.steps import build_step_figure, draw_steps
from bench.report.figures.style import DARK, LIGHT, POINTS, SINGLE, Look
from bench.report.figures.tokens import build_token_figure, draw_tokens
from bench.report.frontier import find_frontiers
from bench.report.step_curves import StepCurve, StepPanel, StepPoint
from bench.report.token_phases import find_token_phases, render_token_phases

HUGE = "x" * 5000
ENDLESS = "truncation:keep=head,tokens=2000,model=a/b," * 120
NARROW = Look(DARK, wide=SINGLE * POINTS)
LOOKS = (Look(), NARROW, Look(LIGHT, 6.5 * POINTS, 4 * POINTS, "", ("bm25",)))

looks = pytest.mark.parametrize("look", LOOKS, ids=["plain", "single-dark", "sized"])


def rename(items: pd.DataFrame) -> pd.DataFrame:
    return items.assign(strategy=items["strategy"].replace({"embedding": HUGE, "full-history": ENDLESS}))


def steps(kind: str = "progress", names: tuple[str, ...] = ("bm25", HUGE, ENDLESS)) -> tuple[StepPanel, ...]:
    points = tuple(StepPoint(step, step / 20, step / 30, step / 18, 9) for step in range(1, 18))
    return (StepPanel("house · test · m", kind, 5, tuple(StepCurve(name, 9, 0, points) for name in names)),)


def curves() -> list[Curve]:
    points = [Point(HUGE, tasks, 9, 9, 0.5, 0.4, 0.6) for tasks in (2, 5, 40)]
    return [Curve("house · test · m", "success", (Point("bm25", 0, 9, 9, 0.4), *points))]


BUILDERS: dict[str, Callable[[pd.DataFrame, Look], Figure]] = {
    "frontier": lambda items, look: build_figure(find_frontiers(items), look=look),
    "tokens": lambda items, look: build_token_figure(find_token_phases(items), look),
    "steps": lambda _, look: build_step_figure(steps(), look),
    "cap": lambda _, look: build_step_figure(steps("success-by-cap"), look),
    "curve": lambda _, look: build_curve_figure(curves(), look),
    "binary": lambda items, look: build_difference_figure(find_differences(items, ("bm25", HUGE)), look),
    "graded": lambda items, look: build_difference_figure(find_differences(items, ("bm25", HUGE), "progress"), look),
}


def read_texts(figure: Figure) -> list[Text]:
    figure.canvas.draw()
    found = list(figure.texts)
    for axes in figure.axes:
        found += [*axes.texts, axes.xaxis.label, axes.yaxis.label]
        for axis, ends in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            low, high = sorted(ends)
            found += [tick.label1 for tick in axis.get_major_ticks() if low <= float(tick.get_loc()) <= high]
        found += axes.get_legend().get_texts() if axes.get_legend() else []
    for legend in figure.legends:
        found += legend.get_texts()
    return [text for text in found if text.get_text().strip() and text.get_visible()]


@looks
@pytest.mark.parametrize("kind", BUILDERS)
def test_nothing_leaves_the_canvas(kind: str, look: Look, items: pd.DataFrame) -> None:
    figure = BUILDERS[kind](rename(items), look)
    page = figure.bbox
    for text in read_texts(figure):
        box = Text.get_window_extent(text)
        inside = page.x0 - 1 <= box.x0 <= box.x1 <= page.x1 + 1 and page.y0 - 1 <= box.y0 <= box.y1 <= page.y1 + 1
        assert inside, (text.get_text()[:60], box)
    if look.wide:
        assert figure.get_size_inches()[0] == pytest.approx(look.wide / POINTS)
    if look.tall and kind != "tokens":
        assert figure.get_size_inches()[1] == pytest.approx(look.tall / POINTS)


def test_height_without_room_for_a_plot_is_refused(items: pd.DataFrame) -> None:
    with pytest.raises(UsageError, match=r"expected a height with room for 1 plot, got 1 inches; write at least"):
        build_figure(find_frontiers(items), look=Look(wide=400, tall=72))


def test_svg_has_text_title_and_description(items: pd.DataFrame, tmp_path: Path) -> None:
    items = items.assign(strategy=items["strategy"].replace({"bm25": "<b> & \x1b[31m"}))
    draw(find_frontiers(items), tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text()
    tree = ET.fromstring(text)
    space = {"s": "http://www.w3.org/2000/svg"}
    assert tree.get("role") == "img"
    assert tree.findtext("s:title", "", space) == "Frontier of house-v1"
    assert "full-history: " in tree.findtext("s:desc", "", space)
    words = ["".join(one.itertext()) for one in tree.iterfind(".//s:text", space)]
    assert any("house-v1: success against tokens" in word for word in words)
    assert not re.search(r"<dc:date>|\x1b", text)


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_equal_numbers_give_equal_files(suffix: str, items: pd.DataFrame, tmp_path: Path) -> None:
    drawn: dict[str, Callable[[Path], Any]] = {
        "tokens": lambda path: draw_tokens(find_token_phases(items), path, NARROW),
        "steps": lambda path: draw_steps(steps(), path, NARROW),
        "pairs": lambda path: draw_differences(find_differences(items, ("bm25", "embedding")), path, NARROW),
    }
    for name, write in drawn.items():
        for number in (1, 2):
            write(tmp_path / f"{name}{number}.{suffix}")
        assert (tmp_path / f"{name}1.{suffix}").read_bytes() == (tmp_path / f"{name}2.{suffix}").read_bytes() != b""


def test_tokens_of_phases_add_up_to_those_of_a_table(items: pd.DataFrame) -> None:
    items.loc[(items["strategy"] == "bm25") & (items["task"] == "task-001"), "tokens_act"] = None
    (panel,) = find_token_phases(items)
    rows = {row.strategy: row for row in panel.rows}
    own = items[items["strategy"] == "embedding"]
    assert rows["embedding"].total == pytest.approx(own["tokens_total"].mean())
    assert (rows["bm25"].total, panel.rows[-1].strategy) == (None, "bm25")
    assert render_token_phases((panel,), "csv").count("\n") == len(rows) + 1
    bars = [text.get_text() for text in build_token_figure((panel,)).axes[0].texts]
    assert "tokens missing" in bars


def test_cells_hold_every_pair_and_say_who_won(items: pd.DataFrame) -> None:
    (one,) = find_differences(items, ("full-history", "no-memory"))
    assert one.binary
    assert sum(one.cells) == one.found.n_pairs == 40
    assert one.cells[1] - one.cells[2] == one.found.wins - one.found.losses
    dots = [line for line in build_difference_figure((one,)).axes[0].lines if line.get_marker() == "o"]
    assert sum(len(line.get_xdata()) for line in dots) == 40  # type: ignore[arg-type]
    assert render_differences((one,), "csv").count("\n") == 41


def test_ties_one_task_and_no_pairs_have_a_picture_or_a_line(items: pd.DataFrame) -> None:
    tied = items.assign(progress=1 / 3)
    (one,) = find_differences(tied, ("bm25", "embedding"), "progress")
    assert (one.found.ties, one.shift) == (40, 0.0)
    build_difference_figure((one,))
    (single,) = find_differences(items[items["task"] == "task-002"], ("bm25", "embedding"), "progress")
    assert single.interval is None
    build_difference_figure((single,))
    apart = items[(items["strategy"] == "bm25") == (items["task"] < "task-020")]
    with pytest.raises(UsageError, match="expected a task with success scored for both"):
        find_differences(apart, ("bm25", "embedding"))
    with pytest.raises(UsageError, match="expected two strategies, got 1; write --rows A,B"):
        find_differences(items, ("bm25",))


def test_one_row_is_a_picture(items: pd.DataFrame) -> None:
    alone = items[items["strategy"] == "bm25"]
    build_figure(find_frontiers(alone))
    build_figure(find_frontiers(alone[alone["task"] == "task-001"], x="success", y="steps"))
    build_token_figure(find_token_phases(alone))
