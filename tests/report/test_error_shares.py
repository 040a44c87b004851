"""Why strategies fail: shares that add up, items without a cause left out, bars that can be told apart."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from bench.errors import UsageError
from bench.report.error_shares import Bar, Panel, describe_size, find_error_shares, render_error_shares
from bench.report.figures.errors import ERROR_PARTS, build_error_figure, draw_errors
from bench.report.figures.style import DARK, Look
from bench.report.table import build_table, render_table
from bench.scoring.attribution import Cause, name_error
from tests.report.test_conversations import made

CONSTRUCTION, RETRIEVAL, REASONING = Cause
CAUSES = {"oracle": REASONING, "full-history": REASONING, "bm25": RETRIEVAL, "no-memory": CONSTRUCTION}


def attributed(**more: Any) -> pd.DataFrame:
    """Conversations whose wrong answers have the cause of their strategy; question 5 of each has none."""
    frame = made(**more)
    failed = frame["success"] < 0.5
    for cause in Cause:
        own = frame["strategy"].map(CAUSES) == cause
        frame[name_error(cause)] = np.where(frame["item"] == "q5", math.nan, (failed & own).astype(float))
    return frame


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return attributed()


def test_shares_of_a_strategy_are_means_over_items_with_a_cause(frame: pd.DataFrame) -> None:
    (panel,) = find_error_shares(frame)
    bars = {bar.strategy: bar for bar in panel.bars}
    mine = frame[(frame["strategy"] == "bm25") & (frame["item"] != "q5")]
    assert bars["bm25"].n == len(mine) == 48
    assert bars["bm25"].shares[RETRIEVAL] == pytest.approx(float((mine["success"] < 0.5).mean()))
    assert bars["bm25"].shares[CONSTRUCTION] == bars["bm25"].shares[REASONING] == 0.0
    for bar in panel.bars:
        assert bar.succeeded + sum(bar.shares.values()) == pytest.approx(1.0)
    assert [bar.succeeded for bar in panel.bars] == sorted((bar.succeeded for bar in panel.bars), reverse=True)
    assert bars["oracle"].privileged
    assert (panel.item, panel.n_items, panel.n_decisions) == ("question", 54, None)


def test_repeats_are_averaged_first() -> None:
    (once,) = find_error_shares(attributed())
    (twice,) = find_error_shares(attributed(seeds=(0, 1)))
    assert [bar.n for bar in once.bars] == [bar.n for bar in twice.bars]


def test_strategy_that_cites_nothing_has_a_line_and_no_shares(frame: pd.DataFrame) -> None:
    silent = frame.copy()
    silent.loc[silent["strategy"] == "bm25", [name_error(cause) for cause in Cause]] = math.nan
    (panel,) = find_error_shares(silent)
    assert panel.bars[-1] == Bar("bm25", 0, {})
    assert [line.split() for line in render_error_shares([panel]).splitlines() if line.startswith("bm25")] == [
        ["bm25", "0", "–", "–", "–", "–"]
    ]
    draw = build_error_figure([panel])
    assert any("no cause can be named" in text.get_text() for text in draw.axes[0].texts)


def test_bar_of_a_strategy_without_a_score_says_so(frame: pd.DataFrame) -> None:
    failed = frame.copy()
    failed.loc[failed["strategy"] == "bm25", "scored"] = False
    (panel,) = find_error_shares(failed)
    assert panel.bars[-1] == Bar("bm25", 0, {}, scored=False)
    texts = [text.get_text() for text in build_error_figure([panel]).axes[0].texts]
    assert any("nothing is scored" in text for text in texts)
    assert not any("cites no events" in text for text in texts)


def test_strategy_that_sees_the_evidence_is_marked(frame: pd.DataFrame) -> None:
    (panel,) = find_error_shares(frame)
    assert "no refusal answers; oracle sees the evidence" in render_error_shares([panel], width=160)
    head = " ".join(text.get_text() for text in build_error_figure([panel]).axes[0].texts)
    assert "oracle sees the evidence" in head
    (bare,) = find_error_shares(frame[frame["strategy"] != "oracle"])
    assert "sees the evidence" not in render_error_shares([bare], width=160)


def test_runs_without_evidence_are_refused(frame: pd.DataFrame) -> None:
    names = [name_error(cause) for cause in Cause]
    for bare in (frame.drop(columns=names), frame.assign(**dict.fromkeys(names, math.nan))):
        with pytest.raises(UsageError, match="errors: expected runs whose questions or decisions have evidence"):
            find_error_shares(bare)


def test_text_says_what_the_shares_are_of(frame: pd.DataFrame) -> None:
    text = render_error_shares(find_error_shares(frame), width=160)
    assert "48 of 54 questions, those with evidence that no refusal answers" in text
    assert "construction: a needed turn was out of the memory's reach" in text
    lines = [line.split() for line in text.splitlines() if line.split()[:1] and line.split()[0] in CAUSES]
    assert all(sum(map(float, line[2:])) == pytest.approx(100, abs=0.2) for line in lines)


def test_size_of_episodes_is_told_in_decisions() -> None:
    bars = (Bar("a", 40, dict.fromkeys(Cause, 0.1)), Bar("b", 40, dict.fromkeys(Cause, 0.2)))
    told = describe_size(Panel("alfworld", 40, 400, bars))
    assert told == "decisions that needed something told before, 5.0 per task in 40 tasks (synthetic evidence)"


def test_table_has_the_causes_and_says_what_they_rest_on(frame: pd.DataFrame) -> None:
    table = build_table(frame)
    text = render_table(table, "md")
    assert "| constr. % | retr. % | reason. % |" in text
    assert "constr., retr., reason. rest on 48 of 54 questions." in text
    assert {row["n_attributed"] for row in table.records} == {48}


def test_table_says_that_evidence_is_synthetic(frame: pd.DataFrame) -> None:
    marked = frame.assign(
        fingerprint=[
            text.replace("{", '{"env.synthetic_evidence": "synthetic-1", ', 1) for text in frame["fingerprint"]
        ]
    )
    text = render_table(build_table(marked), "md")
    assert "evidence: synthetic-1, derived from the simulator; the data set names none." in text
    assert "synthetic" not in render_table(build_table(frame), "md")


def parts(figure: Figure, panel: int = 0) -> list[Rectangle]:
    return [patch for patch in figure.axes[panel].patches if isinstance(patch, Rectangle)]


def test_figure_has_a_bar_of_four_parts_for_each_strategy(frame: pd.DataFrame) -> None:
    (panel,) = find_error_shares(frame)
    figure = build_error_figure([panel, panel])
    assert len(figure.axes) == 2
    bars = parts(figure)
    assert len(bars) == 4 * len(panel.bars)
    for at, bar in enumerate(panel.bars):
        own = sorted(
            (one for one in bars if abs(one.get_y() + one.get_height() / 2 - at) < 0.1), key=lambda one: one.get_x()
        )
        assert sum(one.get_width() for one in own) == pytest.approx(1.0)
        assert own[0].get_width() == pytest.approx(bar.succeeded)
    labels = [text.get_text() for text in figure.axes[0].texts]
    assert labels.count("n 48") == len(panel.bars)
    names = [label.get_text().replace("\n", "") for label in figure.axes[0].get_yticklabels()]
    assert names == [bar.strategy for bar in panel.bars]


def test_numbers_stand_inside_their_parts(frame: pd.DataFrame) -> None:
    figure = build_error_figure(find_error_shares(frame))
    figure.canvas.draw()
    numbers = [text for text in figure.axes[0].texts if text.get_text().isdigit()]
    assert numbers
    for text in numbers:
        box = text.get_window_extent()
        inside = [
            one
            for one in parts(figure)
            if one.get_window_extent().contains(*box.min) and one.get_window_extent().contains(*box.max)
        ]
        assert len(inside) == 1, text.get_text()
        assert int(text.get_text()) == round(100 * inside[0].get_width())


def test_nothing_is_written_outside_the_picture_or_over_something_else(frame: pd.DataFrame) -> None:
    figure = build_error_figure(find_error_shares(frame))
    figure.canvas.draw()
    page = figure.bbox
    texts = [*figure.axes[0].texts, *figure.axes[0].get_yticklabels(), *figure.axes[0].get_xticklabels()]
    texts += figure.legends[0].get_texts()
    boxes = [text.get_window_extent() for text in texts if text.get_text()]
    assert all(page.contains(*box.min) and page.contains(*box.max) for box in boxes)
    clashes = [(a, b) for i, a in enumerate(boxes) for b in boxes[i + 1 :] if a.overlaps(b)]
    assert clashes == []


def brightness(color: str) -> float:
    red, green, blue = to_rgb(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_parts_differ_in_brightness_or_hatch() -> None:
    for look in (Look(), Look(DARK)):
        for one, other in combinations(ERROR_PARTS, 2):
            apart = abs(brightness(one.choose_color(look)) - brightness(other.choose_color(look)))
            assert one.hatch != other.hatch or apart > 0.2, (one.name, other.name)


def test_draw_writes_equal_bytes_for_equal_numbers_and_refuses_other_files(frame: pd.DataFrame, tmp_path: Path) -> None:
    panels = find_error_shares(frame)
    for name in ("a.png", "a.svg", "a.pdf"):
        draw_errors(panels, tmp_path / name)
        first = (tmp_path / name).read_bytes()
        draw_errors(panels, tmp_path / name)
        assert (tmp_path / name).read_bytes() == first
    with pytest.raises(UsageError, match=r"errors: expected a file ending in .*, got 'a.gif'; rename it"):
        draw_errors(panels, tmp_path / "a.gif")
