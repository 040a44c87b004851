"""The frontier's picture, measured: what is written where, and that nothing hides, leaves or repeats anything."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

from bench.report.figures.frontier import build_figure, draw
from bench.report.frontier import Frontier, Spot

TITLE = "a-suite · all · offline/reader, offline (rule-based)"
LONG = "strategy-v{}:keep=head,tokens=2000,model=provider/a-long-model-name-2026-11-30,prompt=careful,rounds=3"
AXIS_SIZE = 9.5
"""Of the texts that belong to an axis, those of bands among them; labels are smaller."""


def spot(name: str, cost: float | None, value: float | None, *, bar: float = 0.03, n: int = 40) -> Spot:
    """A measured row, off the frontier; one without tokens has no interval of them."""
    low, high = (None, None) if cost is None else (cost * 0.9, cost * 1.1)
    worst, best = (None, None) if value is None else (max(0.0, value - bar), min(1.0, value + bar))
    return Spot(name, n, 40, cost, low, high, value, worst, best, False, False, 0.1, False)


def board(spots: list[Spot], **fields: str) -> Frontier:
    """The rows as a frontier orders and marks them."""
    best, out = -1.0, []
    for one in sorted(spots, key=lambda s: (s.cost is None, s.cost or 0.0)):
        on = one.solid and (one.value or 0.0) > best
        best = (one.value or 0.0) if on else best
        out.append(replace(one, on_frontier=on, on_hull=on))
    made = Frontier(TITLE, True, "tokens_total", "success", 40, "task", 40, tuple(out))
    return replace(made, **fields)  # type: ignore[arg-type]  # texts for fields of text


def many(rows: int, seed: int, name: str = "row-{}") -> Frontier:
    """Rows all over the plane, the dear no better than the cheap."""
    rng = random.Random(seed)
    return board([spot(name.format(i), 10 ** rng.uniform(2, 5), rng.uniform(0.05, 0.4)) for i in range(rows)])


def labels(figure: Figure) -> list[Annotation]:
    """What is written beside markers, over all panels."""
    found = [text for axes in figure.axes for text in axes.texts if isinstance(text, Annotation)]
    return [text for text in found if text.xycoords == "data" and float(text.get_fontsize()) < AXIS_SIZE]


def keys(figure: Figure) -> dict[int, str]:
    """What the numbers mean, as a reader sees it: a number and the name on its level, right of it."""
    numbers = [text for text in figure.texts if text.get_horizontalalignment() == "right"]
    names = [text for text in figure.texts if text.get_horizontalalignment() == "left"]
    out = {}
    for number in numbers:
        (x, y), gap = number.get_position(), 12 / 72 / figure.get_size_inches()[0]
        (name,) = [n for n in names if n.get_position()[1] == y and 0 < n.get_position()[0] - x < gap]
        out[int(number.get_text())] = name.get_text().replace("\n", "")
    return out


def shown(figure: Figure) -> list[str]:
    """Every row that a label names, or gives the number of."""
    told, out = keys(figure), []
    for label in labels(figure):
        for piece in (
            label.get_text().replace("\n", "").split("," if re.fullmatch(r"[\d,]+", label.get_text()) else ", ")
        ):
            out.append(told[int(piece)] if piece.isdigit() else piece)
    return sorted(out)


def written(figure: Figure) -> Iterator[Text]:
    """All texts that are to be read."""
    figure.canvas.draw()
    yield from figure.texts
    for axes in figure.axes:
        yield from [*axes.texts, axes.xaxis.label, axes.yaxis.label]
        for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            inside = [tick for tick in axis.get_major_ticks() if low <= float(tick.get_loc()) <= high]
            yield from (tick.label1 for tick in inside if tick.label1.get_text())


def area(one: Bbox, other: Bbox) -> float:
    common = Bbox.intersection(one, other)
    return 0.0 if common is None else float(common.width * common.height)


def box(text: Text) -> Bbox:
    """What the letters cover; the box of an annotation would hold its leader line too."""
    return Text.get_window_extent(text)


def assert_readable(figure: Figure) -> None:
    page = figure.bbox
    boxes = [(text.get_text(), box(text)) for text in written(figure)]
    for text, extent in boxes:
        assert page.x0 <= extent.x0 < extent.x1 <= page.x1, f"{text!r} leaves the picture"
        assert page.y0 <= extent.y0 < extent.y1 <= page.y1, f"{text!r} leaves the picture"
    for (one, first), (other, second) in combinations(boxes, 2):
        least = min(first.width * first.height, second.width * second.height)
        assert area(first, second) < 0.25 * least, f"{one!r} and {other!r} cover one another"


def test_few_rows_are_named_in_place() -> None:
    figure = build_figure([many(12, 3)])
    assert keys(figure) == {}
    assert shown(figure) == sorted(f"row-{i}" for i in range(12))
    assert_readable(figure)


def test_crowded_panel_names_frontier_ends_and_privileged_only() -> None:
    rows = [spot(f"row-{i:02}", 1000 * 1.2**i, 0.3 - 0.01 * i) for i in range(15)]
    rows[6] = replace(rows[6], privileged=True)
    figure = build_figure([board([spot("best", 3000, 0.5), *rows])])
    named = [label.get_text() for label in labels(figure) if not re.fullmatch(r"[\d,]+", label.get_text())]
    assert sorted(named) == ["best", "row-00", "row-06", "row-14"]
    assert keys(figure) == dict(enumerate((f"row-{i:02}" for i in range(15) if i not in (0, 6, 14)), 1))
    assert len(shown(figure)) == 16
    assert_readable(figure)


@settings(max_examples=6)
@given(rows=st.integers(13, 30), seed=st.integers(0, 10**6), long=st.booleans())
def test_every_row_is_labelled_once_and_legible(rows: int, seed: int, long: bool) -> None:
    name = LONG if long else "row-{}"
    found = many(rows, seed, name)
    figure = build_figure([found])
    assert shown(figure) == sorted(name.format(i) for i in range(rows))
    assert [found.spots[i].strategy for i in range(rows) if found.spots[i].strategy in set(keys(figure).values())] == [
        *keys(figure).values()
    ], "cheapest first"
    page = figure.bbox
    assert all(page.x0 <= box(text).x0 and box(text).x1 <= page.x1 for text in written(figure))
    assert all(box(text).y1 < figure.axes[0].xaxis.label.get_window_extent().y0 for text in figure.texts)


@pytest.mark.parametrize("seed", range(3))
def test_no_leader_line_crosses_a_crowded_panel(seed: int) -> None:
    figure = build_figure([many(25, seed)])
    figure.canvas.draw()
    needs_leader = [label for label in labels(figure) if label.arrow_patch is not None]
    for label in needs_leader:
        (x, y), corners = figure.axes[0].transData.transform(label.xy), box(label)
        away = math.hypot(max(corners.x0 - x, 0, x - corners.x1), max(corners.y0 - y, 0, y - corners.y1))
        assert away * 72 / figure.dpi < 45, label.get_text()


def test_long_names_of_few_rows_are_numbered_where_they_would_not_fit() -> None:
    figure = build_figure([many(8, 3, LONG)])
    assert shown(figure) == sorted(LONG.format(i) for i in range(8))
    assert len(keys(figure)) >= 4
    assert_readable(figure)
    alone = build_figure([board([spot(LONG.format(1), 900, 0.2)])])
    assert keys(alone) == {}
    assert_readable(alone)


def test_name_without_separator_is_folded_not_truncated() -> None:
    found = many(14, 5, "W" * 130 + "{}")
    figure = build_figure([found])
    assert shown(figure) == sorted(one.strategy for one in found.spots)
    assert_readable(figure)


def test_rows_on_one_point_share_a_label() -> None:
    rows = [spot(f"row-{i:02}", 1000 * 1.3**i, 0.3 - 0.01 * i) for i in range(14)]
    twin = spot("twin", rows[5].cost, rows[5].value)
    figure = build_figure([board([*rows, twin])])
    numbers = {name: number for number, name in keys(figure).items()}
    assert f"{numbers['row-05']},{numbers['twin']}" in [label.get_text() for label in labels(figure)]
    assert len(shown(figure)) == 15


@pytest.mark.parametrize("panels", [1, 2, 3, 4])
def test_panels_have_one_size_and_do_not_overlap(panels: int) -> None:
    figure = build_figure([many(20, 1), many(5, 2), many(16, 3), many(3, 4)][:panels])
    assert len(figure.axes) == panels
    extents = [axes.get_window_extent() for axes in figure.axes]
    assert all(e.size == pytest.approx(extents[0].size) for e in extents)
    assert all(area(one, other) == 0 for one, other in combinations(extents, 2))
    assert all(area(box(text), extent) == 0 for text in figure.texts for extent in extents)
    assert_readable(figure)


@pytest.mark.parametrize(
    ("highest", "top"),
    [(0.0, 0.4), (0.2, 0.4), (0.4, 0.5), (0.45, 0.5), (0.5, 0.6), (0.71, 0.8), (0.93, 1.05), (1.0, 1.05)],
)
def test_shares_start_at_zero_and_end_above_the_highest_bar(highest: float, top: float) -> None:
    figure = build_figure([board([spot("a", 100, highest, bar=0), spot("b", 200, highest / 2, bar=0)])])
    low, high = figure.axes[0].get_ylim()
    assert low == 0
    assert high == pytest.approx(top)
    ticks = [round(float(tick), 6) for tick in figure.axes[0].get_yticks()]
    assert ticks[0] == 0
    assert len(ticks) >= 5
    assert ticks[-1] == pytest.approx(min(1.0, top), abs=0.11)


def header(found: Frontier) -> str:
    axes = build_figure([found]).axes[0]
    return "; ".join(text.get_text() for text in axes.texts if getattr(text, "xycoords", "") == "axes fraction")


def test_only_the_reasons_for_hollow_markers_that_occur_are_named() -> None:
    plain = [spot("a", 100, 0.2), spot("b", 200, 0.3)]
    assert "hollow" not in header(board(plain))
    estimated = replace(spot("c", 300, 0.3), estimated=True)
    assert "hollow: tokens estimated" in header(board([*plain, estimated]))
    told, untold, lost = replace(spot("d", 90, 0.4), privileged=True), spot("e", None, 0.1), spot("f", 80, 0.1, n=39)
    whole = header(board([*plain, told, untold, lost]))
    assert "hollow: sees the evidence, tokens missing, trials unscored" in whole
    assert "hollow" not in header(board([*plain, replace(estimated, value=None)]))


def test_axis_label_names_task_or_question() -> None:
    rows = [spot("a", 100, 0.2), spot("b", 200, 0.3)]

    def axis(found: Frontier) -> str:
        return build_figure([found]).axes[0].get_xlabel()

    assert axis(board(rows)).startswith("tokens per task (")
    assert axis(board(rows, item="question")).startswith("tokens per question")
    assert axis(board(rows, x="cost_usd", item="question")).startswith("US$ per question")
    assert axis(board(rows, x="steps")) == "steps"
    assert "mean over 40 questions" in header(board(rows, item="question"))
    assert "mean over 40 tasks" in header(board(rows))


def test_the_labels_of_bands_have_room() -> None:
    rows = [spot("free", 0, 0.1), spot("untold", None, 0.2), spot("a", 1000, 0.2), spot("b", 10**5, 0.25)]
    figure = build_figure([board(rows)])
    assert {"0", "missing"} <= {text.get_text() for text in figure.axes[0].texts}
    assert_readable(figure)


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_crowded_pictures_of_equal_numbers_are_equal_files(tmp_path: Path, suffix: str) -> None:
    first, second = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    found = [many(22, 7), many(4, 8)]
    draw(found, first)
    draw(found, second)
    assert first.read_bytes() == second.read_bytes()
    draw([many(22, 9), many(4, 8)], second)
    assert first.read_bytes() != second.read_bytes()
