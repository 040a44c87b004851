"""The page of a board's submissions: each row with its status, the corrections, and the table that they stand in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from bench.board.check import NOT_REPRODUCED, Checked
from bench.board.make import find_items
from bench.board.submission import Correction, find_items_file
from bench.errors import UsageError
from bench.report.table import build_table, choose_reference, render_table
from bench.store.dataframe import read_items
from bench.store.printing import make_line

__all__ = ["PAGE", "write_submissions"]

PAGE = "submissions.md"
_WIDTH = 160


def write_submissions(board: Path, title: str, checked: Sequence[Checked], log: Sequence[Correction]) -> str:
    """Return the page in Markdown. Raises: UsageError for a correction of a submission that is not there."""
    names = [one.folder.name for one in checked]
    for entry in log:
        if entry.submission and entry.submission not in names:
            raise UsageError(
                f"corrections.toml: expected the name of a submission, got {entry.submission!r}; leave it in "
                "submissions/ when it is withdrawn"
            )
    withdrawn = {entry.submission for entry in log if entry.withdrawn}
    parts = [
        f"# {_clean(title)}: submissions",
        "Made by `bench board --check`. verified: played again, the model included. replayed: the strategy was run "
        "again on the recorded replies of its model. self-reported: as handed in.",
        _write_list(checked, withdrawn),
        *_write_tables(board, [one for one in checked if one.folder.name not in withdrawn]),
        *_write_log(log),
    ]
    return "\n\n".join(parts) + "\n"


def _write_list(checked: Sequence[Checked], withdrawn: set[str]) -> str:
    lines = ["| submission | by | strategy | status | |", "|---|---|---|---|---|"]
    for one in checked:
        name, gone = one.folder.name, one.folder.name in withdrawn
        status = "withdrawn" if gone else one.status
        shown = f"~~{_clean(name)}~~" if gone else f"[{_clean(name)}](submissions/{name})"
        record = one.record
        lines.append(
            f"| {shown} | {_clean(record.by)} | `{_clean(record.strategy)}` | {status} | {_clean(record.title)} |"
        )
    return "\n".join(lines)


def _write_tables(board: Path, checked: Sequence[Checked]) -> list[str]:
    """Return for each run of the board its table with the rows that were handed in for it."""
    files = find_items(board)
    tables = []
    for run in sorted({one.record.run for one in checked if one.status != NOT_REPRODUCED}):
        rows = [one for one in checked if one.record.run == run and one.status != NOT_REPRODUCED]
        own = read_items([files[run]])
        frame = pd.concat([own, *(_mark(one) for one in rows)], ignore_index=True)
        tables.append(render_table(build_table(frame, reference=choose_reference(own)), "md", width=_WIDTH).rstrip())
    return tables


def _mark(one: Checked) -> pd.DataFrame:
    """Return the items of a submission, its status in the name of its row."""
    items = read_items([find_items_file(one.folder)])
    return items.assign(run=one.folder.name, strategy=items["strategy"] + f" ({one.folder.name}, {one.status})")


def _write_log(log: Sequence[Correction]) -> list[str]:
    if not log:
        return []
    lines = [
        f"- {entry.date.isoformat()}, {_clean(entry.submission) or 'the board'}: {_clean(entry.what)}; "
        f"{_clean(entry.why)}"
        for entry in sorted(log, key=lambda entry: entry.date)
    ]
    return ["## Corrections\n\n" + "\n".join(lines)]


def _clean(text: str) -> str:
    return make_line(text).replace("|", "\\|").replace("<", "&lt;")
