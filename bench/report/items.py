"""The data frame of items that every report starts from: checked, in one order, and never a mix of two environments.

One row per item (an episode, or one question), with the trial's key, status and one float column per score. This file
knows which columns are not scores, and nothing of any score.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import pandas as pd

from bench.errors import UsageError, unknown_name
from bench.report.attempts import fold_attempts
from bench.report.build_costs import add_build_costs
from bench.report.prefer import take_preferred
from bench.report.role_models import RULE_BASED, describe_role_models, find_role_models, is_rule_based
from bench.report.row_names import name_rows
from bench.store.latencies import LATENCIES
from bench.store.printing import make_line

__all__ = ["BLOCK", "Block", "find_strategy", "prepare", "score_names", "split_blocks"]

BLOCK = ("suite", "split", "model", "attempt")
"""Rows are compared inside a block only: never across models. They are about first attempts (``attempts.py``)."""

_TRIAL = ("suite", "split", "task", "strategy", "model", "seed", "attempt")
_ABOUT = frozenset(
    {*_TRIAL, "run", "offline", "status", "scored", "end", "error", "item", "group", "cluster", "fingerprint"}
    | {"optimal_steps", "place", LATENCIES}
)
_NEEDED = (*_TRIAL, "run", "offline", "status", "scored", "end", "item", "group", "cluster", "fingerprint")
_SHOWN = ("suite", "split", "task", "strategy", "model", "end", "item", "group", "cluster")
"""Names from plug-ins and data sets, which tables and figures show."""
_SUMMED = ("success", "tokens_total")
_ENVIRONMENT = "env."


@dataclass(frozen=True)
class Block:
    """The items of one suite, split, model and attempt, of all strategies."""

    suite: str
    split: str
    model: str
    attempt: int
    offline: bool
    """The acting model is made of rules."""
    items: pd.DataFrame

    @property
    def strategies(self) -> tuple[str, ...]:
        return tuple(sorted(set(self.items["strategy"])))

    @property
    def name(self) -> str:
        """``suite · split · model``, with the attempt if it is not the first."""
        tail = f" · attempt {self.attempt}" if self.attempt > 1 else ""
        label = f"{self.model}, {RULE_BASED}" if self.offline else self.model
        return f"{self.suite} · {self.split} · {label}{tail}"

    @property
    def role_notes(self) -> tuple[str, ...]:
        """A sentence for each row with models of its own for some roles."""
        models = {name: find_role_models(self.of(name)) for name in self.strategies}
        return tuple(describe_role_models(name, self.model, found) for name, found in models.items() if found)

    def of(self, strategy: str) -> pd.DataFrame:
        return self.items[self.items["strategy"] == strategy]


def prepare(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the first attempts at each task, sorted by key, wall times shared out among the items of a trial.

    Raises: UsageError for an empty frame, a missing column, a trial that is there twice, or two environments.
    """
    if frame.empty:
        raise UsageError("report: expected at least one planned trial, got none; name a run folder that holds one")
    missing = [name for name in _NEEDED if name not in frame.columns]
    if missing:
        raise UsageError(f"report: expected the columns of a run's items, got none named {', '.join(missing)}")
    items = name_rows(frame).sort_values([*_TRIAL, "item"], kind="stable").reset_index(drop=True)
    items["scored"] = items["scored"].astype(bool)
    for name in _SHOWN:
        shown = {value: make_line(str(value)) for value in items[name].dropna().unique()}
        items[name] = items[name].map(lambda value, shown=shown: shown.get(value, value))
    items = take_preferred(items, _TRIAL)
    _refuse_twice(items)
    _refuse_mixed(items)
    items = _sum_up(items)
    size = items.groupby(list(_TRIAL))["item"].transform("size")
    for name in [name for name in items.columns if str(name).startswith("wall_")]:
        items[name] = items[name].astype(float) / size
    return items


def _sum_up(items: pd.DataFrame) -> pd.DataFrame:
    """Return first attempts with what all attempts and what learning came to. Where nothing has a score yet, the scores
    that these rest on have no columns; they are unknown then."""
    missing = [name for name in _SUMMED if name not in items.columns]
    return add_build_costs(fold_attempts(items.assign(**dict.fromkeys(missing, float("nan"))))).drop(columns=missing)


def score_names(items: pd.DataFrame) -> tuple[str, ...]:
    """Return the columns that hold scores, wall times left out, in natural order (``_at_5`` before ``_at_10``)."""
    names = [str(name) for name in items.columns if name not in _ABOUT and not str(name).startswith("wall_")]
    return tuple(sorted(names, key=_natural_key))


def split_blocks(items: pd.DataFrame) -> tuple[Block, ...]:
    """Return the blocks of prepared items, in order."""
    blocks = []
    for (suite, split, model, attempt), part in items.groupby(list(BLOCK), sort=True):
        blocks.append(Block(str(suite), str(split), str(model), int(str(attempt)), is_rule_based(str(model)), part))
    return tuple(blocks)


def find_strategy(name: str, items: pd.DataFrame) -> str:
    """Return the strategy that a user means by ``name``: as written, or without its version.

    Raises: UsageError with the nearest names.
    """
    known = sorted({str(label) for label in items["strategy"]})
    if name in known:
        return name
    bare = [full for full in known if _strip_version(full) == _strip_version(name)]
    if len(bare) == 1:
        return bare[0]
    raise unknown_name("report", "a strategy of this run", name, known)


def _strip_version(name: str) -> str:
    base, colon, params = name.partition(":")
    head, dash, tail = base.rpartition("-v")
    return (head if dash and tail.isdigit() else base) + colon + params


def _natural_key(name: str) -> tuple[str, int]:
    head, _, tail = name.rpartition("_")
    return (head, int(tail)) if tail.isdigit() else (name, 0)


def _refuse_twice(items: pd.DataFrame) -> None:
    twice = items[items.duplicated([*_TRIAL, "item"], keep=False)]
    if twice.empty:
        return
    first = twice.iloc[0]
    runs = " and ".join(sorted(set(twice["run"])))
    raise UsageError(
        f"report: expected each trial once, got {first['task']!r} of {first['strategy']!r} more than once "
        f"(in {runs}); name one of the runs, or --prefer one"
    )


def _refuse_mixed(items: pd.DataFrame) -> None:
    """Raise if two table rows of one suite and split were played in different environments.

    A field may differ from task to task (a grammar probed per game). It may not differ between two trials of one task,
    nor may two table rows each hold a value that the other lacks.
    """
    for (suite, split), part in items[items["scored"]].groupby(["suite", "split"], sort=True):
        by_task: dict[tuple[str, str], tuple[str, str]] = {}
        by_row: dict[str, dict[str, set[str]]] = {}
        last: dict[object, Mapping[str, str]] = {}  # what each task was compared with last: most trials repeat it
        added: set[tuple[str, int]] = set()
        unique = part[["run", "strategy", "model", "task", "fingerprint"]].drop_duplicates()
        for run, strategy, model, task, text in zip(*(unique[name].tolist() for name in unique), strict=True):
            row, fields = f"{strategy} with {model} in {run}", _environment(str(text))
            for field, value in fields.items() if last.get(task) is not fields else ():
                before, other = by_task.setdefault((str(task), field), (value, row))
                if before != value:
                    raise _mixture_error(f"{suite} {split}", field, f"{before!r} ({other})", f"{value!r} ({row})")
            last[task] = fields
            if (row, id(fields)) not in added:
                added.add((row, id(fields)))
                for field, value in fields.items():
                    by_row.setdefault(field, {}).setdefault(row, set()).add(value)
        for field, rows in by_row.items():
            _refuse_foreign(f"{suite} {split}", field, rows)


def _refuse_foreign(where: str, field: str, rows: Mapping[str, set[str]]) -> None:
    widest = max(sorted(rows), key=lambda row: len(rows[row]))
    for row, values in rows.items():
        if foreign := sorted(values - rows[widest]):
            raise _mixture_error(where, field, f"{sorted(rows[widest])[0]!r} ({widest})", f"{foreign[0]!r} ({row})")


def _mixture_error(where: str, field: str, first: str, second: str) -> UsageError:
    return UsageError(
        f"report: expected one environment for {where}, got {field} = {first} and {second}; "
        "scores of different environments never share a table: print the runs separately"
    )


@cache
def _environment(text: str) -> Mapping[str, str]:
    """The fields of a fingerprint that describe the environment: those named ``env.*`` where any is, else all."""
    fields: dict[str, str] = json.loads(text) if text else {}
    marked: Sequence[str] = [name for name in fields if name.startswith(_ENVIRONMENT)]
    return {name: fields[name] for name in sorted(marked or fields)}
