"""Sums up the tables of this board: ``python summary.py [NAME...]`` reads the items and NAME.json beside it.

Without names it sums up ``PARTS``. ``NAME@GROUP,GROUP`` takes the tasks of these groups alone; what a row learned, and
what that took, stays as it is.
Prints a table in Markdown for each: success within 20, 30 and 50 steps of one run, what was won and lost within 20
steps against react (McNemar's exact test, Holm-adjusted over the rows that learned), and costs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from bench.board.make import find_items
from bench.board.record import read_board
from bench.report.columns import BLANK, format_p
from bench.report.row_names import name_rows
from bench.stats.holm import holm
from bench.stats.mcnemar import mcnemar
from bench.store.dataframe import read_items

HERE = Path(__file__).parent
REFERENCE, AT = "react", "success_at_20"
# H2R's paper takes three of the four domains; the fourth stands apart.
THREE = "barman,gripper,tyreworld"
PARTS = (
    "alfworld-half", "alfworld-curve", "alfworld", "pddl", f"pddl@{THREE}", "pddl@blockworld", "alfworld-reader",
    "alfworld-rooms-reader", "pddl-reader", f"pddl-reader@{THREE}", "pddl-reader@blockworld",
)  # fmt: skip
HEAD = (
    "strategy", "n", "success@20 %", "@30 %", "@50 %", "won / lost@20", "p@20 adj.", "steps", "shown %", "memory",
    "tokens", "build",
)  # fmt: skip


def write_summary(given: str) -> str:
    """Return the table of one board, best first within 20 steps."""
    name, _, groups = given.partition("@")
    items = read_table_items(name)
    rows = {row["strategy"]: row for row in json.loads((HERE / f"{name}.json").read_text()) if row["group"] == "all"}
    if groups:
        items = items[items["group"].isin(groups.split(","))]
        rows = {strategy: row | average(items[items["strategy"] == strategy]) for strategy, row in rows.items()}
    names = sorted(rows, key=lambda one: (-rows[one][AT], rows[one]["steps"], one))
    counts = {one: count_changes(items, one) for one in names if rows[one]["artifact"]}
    tests = dict(zip(counts, holm([mcnemar(*changes).p for changes in counts.values()]), strict=True))
    cells = [write_cells(rows[one], counts.get(one), tests.get(one)) for one in names]
    lines = [HEAD, ("---", *("---:" for _ in HEAD[1:])), *cells]
    title = f"{name}: {groups.replace(',', ', ')}" if groups else name
    return "\n".join([f"## {title}", "", *(f"| {' | '.join(line)} |" for line in lines), ""])


def read_table_items(name: str) -> pd.DataFrame:
    """Return the items that a table of the board is made of, under the names of its rows."""
    files = find_items(HERE)
    runs = next(table.items for table in read_board(HERE).tables if table.name == name)
    return name_rows(read_items([files[run] for run in runs]))


def average(items: pd.DataFrame) -> dict[str, float]:
    """Return what a row has of its own on some tasks, under the names of a table."""
    means = items[["success", AT, "success_at_30", "steps", "experience_shown", "tokens_total"]].mean()
    return {"n": len(items), **means.rename({"success": "success_rate"})}


def count_changes(items: pd.DataFrame, strategy: str) -> tuple[int, int, int]:
    """Return how many tasks a strategy wins and loses within the steps against react, and how many stay as they are."""
    won = items.pivot_table(index="task", columns="strategy", values=AT)
    differences = (won[strategy] - won[REFERENCE]).dropna()
    return int((differences > 0).sum()), int((differences < 0).sum()), int((differences == 0).sum())


def write_cells(row: Mapping[str, float], changes: tuple[int, int, int] | None, p: float | None) -> tuple[str, ...]:
    shares = (f"{100 * row[name]:.1f}" for name in (AT, "success_at_30", "success_rate"))
    tokens = (
        f"{row[name]:,.0f}" if row.get(name) else BLANK for name in ("memory_tokens", "tokens_total", "tokens_build")
    )
    against = f"{changes[0]} / {changes[1]}" if changes else BLANK
    shown = f"{100 * row['experience_shown']:.0f}" if changes else BLANK
    return (str(row["strategy"]), str(row["n"]), *shares, against, format_p(p), f"{row['steps']:.1f}", shown, *tokens)


if __name__ == "__main__":
    print("\n".join(map(write_summary, sys.argv[1:] or PARTS)), end="")
