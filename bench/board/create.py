"""Makes a board of runs, or adds runs to one: their items and settings are copied, and everything is made anew."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from bench.board.make import ITEMS, PROVENANCE, find_items, make_board, name_items
from bench.board.provenance import CONFIG_SUFFIX
from bench.board.record import BOARD_FILE, BoardRecord, FigureRecord, TableRecord, read_board, write_board
from bench.config import RUN_FILE
from bench.errors import UsageError, writing
from bench.report.error_shares import find_error_shares
from bench.report.frontier import find_frontiers
from bench.report.items import prepare
from bench.store.dataframe import read_items
from bench.store.items_file import is_items_file, write_items_file
from bench.store.printing import make_line

__all__ = ["add_runs"]

_PACKED = ".csv.xz"
_HEAD = re.compile(r"\A---\n.*?\n---\n\n?", re.DOTALL)
_NO_NAME = re.compile(r"[^\w.=@+-]+")


def add_runs(runs: Sequence[Path], folder: Path, *, title: str = "", prefer: Sequence[Path] = ()) -> list[Path]:
    """Copy the items of runs into a board, new or not, and make everything of it; return the files made.

    A run of the same name replaces the one that the board has. The trials of runs in ``prefer`` are taken where another
    run of the board holds the same. A new board gets a table, a table by group, a frontier and, where failures have
    causes, these; ``board.toml`` may be edited. ``README.md`` is written once, for you to go on from,
    but for its head, by which the board loads as a data set.
    Raises: UsageError, StoreError.
    """
    names = _copy_runs([*runs, *(one for one in prefer if one not in runs)], folder)
    is_new = not (folder / BOARD_FILE).exists()
    record = _plan(folder, title) if is_new else read_board(folder)
    first = tuple(names[one] for one in prefer)
    record = record.model_copy(update={"prefer": tuple(dict.fromkeys((*record.prefer, *first)))})
    write_board(record.model_copy(update={"title": title or record.title}), folder)
    made = make_board(folder)
    readme = folder / "README.md"
    with writing("board", readme):
        kept = readme.read_text(encoding="utf-8") if readme.exists() else _write_readme(read_board(folder))
        readme.write_text(_write_head(folder) + _HEAD.sub("", kept, count=1), encoding="utf-8", newline="\n")
    return made


def _write_head(folder: Path) -> str:
    """Return the lines by which ``datasets.load_dataset`` finds the items of a board, one configuration a run."""
    runs = [
        f"- config_name: {name}\n  data_files:\n  - split: items\n    path: {path.relative_to(folder).as_posix()}\n"
        for name, path in sorted(find_items(folder).items())
    ]
    return f"---\nconfigs:\n{''.join(runs)}---\n\n"


def _copy_runs(runs: Sequence[Path], folder: Path) -> dict[Path, str]:
    names = {run: _NO_NAME.sub("-", name_items(run) if is_items_file(run) else run.resolve().name) for run in runs}
    if len(set(names.values())) < len(names):
        raise UsageError(
            f"board: expected runs in folders of different names, got {', '.join(sorted(names.values()))}; rename one"
        )
    frames = {run: read_items([run]) for run in runs}
    with writing("board", folder):
        (folder / ITEMS).mkdir(parents=True, exist_ok=True)
    for run, name in names.items():
        write_items_file(frames[run].assign(run=name), folder / ITEMS / f"{name}{_PACKED}")
        config = run.with_name(f"{name}{CONFIG_SUFFIX}") if is_items_file(run) else run / RUN_FILE
        if config.is_file():
            with writing("board", folder):
                shutil.copyfile(config, folder / ITEMS / f"{name}{CONFIG_SUFFIX}")
    return names


def _plan(folder: Path, title: str) -> BoardRecord:
    """Return the record of a new board: what its items have something to say about."""
    frame = read_items(list(find_items(folder).values()))
    tables = [TableRecord(name="table")]
    if prepare(frame)["group"].nunique() > 1:
        tables.append(TableRecord(name="groups", by="group", formats=("md", "csv")))
    figures = []
    kinds: dict[str, Callable[[pd.DataFrame], object]] = {"frontier": find_frontiers, "errors": find_error_shares}
    for kind, find in kinds.items():
        try:
            find(frame)
        except UsageError:  # it has no such thing to show
            continue
        figures.append(FigureRecord.model_validate({"name": kind, "kind": kind}))
    return BoardRecord(title=make_line(title) or "Board", table=tuple(tables), figure=tuple(figures))


def _write_readme(record: BoardRecord) -> str:
    files = [(f"{one.name}.{ending}", one) for one in record.outputs for ending in one.formats]
    images = [name for name, _ in files if name.endswith(".png")]
    links = ", ".join(f"[{name}]({name})" for name, _ in files)
    return (
        "\n\n".join(
            (
                f"# {record.title}",
                *(f"![{name.removesuffix('.png')}]({name})" for name in images),
                f"Tables and figures: {links}. Where the numbers come from: [{PROVENANCE}]({PROVENANCE}).",
                f"`bench board --remake .` makes all of them again from `{ITEMS}/`, as `{BOARD_FILE}` says.",
            )
        )
        + "\n"
    )
