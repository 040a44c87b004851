"""What ``bench reproduce --dry-run`` prints: the runs as commands, what they would take, what can be compared."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bench.cli.console import width
from bench.cli.forecast import find_prices, render_forecast
from bench.cli.reproduce import ReproduceOptions
from bench.data.root import data_root
from bench.errors import DataError, UsageError
from bench.models.options import is_offline
from bench.papers.comparing import count_by_reason
from bench.papers.matching import Line
from bench.papers.planning import PlannedRun, write_command
from bench.papers.recipe import Recipe
from bench.report.formats import round_all
from bench.runner.forecast import Forecast, from_offline
from bench.runner.resolve import resolve_run
from bench.store.printing import escape_json, make_line, say

__all__ = ["PLAN_FORMATS", "write_plan"]

PLAN_FORMATS = ("rich", "md", "json")


@dataclass(frozen=True, slots=True)
class _Outlook:
    """The forecast of all runs together, as far as there is one, and why there is none of the others."""

    forecast: Forecast | None
    missing: Mapping[str, str]


def write_plan(
    name: str,
    recipe: Recipe,
    plans: Sequence[tuple[PlannedRun, Path]],
    lines: Sequence[Line],
    options: ReproduceOptions,
) -> str:
    """Return the plan as text: rich, md or json. Plays a few tasks offline to forecast; writes nothing.

    Raises: UsageError for what the runs would refuse; missing data is said in the place of a forecast.
    """
    commands = {plan.name: write_command(plan, folder) for plan, folder in plans}
    outlook = _look_ahead([plan for plan, _ in plans], options.pilot)
    remarks = [make_line(text) for text in _write_remarks(recipe, plans, lines, outlook)]
    if options.style == "json":
        return _to_json(name, recipe, commands, outlook, remarks)
    is_md = options.style == "md"
    shown = "\n".join(map(make_line, commands.values()))
    parts = [
        f"{'# ' * is_md}{name}: {make_line(recipe.title)}\n",
        f"```console\n{shown}\n```\n" if is_md else f"{shown}\n",
    ]
    if outlook.forecast is not None:
        parts.append(render_forecast(outlook.forecast, options.style, width=width(), color=sys.stdout.isatty()))
    parts.append("\n".join(f"{'- ' if is_md else '  '}{text}" for text in remarks) + "\n")
    return "\n".join(parts)


def _to_json(name: str, recipe: Recipe, commands: Mapping[str, str], outlook: _Outlook, remarks: Sequence[str]) -> str:
    runs = [
        {"run": run, "command": command, "why_no_forecast": outlook.missing.get(run)}
        for run, command in commands.items()
    ]
    lines = [round_all(asdict(line)) for line in outlook.forecast.lines] if outlook.forecast else []
    record = {"name": name, "title": recipe.title, "runs": runs, "forecast": lines, "notes": list(remarks)}
    return escape_json(json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False)) + "\n"


def _look_ahead(plans: Sequence[PlannedRun], tasks: int) -> _Outlook:
    found: dict[str, Forecast] = {}
    missing: dict[str, str] = {}
    for plan in plans:
        if plan.artifacts_of and not Path(plan.config.artifacts[0]).is_dir():
            missing[plan.name] = f"it evaluates what run {plan.artifacts_of} learns"
            continue
        question = resolve_run(plan.config)
        say(f"reproduce: forecast of {plan.name}, from {tasks} tasks of each suite played offline")
        try:
            found[plan.name] = from_offline(question.config, data_root(), tasks, find_prices(question))
        except UsageError as error:
            if not isinstance(error.__cause__, DataError):
                raise
            missing[plan.name] = str(error)
    return _Outlook(_join(found, plans), missing)


def _join(found: Mapping[str, Forecast], plans: Sequence[PlannedRun]) -> Forecast | None:
    """Return one forecast of all runs; a run that only learns has no line for an evaluation."""
    if not found:
        return None
    only_learn = {plan.name for plan in plans if plan.only_learns}
    several = {plan.name for plan in plans if len(plan.config.suites) > 1}
    first = next(iter(found.values()))
    lines = tuple(
        replace(line, suite=f"{name}: {line.suite}" if name in several else name)
        for name, one in found.items()
        for line in one.lines
        if not (name in only_learn and line.phase == "evaluate")
    )
    notes = tuple(dict.fromkeys(note for one in found.values() for note in one.notes))
    return Forecast(first.model, first.basis, lines, notes)


def _write_remarks(
    recipe: Recipe, plans: Sequence[tuple[PlannedRun, Path]], lines: Sequence[Line], outlook: _Outlook
) -> list[str]:
    published = [line for line in lines if line.published is not None]
    ours = sum(line.cell is not None for line in published)
    remarks = [
        f"{len(published)} published numbers, {ours} of them measured by these runs; "
        f"{len(lines) - len(published)} measured numbers that the paper does not print",
        *(f"not measured ({count}): {why}" for why, count in count_by_reason(lines).items()),
        *(f"no forecast of {run}: {why}" for run, why in outlook.missing.items()),
    ]
    config = plans[0][0].config if plans else None
    if config is not None and is_offline(config.model):
        paper = f"; the paper's model is {recipe.model}" if recipe.model else ""
        remarks.append(f"without -m the offline player plays: it is made of rules, and costs nothing{paper}")
    if recipe.judges and not any(plan.config.judge for plan, _ in plans):
        remarks.append(f"some numbers need a judge: add --judge (the paper's is {recipe.judge or 'not stated'})")
    remarks += [f"not here: {one}" for one in recipe.absent]
    return [*remarks, *(f"differs: {one}" for one in recipe.differences)]
