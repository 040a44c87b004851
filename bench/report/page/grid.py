"""The grid of tasks and strategies, and the list of trials behind its cells. A cell is the mean over repeats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from bench.report.aggregate import TASK
from bench.report.items import Block
from bench.report.page.trials import name_trial
from bench.report.row_names import name_rows
from bench.scoring.metric_names import list_metrics
from bench.store.printing import make_line
from bench.types import TrialKey

__all__ = ["Trials", "describe_grid"]

Record = dict[str, Any]
_KEY = [*TrialKey.__slots__]


class Trials:
    """Every planned trial of some runs, numbered, with the name that its row has in the tables."""

    def __init__(self, frame: pd.DataFrame):
        named = frame.assign(row=name_rows(frame)["strategy"])
        steps = named["steps"] if "steps" in named else pd.Series(float("nan"), index=named.index)
        first = named.assign(steps=steps).drop_duplicates(["run", *_KEY])
        self.records: list[list[Any]] = []
        """Of each trial: id, strategy, task, seed, attempt, status, end, steps, run."""
        self._numbers: dict[tuple[str, ...], list[int]] = {}
        for one in first.to_dict("records"):
            key = TrialKey(*(one[name] for name in _KEY))
            place = tuple(make_line(str(one[name])) for name in ("suite", "split", "model", "row", "task"))
            self._numbers.setdefault(place, []).append(len(self.records))
            steps_taken = int(one["steps"]) if one["steps"] == one["steps"] else None
            ended = [one["status"], one["end"] or "", steps_taken, one["run"]]
            self.records.append([name_trial(str(one["run"]), key), *place[3:], key.seed, key.attempt, *ended])

    def of(self, *place: str) -> list[int]:
        """Return the numbers of the trials of a suite, split, model, strategy and task."""
        return self._numbers.get(place, [])


def describe_grid(block: Block, trials: Trials) -> Record:
    """Return the tasks of a block by group, its strategies, the scores of each cell by metric, and its trials."""
    items = block.items
    tasks = items.drop_duplicates(TASK)[[*TASK, "group"]].sort_values(["group", *TASK], kind="stable")
    places = _number_questions(items)
    rows = [(str(task), str(item), str(group)) for task, item, group in tasks.itertuples(index=False)]
    shown = [metric.name for metric in list_metrics() if metric.brief and metric.is_share and metric.name in items]
    scores = {name: _pivot(items, name, rows, block.strategies) for name in shown}
    cells: dict[str, list[list[int]]] = {
        task: [trials.of(block.suite, block.split, block.model, strategy, task) for strategy in block.strategies]
        for task in dict.fromkeys(task for task, _, _ in rows)
    }
    return {
        "title": block.name,
        "strategies": block.strategies,
        "tasks": [[task, item, group, places.get((task, item), 0)] for task, item, group in rows],
        "scores": {name: found for name, found in scores.items() if any(any(v is not None for v in r) for r in found)},
        "cells": cells,
    }


def _number_questions(items: pd.DataFrame) -> dict[tuple[str, str], int]:
    """Return the step of each question: they are asked in the order of their names."""
    several = items[items["item"] != items["task"]].drop_duplicates(TASK)[TASK]
    found: dict[tuple[str, str], int] = {}
    for task, part in several.groupby("task", sort=True):
        found |= {(str(task), str(item)): place for place, item in enumerate(sorted(part["item"]), start=1)}
    return found


def _pivot(
    items: pd.DataFrame, metric: str, rows: Sequence[tuple[str, str, str]], strategies: Sequence[str]
) -> list[list[float | None]]:
    scored = items[items["scored"]]
    means = scored.assign(value=scored[metric].astype(float)).groupby([*TASK, "strategy"])["value"].mean().dropna()
    known = dict(zip(map(tuple, means.index), map(float, means), strict=True))
    return [[known.get((task, item, name)) for name in strategies] for task, item, _ in rows]
