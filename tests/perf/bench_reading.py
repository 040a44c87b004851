"""Benchmark, not a test: how long tables, exports and single trials of a large run take, as ratios measured in one run.

Three run folders are made through the store's own API, of trials that were really played, repeated under other names:
conversations with 100,000 questions, 1,000 episodes of 100 steps, and 100,000 episodes of one step. The unit is the
time of reading all tables of the folder plainly: ``SELECT *``, every row fetched, nothing made of it. Times are CPU
times of this process, the best of some rounds, so that a busy machine does not decide.
Goals: a table of 100,000 items in less than 5 s, one trial shown in less than 1 s, on idle cores.
Run: ``python -m tests.perf.bench_reading [--items 100000] [--folder DIR]`` (DIR is made once and then used again).
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from time import process_time

from bench.cli.export import export_command
from bench.cli.show import show_command
from bench.cli.table import TableOptions, format_table
from bench.config import RunConfig
from bench.report.items import prepare
from bench.runner.batch import run
from bench.store.database import DATABASE, Plan, Store
from bench.store.dataframe import read_items
from bench.store.read import read_trials
from bench.types import Item, Shape, Step, Task, Trial

STRATEGIES = ("full-history", "window", "bm25", "truncation", "embedding")
QUESTIONS, STEPS, LONG = 100, 100, 1_000
ROUNDS = 3


def main(items: int, folder: Path) -> None:
    """Make what is missing, measure, print."""
    makers = {
        "questions of conversations": lambda: _long_talks(folder, items // QUESTIONS),
        "long episodes": lambda: _episodes(folder, LONG, STEPS),
        "short episodes": lambda: _episodes(folder, items, 1),
    }
    for name, make in makers.items():
        where = folder / name.replace(" ", "-")
        if not (where / DATABASE).exists():
            _record(where, make())
        _report(name, where)


def _report(name: str, folder: Path) -> None:
    plain_s = _time(lambda: _read_plainly(folder))
    frame = read_items([folder])
    trial = f"{frame['strategy'].iloc[-1]}@{frame['task'].iloc[-1]}"
    print(f"{len(frame):,} items ({name}), {_count_steps(folder):,} steps; plain read {plain_s:.2f} s CPU")
    tasks: dict[str, Callable[[], object]] = {
        "data frame": lambda: read_items([folder]),
        "prepared items": lambda: prepare(frame),
        "table": lambda: format_table([folder], TableOptions("md")),
        "show one trial": lambda: show_command(folder, trial),
        "list of trials": lambda: show_command(folder, None),
        "export as CSV": lambda: export_command([folder], "csv", (), None, timing=False),
    }
    for task, do in tasks.items():
        spent_s = _time(do)
        print(f"  {task:<16} {spent_s:7.2f} s {spent_s / plain_s:7.2f} x plain")


def _time(do: Callable[[], object]) -> float:
    def once() -> float:
        began = process_time()
        with contextlib.redirect_stdout(io.StringIO()):
            do()
        return process_time() - began

    return min(once() for _ in range(ROUNDS))


def _read_plainly(folder: Path) -> int:
    with contextlib.closing(sqlite3.connect(folder / DATABASE)) as db:
        names = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return sum(len(db.execute(f"SELECT * FROM {name}").fetchall()) for name in names)


def _count_steps(folder: Path) -> int:
    with contextlib.closing(sqlite3.connect(folder / DATABASE)) as db:
        return int(db.execute("SELECT COUNT(*) FROM steps").fetchone()[0])


def _long_talks(folder: Path, count: int) -> Iterator[Trial]:
    """Yield conversations of 100 questions: those of a played one, again and again, each with its steps and calls."""
    for trial, number in _repeat(_play(folder, "toy-talk", Shape.CONVERSATION), count):
        rounds = [number * QUESTIONS + index for index in range(QUESTIONS)]
        items = tuple(_rename(trial.items[i % len(trial.items)], f"q{i:06}") for i in rounds)
        steps = tuple(_renumber(trial.steps[i % len(trial.steps)], at) for at, i in enumerate(rounds, start=1))
        yield replace(trial, key=replace(trial.key, task=f"talk-{number:05}"), items=items, steps=steps)


def _episodes(folder: Path, count: int, steps: int) -> Iterator[Trial]:
    """Yield episodes of so many steps: those of a played one, again and again."""
    for trial, number in _repeat(_play(folder, "toy", Shape.EPISODE), count):
        taken = tuple(_renumber(trial.steps[at % len(trial.steps)], at + 1) for at in range(steps))
        name = f"house-{number:05}"
        calls = trial.calls if steps > 1 else ()
        items = (_rename(trial.items[0], name),)
        yield replace(trial, key=replace(trial.key, task=name), items=items, steps=taken, calls=calls)


def _play(folder: Path, suite: str, shape: Shape) -> list[list[Trial]]:
    """Return the trials of each strategy in a run that is really played."""
    played = folder / f"played-{suite}"
    if not (played / DATABASE).exists():
        judge = "offline/reader" if shape is Shape.CONVERSATION else ""
        run(RunConfig(suites=(suite,), strategies=STRATEGIES, workers=1, judge=judge), played)
    trials = [trial for trial in read_trials(played, shape) if trial.key.attempt]
    return [[trial for trial in trials if trial.key.strategy == name] for name in STRATEGIES]


def _repeat(trials: list[list[Trial]], count: int) -> Iterator[tuple[Trial, int]]:
    """Yield ``count`` trials, strategy by strategy, each with the number of its task."""
    for number in range(count):
        own = trials[number % len(trials)]
        yield own[number // len(trials) % len(own)], number // len(trials)


def _rename(item: Item, name: str) -> Item:
    return replace(item, id=name)


def _renumber(step: Step, index: int) -> Step:
    return replace(step, index=index)


def _record(folder: Path, trials: Iterator[Trial]) -> None:
    with Store(folder) as store:
        while some := list(islice(trials, 1000)):
            store.plan([Plan(trial.key, _describe(trial)) for trial in some])
            for trial in some:
                for index, call in enumerate(trial.calls):
                    store.commit_call(trial.key, replace(call, index=index))
                store.finish(trial)


def _describe(trial: Trial) -> Task:
    first = trial.items[0]
    return Task(trial.key.task, trial.key.suite, trial.key.split, first.group, first.cluster)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="What reading a large run takes.")
    parser.add_argument("--items", type=int, default=100_000, help="questions in the conversations")
    parser.add_argument("--folder", type=Path, help="where the run folders are made, and kept")
    chosen = parser.parse_args()
    if chosen.folder:
        main(chosen.items, chosen.folder)
    else:
        with tempfile.TemporaryDirectory() as made:
            main(chosen.items, Path(made))
