"""The Python interface: run strategies on suites, and read the results as data frames. ``import bench`` hands it on.

::

    import bench

    done = bench.run("toy", ["window:k=5", "full-history"], limit=10, out="runs/first")
    bench.table(done)[["strategy", "success_rate", "tokens_total"]]
    bench.compare(done, "window:k=5", "full-history")[0].difference
    bench.frontier(done, x="tokens", y="success")

These functions do what the commands of the same names do, with the same objects underneath. Suites that compute in
Python (pddl, locomo, longmemeval) are played in processes of their own: a script that runs them needs the usual
``if __name__ == "__main__":``.

``bench.api.looking`` has the rest: ``bench.curve``, ``curve_points``, ``error_shares`` and ``draw``.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypedDict, Unpack

import pandas as pd

from bench.config import validate
from bench.errors import unknown_name
from bench.registry import split_names
from bench.report import compare as compare_report
from bench.report import frontier as frontier_report
from bench.report import table as table_report
from bench.report.compare import Comparison
from bench.report.frontier_text import render_frontier
from bench.runner.batch import Outcome, run_resolved
from bench.runner.progress import NoProgress, choose_progress
from bench.runner.reply_warnings import find_reply_warnings
from bench.runner.resolve import ResolvedRun, default_folder, resolve_run
from bench.store.dataframe import read_items

__all__ = ["Run", "RunFields", "Runs", "ask", "compare", "frontier", "read_runs", "run", "table"]

_REFERENCE = "full-history"


@dataclass(frozen=True)
class Run:
    """A recorded run. ``bench.table``, ``compare`` and ``frontier`` take it, or the path of its folder."""

    folder: Path
    outcome: Outcome
    """How many trials were planned, are scored, and are not."""
    warnings: tuple[str, ...] = ()
    """Why the scores of a strategy say less than they seem to: unreadable replies, a reply format that was not used."""

    @cached_property
    def items(self) -> pd.DataFrame:
        """One line per scored item (an episode, or one question): the trial's key, status, and a column per score."""
        return read_items([self.folder])


Runs = Run | Path | str | Iterable[Run | Path | str]


class RunFields(TypedDict, total=False):
    """The other fields of a run's question: those of ``bench.config.RunConfig``, which documents them."""

    judge: str
    judge_endpoint: str
    base_url: str
    temperature: float | str | None
    """A number, or ``"provider"`` for the provider's own."""
    top_p: float | None
    model_seed: int | None
    allow_unsupported: bool
    endpoint: str
    cache: str
    embedder: str
    split: str
    limit: int
    seeds: Sequence[int]
    attempts: int
    learn: dict[str, object]
    """Fields of ``bench.config.LearnConfig``."""
    stream: int
    artifacts: Sequence[str]
    leak: str
    allow_edited: bool
    allow_foreign: bool
    steps: int
    budget_tokens: int | None
    reply_tokens: int
    answer_tokens: int
    ask_again: int
    task_wall_s: float
    workers: int
    max_usd: float
    max_tokens: int


def run(
    suites: str | Sequence[str],
    strategies: str | Sequence[str],
    model: str = "offline/reader",
    *,
    out: Path | str | None = None,
    progress: bool = False,
    **fields: Unpack[RunFields],
) -> Run:
    """Play suites with strategies and return the record; the same call goes on where an earlier one stopped.

    Names take parameters, ``window:k=5``, and may be given as a list or with commas. ``out``: the run folder, by
    default one below ``runs/`` that the same question always gets. ``progress``: report to stderr.
    Warns (UserWarning) where ``bench run`` would: see ``Run.warnings``.
    Raises: UsageError for an unknown name or field; StoreError, BudgetStop, Interrupted as ``bench run`` does.
    """
    question = ask(suites, strategies, {"model": model, **fields})
    folder = Path(out) if out is not None else default_folder(question.config)
    outcome = run_resolved(question, folder, choose_progress() if progress else NoProgress())
    found = find_reply_warnings(folder, {one.label for one in question.strategies if one.strategy.dialect})
    for warning in found:
        warnings.warn(f"run: {warning}", stacklevel=2)
    return Run(folder, outcome, tuple(found))


def table(runs: Runs, *, reference: str | None = None, by: str = "") -> pd.DataFrame:
    """Return the result table: one line a strategy, with the columns of ``bench table --format json``.

    ``reference``: the strategy that others are tested against, by default full-history where it was played.
    ``by="group"``: one more line for each task type. Raises: UsageError.
    """
    if by not in ("", "group"):
        raise unknown_name("table", "by", by, ("group",))
    items = read_runs(runs)
    if reference is None and _REFERENCE in set(items["strategy"]):
        reference = _REFERENCE
    made = table_report.build_table(
        items, reference=reference, selection=table_report.Selection(by_group=by == "group")
    )
    return pd.DataFrame(json.loads(table_report.render_table(made, "json")))


def compare(runs: Runs, a: str, b: str, metric: str = "success") -> tuple[Comparison, ...]:
    """Compare two strategies task by task: one record for each suite, split and model with tasks scored for both.

    Raises: UsageError for an unknown strategy or metric.
    """
    return compare_report.compare(read_runs(runs), a, b, metric)


def frontier(runs: Runs, *, x: str = "tokens", y: str = "success") -> pd.DataFrame:
    """Return the frontier of cost ``x`` against value ``y``: one line a strategy, with intervals, and ``on_frontier``.

    Raises: UsageError for an unknown metric.
    """
    found = frontier_report.find_frontiers(read_runs(runs), x=x, y=y)
    blocks = json.loads(render_frontier(found, "json"))
    return pd.DataFrame([{"block": block["title"], **spot} for block in blocks for spot in block["spots"]])


def ask(suites: str | Sequence[str], strategies: str | Sequence[str], fields: Mapping[str, object]) -> ResolvedRun:
    """Return the question of a run with its names resolved. Raises: UsageError."""
    return resolve_run(
        validate({"suites": _read_names(suites), "strategies": _read_names(strategies), **fields}, "run")
    )


def _read_names(names: str | Sequence[str]) -> list[str]:
    return split_names(names) if isinstance(names, str) else [one for text in names for one in split_names(text)]


def read_runs(runs: Runs) -> pd.DataFrame:
    """Return the scored items of runs. Raises: StoreError."""
    given = [runs] if isinstance(runs, Run | Path | str) else list(runs)
    return read_items([one.folder if isinstance(one, Run) else Path(one) for one in given])
