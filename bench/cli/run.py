"""``bench run``: read what to run (the question), run it, print the table."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from bench.cli.options import RunOptions
from bench.cli.table import format_table
from bench.config import RUN_FILE, RunConfig, read_config, validate
from bench.errors import UsageError
from bench.models.options import is_offline
from bench.registry import split_names
from bench.runner.batch import Outcome, run_resolved
from bench.runner.progress import HeadedProgress, choose_progress
from bench.runner.reply_warnings import find_reply_warnings
from bench.runner.resolve import ResolvedRun, default_folder, resolve_run
from bench.runner.splits import TWO_SPLITS
from bench.runner.trial_errors import describe_errors, has_only_strategy_errors
from bench.store.database import DATABASE
from bench.store.printing import say

__all__ = [
    "choose_folder",
    "describe_sampling",
    "read_learning_question",
    "read_options",
    "read_question",
    "report_errors",
    "run_command",
]

_LEARN = "learn_"
_DEFAULT_POLICY = "grouped-by-spec"
_DEFAULT_STRATEGIES = ("no-memory", "full-history", "window")


def read_question(targets: Sequence[str], options: RunOptions) -> ResolvedRun:
    """Return what a command asks to run, with names resolved: suites, a run.toml, or a run folder to go on with.

    Raises: UsageError.
    """
    if not targets:
        raise UsageError("run: expected a suite, a run.toml or a run folder, got nothing; see `bench list suites`")
    given, first = read_options(options), Path(targets[0])
    if _is_written(first):
        if len(targets) > 1:
            what = "a run folder" if _is_run(first) else "a run file"
            raise UsageError(f"run: expected {what} alone, got more than {first}; run them one by one")
        path = first / RUN_FILE if _is_run(first) else first
        recorded = read_config(path).model_dump()
        if "learn" in given and recorded["learn"]:
            given["learn"] = {**recorded["learn"], **given["learn"]}
        return resolve_run(validate({**recorded, **given}, "run"))
    suites = [name for text in targets for name in split_names(text)]
    return resolve_run(validate({"suites": suites, "strategies": _DEFAULT_STRATEGIES, **given}, "run"))


def read_learning_question(targets: Sequence[str], options: RunOptions) -> ResolvedRun:
    """Return what a command asks to learn: as ``read_question``, from half of the tasks if nothing else is said."""
    said = options.learn_policy is not None or options.learn_split is not None
    if targets and not said and not _is_written(Path(targets[0])):
        options = replace(options, learn_policy=_DEFAULT_POLICY)
    return read_question(targets, options)


def _is_written(path: Path) -> bool:
    """True for a run.toml or a run folder: the question stands there."""
    return _is_run(path) or path.suffix == ".toml"


def _is_run(path: Path) -> bool:
    with suppress(OSError, ValueError):  # a name that no file can have
        return (path / DATABASE).exists() or (path / RUN_FILE).exists()
    return False


def read_options(options: RunOptions) -> dict[str, Any]:
    """Return the fields of a RunConfig that were given."""
    given = {name: value for name, value in asdict(options).items() if value is not None}
    if learn := {name.removeprefix(_LEARN): given.pop(name) for name in list(given) if name.startswith(_LEARN)}:
        given["learn"] = _read_learning(learn)
    if options.strategies:
        given["strategies"] = [name for text in options.strategies for name in split_names(text)]
    if options.seeds is not None:
        given["seeds"] = _read_seeds(options.seeds)
    return given


def _read_learning(given: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the learning stage; a split to learn from says which policy it is."""
    if given.get("split"):
        given.setdefault("policy", TWO_SPLITS)
    if "collectors" in given:
        given["collectors"] = split_names(given["collectors"])
    return given


def _read_seeds(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(piece) for piece in text.split(",") if piece.strip())
    except ValueError:
        raise UsageError(f"--seeds: expected whole numbers with commas, got {text!r}; write 0,1,2") from None


def run_command(targets: Sequence[str], options: RunOptions, out: Path | None) -> int:
    """Run and print the table to stdout. Returns the exit code: 0 all scored; 1 some unscored, or all failed.

    Raises: UsageError, StoreError, BudgetStop, EndpointStop, Interrupted.
    """
    question = read_question(targets, options)
    folder = choose_folder(Path(targets[0]), question.config, out)
    outcome = run_resolved(question, folder, HeadedProgress(describe_sampling(question), choose_progress()))
    print(format_table([folder]), end="")
    say(f"run: recorded in {folder}")
    for warning in find_reply_warnings(folder, {one.label for one in question.strategies if one.strategy.dialect}):
        say(f"run: {warning}")
    return report_errors("run", [outcome])


def report_errors(who: str, outcomes: Sequence[Outcome]) -> int:
    """Print what went wrong in the trials of runs to stderr. Returns the exit code."""
    failed = False
    for folder in (outcome.folder for outcome in outcomes):
        for line in describe_errors(folder):
            say(f"{who}: {line}")
        if has_only_strategy_errors(folder):
            say(f"{who}: every trial in {folder} ended in a strategy-error: no score is one of a memory")
            failed = True
    if unscored := sum(outcome.unscored for outcome in outcomes):
        say(f"{who}: {unscored} trials unscored; the same command retries them")
    return int(failed or unscored > 0)


def describe_sampling(question: ResolvedRun) -> list[str]:
    """Return how the models are sampled, a line each; the offline model is not."""
    others = [(f"model of {_list_roles(question, name)}", one) for name, one in question.role_models.items()]
    choices = (("model", question.model), *others, ("judge", question.judge))
    return [
        f"run: {who} {choice.name}: {choice.options.describe_sampling()}"
        for who, choice in choices
        if choice is not None and not is_offline(choice.name)
    ]


def _list_roles(question: ResolvedRun, model: str) -> str:
    """Return the roles that strategies name a model for: ``roles extract, update``."""
    found = [role for one in question.strategies for role, name in one.params.role_models.items() if name == model]
    return f"role{'s' * (len(set(found)) > 1)} {', '.join(sorted(set(found)))}"


def choose_folder(first: Path, config: RunConfig, out: Path | None) -> Path:
    if not _is_run(first):
        return out or default_folder(config)
    if out is not None:
        raise UsageError(f"run: expected a run folder alone, got -o {out} as well; a resumed run keeps its folder")
    return first
