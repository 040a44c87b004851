"""What ``bench reproduce`` does: a recipe, its runs as far as they are missing, the comparison; or the plan alone."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from bench.cli.console import width
from bench.cli.options import RunOptions
from bench.cli.reproduce import ReproduceOptions
from bench.cli.reproduce_plan import PLAN_FORMATS, write_plan
from bench.cli.run import describe_sampling, read_options, report_errors
from bench.config import RunConfig
from bench.errors import DataError, UsageError, unknown_name
from bench.models.cache.cassette import read_cassette
from bench.models.cache.store import CACHE_VARIABLE, ReplyCache
from bench.papers.catalog import find_recipe, list_recipes, load_numbers
from bench.papers.comparing import FORMATS, Comparison, compare_lines, render
from bench.papers.matching import count_other_models, match
from bench.papers.measuring import RunItems
from bench.papers.notes import write_notes
from bench.papers.planning import PlannedRun, plan_runs
from bench.papers.recipe_file import read_recipe
from bench.runner.batch import Outcome, learn_resolved, run_resolved
from bench.runner.budget import leave_rest, sum_others
from bench.runner.evaluating import ARTIFACTS
from bench.runner.progress import HeadedProgress, choose_progress
from bench.runner.resolve import default_folder, resolve_run
from bench.store.database import DATABASE, Spending
from bench.store.dataframe import read_items
from bench.store.printing import say

__all__ = ["reproduce_command"]

_REPLAYED = "-cassette"


def reproduce_command(target: str, run: RunOptions, options: ReproduceOptions, out: Path | None) -> int:
    """Run what is missing and print the comparison; with ``dry_run`` print what would be run. Returns the exit code.

    Raises: UsageError, StoreError, BudgetStop, EndpointStop, Interrupted.
    """
    formats = PLAN_FORMATS if options.dry_run else FORMATS
    if options.style not in formats:
        raise unknown_name("reproduce", "a format", options.style, formats)
    path = find_recipe(target)
    recipe = read_recipe(path)
    numbers = load_numbers(recipe, path)
    lines, left_out = match(recipe, numbers), count_other_models(recipe, numbers)
    name = next((name for name, known in list_recipes().items() if known == path), path.stem)
    given = read_options(run)
    if options.cassette is not None:
        _require_model(given.get("model"), options.cassette)
        given["cache"] = "read"
    plans = plan_runs(recipe, given)
    folders = _choose_folders(plans, out, options)
    plans = tuple(_hand_on(plan, folders) for plan in plans)
    if options.dry_run:
        print(write_plan(name, recipe, [(plan, folders[plan.name]) for plan in plans], lines, options), end="")
        return 0
    with _replaying(options.cassette):
        outcomes, skipped = _play(plans, folders)
    items = RunItems({name: read_items([one.folder]) for name, one in outcomes.items()}, skipped)
    found = compare_lines(lines, items)
    notes = write_notes(recipe, plans, found, left_out)
    comparison = Comparison(name, recipe.title, found, notes.texts, notes.offline)
    print(render(comparison, options.style, width=width(), color=sys.stdout.isatty()), end="")
    say(f"reproduce: recorded in {', '.join(str(one.folder) for one in outcomes.values())}")
    return report_errors("reproduce", list(outcomes.values()))


def _choose_folders(plans: Sequence[PlannedRun], out: Path | None, options: ReproduceOptions) -> dict[str, Path]:
    """Return the folder of each run: that of ``bench run`` for the same question, so that tables share it."""
    if out is not None:
        return {plan.name: out / plan.name for plan in plans}
    folders: dict[str, Path] = {}
    for plan in plans:
        if plan.artifacts_of:  # its question names a folder of the other run
            other = folders[plan.artifacts_of]
            folders[plan.name] = other.with_name(f"{other.name}-{plan.name}")
        else:
            folders[plan.name] = default_folder(resolve_run(plan.config).config)
            # A replay beside the run that it replays: else nothing would be replayed.
            tail = _REPLAYED if options.cassette else ""
            folders[plan.name] = folders[plan.name].with_name(f"{folders[plan.name].name}{tail}")
    return folders


def _hand_on(plan: PlannedRun, folders: Mapping[str, Path]) -> PlannedRun:
    """Return a run with the artifacts of the run that it takes them from, which are there when that was played."""
    if not plan.artifacts_of:
        return plan
    given = {"artifacts": (str(folders[plan.artifacts_of] / ARTIFACTS),), "allow_foreign": plan.foreign}
    return replace(plan, config=plan.config.model_copy(update=given))


def _require_model(model: str | None, cassette: Path) -> None:
    """Raises: UsageError if nobody said whose replies are to be replayed."""
    if model is None:
        names = sorted({entry.key.request.model for entry in read_cassette(cassette)})
        raise UsageError(
            f"reproduce: expected -m beside --cassette, with the model as it was recorded, got none; {cassette} holds "
            f"replies of {', '.join(names) or 'none'}"
        )


@contextmanager
def _replaying(cassette: Path | None) -> Iterator[None]:
    """Let the cache hold what a cassette holds and nothing else. Raises: UsageError for a damaged one."""
    if cassette is None:
        yield
        return
    before = os.environ.get(CACHE_VARIABLE)
    with tempfile.TemporaryDirectory(prefix="memfrontier-") as folder:
        replies = ReplyCache(Path(folder) / "replies.sqlite", writable=True)
        try:
            replies.add(read_cassette(cassette))
        finally:
            replies.close()
        os.environ[CACHE_VARIABLE] = folder
        try:
            yield
        finally:
            os.environ.pop(CACHE_VARIABLE)
            if before is not None:
                os.environ[CACHE_VARIABLE] = before


def _share_limits(plan: PlannedRun, folders: Mapping[str, Path]) -> RunConfig:
    """Return the question of a run with what the other runs have left of the limits on money and tokens."""
    here = folders[plan.name]
    others = {folder for folder in folders.values() if folder != here and (folder / DATABASE).exists()}
    spent = sum((sum_others(folder, here) for folder in sorted(others)), Spending())
    return leave_rest(plan.config, spent)


def _play(plans: Sequence[PlannedRun], folders: Mapping[str, Path]) -> tuple[dict[str, Outcome], dict[str, str]]:
    """Play what is missing of the runs; return how each ended, and why those were not played whose data is missing.

    Raises: UsageError if none could be played, and whatever else a run raises.
    """
    outcomes: dict[str, Outcome] = {}
    skipped: dict[str, str] = {}
    first: UsageError | None = None
    for plan in plans:
        if plan.artifacts_of in skipped:
            skipped[plan.name] = f"needs what run {plan.artifacts_of} learns: {skipped[plan.artifacts_of]}"
            continue
        question = resolve_run(_share_limits(plan, folders))
        say(f"reproduce: run {plan.name}: {', '.join(question.config.suites)}")
        try:
            progress = HeadedProgress(describe_sampling(question), choose_progress())
            if plan.only_learns:
                learn_resolved(question, folders[plan.name], progress)
            else:
                outcomes[plan.name] = run_resolved(question, folders[plan.name], progress)
        except UsageError as error:
            if not isinstance(error.__cause__, DataError):
                raise
            first = first or error
            skipped[plan.name] = str(error)
            say(f"reproduce: {plan.name} left out: {error}")
    if first is not None and not outcomes:
        raise first
    return outcomes, skipped
