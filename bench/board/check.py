"""Plays a submission again and compares its items to ten digits: what of a row is known to be true.

The strategy's code is somebody else's. It runs in a process of its own with a few harmless variables of the
environment alone, so that no key of this machine is handed to it; that is no sandbox.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from bench.board.submission import CASSETTE, Submission, find_items_file, read_submission
from bench.config import RUN_FILE, RunConfig, difference, read_config
from bench.errors import StoreError, UsageError
from bench.models.cache.cassette import read_cassette
from bench.models.cache.store import CACHE_VARIABLE, ReplyCache
from bench.models.options import is_offline
from bench.store.dataframe import read_items
from bench.store.items_file import write_items_file

__all__ = ["NOT_REPRODUCED", "REPLAYED", "SELF_REPORTED", "VERIFIED", "Checked", "check_submission"]

VERIFIED = "verified"
"""Played again here, the model included: the items are the same."""
REPLAYED = "replayed"
"""The strategy was run again on the recorded replies of the model: the items are the same."""
SELF_REPORTED = "self-reported"
"""The items are as they were handed in: nobody can play them again."""
NOT_REPRODUCED = "not reproduced"

_KEY = ["suite", "split", "task", "item", "strategy", "model", "seed", "attempt"]
_PAID = ("run", "fingerprint", "cost_usd", "judge_cost_usd", "build_cost_usd", "retries", "cached_tokens")
"""What is another on another day, or costs nothing when it is replayed."""
_HANDED_ON = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "BENCH_DATA")
_BENCH = "from bench.cli.app import main; main()"
_LIMIT_S = 3600
_SHORT = 300


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check came to."""

    folder: Path
    record: Submission
    status: str
    why: str
    """One sentence."""


def check_submission(folder: Path) -> Checked:
    """Return how far a submission can be believed. Raises: UsageError for one that does not fit the board."""
    record, config = read_submission(folder), read_config(folder / RUN_FILE)
    items = read_items([find_items_file(folder)])
    _check_question(folder, record, config, items)
    in_process = is_offline(config.model) and (not config.judge or is_offline(config.judge))
    cassette = folder / CASSETTE
    if not in_process and not cassette.is_file():
        return Checked(folder, record, SELF_REPORTED, f"no {CASSETTE}, and its model is not played here")
    ways = [REPLAYED] * cassette.is_file() + [VERIFIED] * in_process
    for way in ways:
        if wrong := _play(folder, record, cassette if way == REPLAYED else None, items):
            return Checked(folder, record, NOT_REPRODUCED, wrong)
    return Checked(folder, record, ways[-1], f"{len(items):,} items played again, the same to ten digits")


def _check_question(folder: Path, record: Submission, config: RunConfig, items: pd.DataFrame) -> None:
    path = folder.parent.parent / "items" / f"{record.run}.toml"
    if not path.is_file():
        raise UsageError(f"submission {folder}: expected a configuration of the board, got no {path}; name it in run")
    changed = [line for line in difference(read_config(path), config) if not line.startswith("strategies:")]
    if changed:
        raise UsageError(
            f"submission {folder}: expected the configuration of the board, got another "
            f"({'; '.join(changed)[:_SHORT]}); play it with {path}"
        )
    played = sorted(set(items["strategy"]))
    if list(config.strategies) != [record.strategy] or played != [record.strategy]:
        raise UsageError(
            f"submission {folder}: expected the one strategy {record.strategy} in {RUN_FILE} and its items, got "
            f"{', '.join(sorted({*config.strategies, *played}))}; hand in one row at a time"
        )


def _play(folder: Path, record: Submission, cassette: Path | None, items: pd.DataFrame) -> str:
    """Play a submission again and return what is wrong with it, nothing if all is as it says."""
    with TemporaryDirectory() as made:
        room = Path(made)
        if cassette is not None:
            with closing(ReplyCache(room / "cache.sqlite", writable=True)) as replies:
                replies.add(read_cassette(cassette))
        _write_entry_point(room / "plugin", record)
        said = _run_bench(folder, room, ["--cache", "read" if cassette else "off"])
        try:
            write_items_file(read_items([room / "run"]), room / "again.csv")
            again = read_items([room / "again.csv"])  # both as they are read from a file
        except StoreError:
            return f"it cannot be played again: {said}"
        return _compare(items, again, said)


def _write_entry_point(room: Path, record: Submission) -> None:
    """Make the strategy known under its name, as an installed package would."""
    where = room / "submission-0.dist-info"
    where.mkdir(parents=True)
    (where / "METADATA").write_text("Metadata-Version: 2.1\nName: submission\nVersion: 0\n", encoding="utf-8")
    name, source = record.strategy.partition(":")[0], record.source
    module = source.partition(":")[0].removesuffix(".py").replace("/", ".")
    text = f"[memfrontier.strategies]\n{name} = {module}:{source.partition(':')[2]}\n" if source else ""
    (where / "entry_points.txt").write_text(text, encoding="utf-8")


def _run_bench(folder: Path, room: Path, flags: Sequence[str]) -> str:
    """Play the run of a submission in a process without secrets; return the last line that it said."""
    path = os.pathsep.join([str(room / "plugin"), str(folder.resolve()), *filter(None, sys.path), str(Path.cwd())])
    handed: Mapping[str, str] = {name: value for name in _HANDED_ON if (value := os.environ.get(name)) is not None}
    command = [sys.executable, "-c", _BENCH, "run", str((folder / RUN_FILE).resolve()), "-o", str(room / "run"), *flags]
    try:
        done = subprocess.run(
            command, cwd=room, capture_output=True, text=True, timeout=_LIMIT_S, check=False,
            env={
                **handed, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "HOME": str(room),
                CACHE_VARIABLE: str(room / "cache.sqlite"),
            },
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"it did not end within {_LIMIT_S} s"
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return lines[-1][:_SHORT] if lines else "it said nothing"


def _compare(items: pd.DataFrame, again: pd.DataFrame, said: str) -> str:
    """Return the first difference between what was handed in and what was played, nothing if there is none."""
    if not again["scored"].all() and items["scored"].all():
        return f"{int((~again['scored']).sum())} items are not scored when played again: {said}"
    first, second = (frame.set_index(_KEY).sort_index() for frame in (items, again))
    if list(first.index) != list(second.index):
        return f"expected the {len(second):,} items of its run, got {len(first):,}, or others"
    for name in (name for name in first if name not in _PAID and not str(name).startswith("wall_")):
        if name not in second:
            if first[name].isna().all():
                continue
            return f"it has a column {name} that playing it again does not make"
        one, other = (column[name].map(_write_value) for column in (first, second))
        differs = one.ne(other)
        if differs.any():
            where = differs.index[differs.to_numpy()][0]
            return f"{name} of {where[3]}: handed in {one[where]}, played again {other[where]}"
    return ""


def _write_value(value: object) -> str:
    """Return a value as an export writes it: ten digits of a number."""
    return f"{value:.10g}" if isinstance(value, float) else str(value)
