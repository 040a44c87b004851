"""The short legend in the caption of a paper's table: what its cells need to be read. Knows rows and columns."""

from __future__ import annotations

from collections.abc import Sequence

from bench.report.columns import Column
from bench.report.emphasis import SIGNIFICANCE, Emphasis, find_emphasis, find_marks
from bench.report.paired_tests import BY_CLUSTER
from bench.report.row import Row

__all__ = ["describe_emphasis", "describe_marks", "describe_outsiders", "write_caption"]


def write_caption(rows: Sequence[Row], columns: Sequence[Column]) -> str:
    """Return the sentences for the rows of one section."""
    headers = {column.header for column in columns}
    set_off = {emphasis for line in find_emphasis(rows, columns) for emphasis in line}
    marks = {mark for line in find_marks(rows, columns) for mark in line}
    sentences = [
        *([] if "n" in headers else [_describe_size(rows)]),
        *(["In brackets 95 % intervals."] if _has_intervals(rows, columns) else []),
        describe_emphasis(set_off),
        describe_marks(rows, marks),
        *describe_outsiders(rows),
    ]
    return " ".join(filter(None, sentences))


def _describe_size(rows: Sequence[Row]) -> str:
    sizes = sorted({row.n_tasks for row in rows if row.n_tasks})
    runs = max((row.runs for row in rows), default=1)
    if not sizes:
        return ""
    unit = "tasks" if all(row.clusters is None for row in rows) else "questions"
    span = f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"
    return f"{span} {unit}{f', {runs} runs each' if runs > 1 else ''}."


def _has_intervals(rows: Sequence[Row], columns: Sequence[Column]) -> bool:
    return any(column.metric.name in row.intervals for column in columns if column.metric for row in rows)


def describe_emphasis(found: set[Emphasis]) -> str:
    """Say what bold and underlined values are, where there are some."""
    if Emphasis.BEST not in found:
        return ""
    return "Best in bold, second best underlined." if Emphasis.SECOND in found else "Best in bold."


def describe_marks(rows: Sequence[Row], marks: set[str]) -> str:
    """Say what the marks are that are there."""
    shown = [(mark, level) for mark, level in reversed(SIGNIFICANCE) if mark in marks]
    tests = [row.test for row in rows if row.test]
    if not shown or not tests:
        return ""
    levels = ", ".join(f"{mark} p < {level}" for mark, level in shown)
    by_cluster = any(str(test.method).startswith(BY_CLUSTER) for test in tests)
    name = "sign-flip test over conversations" if by_cluster else "Wilcoxon signed-rank test"
    return f"{levels}: differs from {tests[0].reference} on {tests[0].metric} (paired {name}, Holm-adjusted)."


def describe_outsiders(rows: Sequence[Row]) -> list[str]:
    """Say which rows do not compete, and what is not as exact as it looks."""
    open_ = sorted({row.strategy for row in rows if not row.ranked})
    seeing = sorted({row.strategy for row in rows if row.privileged})
    estimated = any(row.value("estimated_calls") for row in rows)
    return [
        *([f"Not ranked, for some trials have no score: {', '.join(open_)}."] if open_ else []),
        *([f"Not ranked, for it sees the evidence: {', '.join(seeing)}."] if seeing else []),
        *(["~ tokens of some calls were estimated."] if estimated else []),
    ]
