"""``bench run``: put the question together, answer it, show the table."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from bench.cli.table import format_table
from bench.config import FREE_FIELDS, RUN_FILE, RunConfig, checked, read_config
from bench.errors import UsageError
from bench.registry import resolve_strategy, resolve_suite, split_names
from bench.runner.batch import Outcome, run
from bench.runner.progress import progress_for
from bench.store.database import DATABASE

__all__ = ["RunOptions", "question", "run_command"]

_RUNS = Path("runs")
_DEFAULT_STRATEGIES = "no-memory,full-history,window"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The flags of ``bench run`` as given; None = not given."""

    strategies: Sequence[str] = ()
    model: str | None = None
    judge: str | None = None
    base_url: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    model_seed: int | None = None
    allow_unsupported: bool | None = None
    endpoint: str | None = None
    cache: str | None = None
    embedder: str | None = None
    split: str | None = None
    limit: int | None = None
    seeds: str | None = None
    steps: int | None = None
    budget_tokens: int | None = None
    task_wall_s: float | None = None
    workers: int | None = None
    max_usd: float | None = None
    max_tokens: int | None = None

    def overrides(self) -> dict[str, object]:
        """Return the fields of a RunConfig that were given; the flags carry the same names."""
        names = [name for text in self.strategies for name in split_names(text)]
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        given["strategies"] = tuple(resolve_strategy(name).label for name in names) or None
        given["seeds"] = None if self.seeds is None else _seeds(self.seeds)
        return {name: value for name, value in given.items() if value is not None}


def _seeds(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(piece) for piece in text.split(",") if piece.strip())
    except ValueError:
        raise UsageError(f"--seeds: expected whole numbers with commas, got {text!r}; write 0,1,2") from None


@dataclass(frozen=True, slots=True)
class Question:
    """What to run and where the record goes."""

    config: RunConfig
    folder: Path


def question(targets: Sequence[str], options: RunOptions, out: Path | None) -> Question:
    """Turn the words of the command into a question: suites with flags, a run.toml, or a run folder to go on with.

    Raises: UsageError.
    """
    if not targets:
        raise UsageError("run: expected a suite, a run.toml or a run folder, got nothing; see `bench list suites`")
    first = Path(targets[0])
    if (first / DATABASE).exists() or (first / RUN_FILE).exists():
        return _resumed(targets, options, out, first)
    if first.suffix == ".toml":
        if len(targets) > 1:
            raise UsageError(f"run: expected one run file, got {len(targets)} names; run them one by one")
        config = _overridden(read_config(first), options)
    else:
        given = options.overrides()
        if "strategies" not in given:
            given["strategies"] = tuple(split_names(_DEFAULT_STRATEGIES))
        labels = [resolve_suite(name).label for text in targets for name in split_names(text)]
        config = checked({"suites": tuple(dict.fromkeys(labels)), **given}, "run")
    _refuse_twice(config.strategies)
    return Question(config, out or _RUNS / _folder_name(config))


def _resumed(targets: Sequence[str], options: RunOptions, out: Path | None, folder: Path) -> Question:
    if len(targets) > 1 or out is not None:
        raise UsageError(f"run: expected a run folder alone, got more beside {folder}; a resumed run keeps its place")
    return Question(_overridden(read_config(folder / RUN_FILE), options), folder)


def _overridden(config: RunConfig, options: RunOptions) -> RunConfig:
    return checked({**config.model_dump(), **options.overrides()}, "run")


def _refuse_twice(labels: Sequence[str]) -> None:
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise UsageError(f"run: expected each strategy once, got {', '.join(twice)} twice; leave one out")


def _folder_name(config: RunConfig) -> str:
    """A name that the same question always gets, so that the same command goes on instead of starting again."""
    names = "-".join(sorted(label.partition(":")[0] for label in config.suites))
    asked = config.model_dump_json(exclude=set(FREE_FIELDS))
    return f"{names}-{hashlib.sha256(asked.encode()).hexdigest()[:8]}"


def run_command(targets: Sequence[str], options: RunOptions, out: Path | None) -> int:
    """Run and print the table to stdout. Returns the exit code: 0 all scored, 1 some unscored."""
    asked = question(targets, options, out)
    outcome: Outcome = run(asked.config, asked.folder, progress_for())
    print(format_table([asked.folder]), end="")
    print(f"run: recorded in {asked.folder}", file=sys.stderr)
    if outcome.unscored:
        print(f"run: {outcome.unscored} trials unscored; the same command retries them", file=sys.stderr)
        return 1
    return 0
