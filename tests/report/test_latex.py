"""LaTeX tables: what is set off, and that a real LaTeX takes them, whatever the names are."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from bench.report.emphasis import Emphasis, emphasise_values
from bench.report.formats import Grid, Section
from bench.report.latex import escape_latex, to_latex
from bench.report.pivot import build_pivot, render_pivot
from bench.report.table import Selection, build_table, render_table
from bench.scoring.metric_names import find_metric, resolve_metric

NASTY = (
    "100% & more", "a_b$c$d#e", r"\end{document}", "{brace}", "*star", "[bracket]", "~^|<>\"'`", "naïve – “quoted” …",
    "任务 😀 αβγ ąęłžÐþ", "x" * 5000, "y_" * 2500, "\x1b[31mred\x1b[0m", "??--!!", "a\u0301e\u0328",
)  # fmt: skip


def compile_latex(text: str, folder: Path) -> str:
    """Return the log of a real LaTeX on a page of two columns; the test fails if it does."""
    head = r"\documentclass[twocolumn]{article}\usepackage{booktabs,graphicx}\begin{document}Text."
    (folder / "t.tex").write_text(f"{head}\n{text}\n\\end{{document}}\n", "utf-8")
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "t.tex"]
    done = subprocess.run(words, cwd=folder, capture_output=True, timeout=60, check=False)
    log = (folder / "t.log").read_text("utf-8", errors="replace")
    assert done.returncode == 0, log[-2000:]
    return log


def make_grid(name: str) -> Grid:
    section = Section(name, ((name, name),), (False,), (False,))
    return Grid((name, "b"), (True, False), (0, 0), (section,), (name,))


def rename(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the items of one suite under other names."""
    frame = frame[frame["suite"] == "house-v1"]
    names = dict(zip(sorted(set(frame["strategy"])), NASTY, strict=False))
    groups = dict(zip(sorted(set(frame["group"])), NASTY[5:], strict=False))
    return frame.assign(strategy=frame["strategy"].map(names), group=frame["group"].map(groups), suite=NASTY[9])


@pytest.mark.needs("pdflatex")
def test_latex_takes_tables_and_they_fit_the_page(full: pd.DataFrame, tmp_path: Path) -> None:
    columns = ("n", "success", "progress", "steps", "valid", "context", "tokens", "calls", "bleu-1", "p adj.", "ends")
    texts = [
        render_table(build_table(full, reference="full-history"), "latex"),
        render_table(build_table(full, reference="full-history", selection=Selection(by_group=True)), "latex"),
        render_table(build_table(full, reference="full-history", selection=Selection(columns)), "latex"),
        render_pivot(build_pivot(full, reference="full-history"), "latex"),
        render_table(build_table(rename(full)), "latex"),
        render_pivot(build_pivot(rename(full)), "latex"),
        to_latex([make_grid(name) for name in NASTY]),
    ]  # fmt: skip
    log = compile_latex(re.sub(r"\\label\{[^}]*\}", "", "\n\\clearpage\n".join(texts)), tmp_path)
    assert "Overfull \\hbox" not in log
    assert "Missing character" not in log


@pytest.mark.parametrize("name", NASTY)
def test_escape_leaves_no_command_of_a_name(name: str) -> None:
    text = escape_latex(name)
    assert text.isascii() or all(letter.isalpha() for letter in text if not letter.isascii())
    assert not re.search(r"(?<!\\)[&%#_$](?!\\|\^)", re.sub(r"\$[^$]*\$", "", text.replace(r"\$", "")))


def test_labels_differ_and_caption_explains_marks(full: pd.DataFrame) -> None:
    text = render_table(build_table(full, reference="full-history"), "latex")
    labels = re.findall(r"\\label\{(tab:[a-z0-9-]+)\}", text)
    assert len(set(labels)) == len(labels) == 2
    caption = next(line for line in text.splitlines() if line.startswith(r"\caption"))
    assert "Best in bold, second best underlined." in caption
    assert r"$^\ddagger$ p \textless{} 0.01: differs from full-history on progress (paired Wilcoxon" in caption
    assert "Not ranked, for some trials have no score: bm25." in caption


def test_same_titles_have_labels_of_their_own() -> None:
    part = Section("任务", (("a",),), (False,), (False,))
    text = to_latex([Grid(("h",), (True,), (0,), (part, part), ())])
    assert re.findall(r"\\label\{(.*)\}", text) == ["tab:results", "tab:results-2"]


def test_unranked_row_is_not_bold(full: pd.DataFrame) -> None:
    best = full.assign(success=full["success"].where(full["strategy"] != "bm25", 1.0))
    selection = Selection(("success",))
    text = render_table(build_table(best, selection=selection), "latex")
    line = next(line for line in text.splitlines() if line.startswith("bm25"))
    assert "textbf" not in line
    assert text.count(r"\textbf{") == 2  # one in each suite


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.9, 0.9, 0.5, 0.4], ["best", "best", "second", ""]),
        ([0.90001, 0.9, 0.5], ["best", "best", ""]),
        ([0.5, 0.5], ["best", "best"]),
        ([0.5], [""]),
        ([None, 0.5, 0.4, 0.3], ["", "best", "second", ""]),
        ([None, None], ["", ""]),
        ([], []),
    ],
)
def test_best_is_bold_with_its_ties(values: list[float | None], expected: list[str]) -> None:
    metric = resolve_metric("test", "success", ("success",))
    assert list(emphasise_values(values, metric)) == expected


def test_direction_decides_what_is_best() -> None:
    tokens, neither = find_metric("tokens"), find_metric("context_shown")
    assert tokens is not None
    assert neither is not None
    assert list(emphasise_values([10.0, 20.0, 30.0], tokens)) == [Emphasis.BEST, Emphasis.SECOND, Emphasis.NONE]
    assert set(emphasise_values([0.1, 0.2], neither)) == {Emphasis.NONE}


def test_mark_stands_beside_the_tested_score_or_the_name(items: pd.DataFrame) -> None:
    def line(*columns: str) -> str:
        table = build_table(items, reference="full-history", selection=Selection(columns))
        return next(one for one in render_table(table, "latex").splitlines() if one.startswith("no-memory"))

    assert line("success", "progress").startswith("no-memory & ")
    assert r"\makebox[0.6em][l]{$^\ddagger$}" in line("success", "progress")
    assert line("success").startswith(r"no-memory$^\ddagger$ & ")
    assert line("steps").endswith(r" \\")


def test_values_of_a_column_with_intervals_align(build: Callable[..., pd.DataFrame]) -> None:
    text = render_table(build_table(build(12), selection=Selection(("success", "steps"))), "latex")
    assert r"\begin{tabular}{@{}lr@{\,}lr@{}}" in text
    assert r"strategy & \multicolumn{2}{c}{success \%} & steps \\" in text
