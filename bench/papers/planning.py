"""The runs that a recipe asks for: their questions, what of them the user changed, and commands that say the same."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.config import RunConfig, difference
from bench.errors import unknown_name
from bench.models.options import is_offline
from bench.papers.recipe import Recipe, RunEntry
from bench.registry import OFFLINE_READER, resolve_strategy, resolve_suite
from bench.types import Shape

__all__ = ["PlannedRun", "plan_runs", "write_command"]

_ABOUT_MODELS = ("model:", "judge:", "base_url:", "endpoint:", "judge_endpoint:", "embedder:", "strategies:")
"""Changes of these are no change of protocol: the recipe leaves them to the user, or they are said elsewhere."""
_FLAGS = {"artifacts": "--artifact", "model": "-m"}


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One run of a recipe as it will be played."""

    name: str
    config: RunConfig
    changes: tuple[str, ...] = ()
    """What the user changed of the protocol, ``steps: 30 -> 50``."""
    artifacts_of: str = ""
    """The earlier run whose artifacts it evaluates."""

    foreign: bool = False
    """They were learned on another suite."""
    only_learns: bool = False

    @property
    def learners(self) -> tuple[str, ...]:
        """The strategies that need something learned before."""
        return tuple(label for label in self.config.strategies if resolve_strategy(label).strategy.learn)


def plan_runs(recipe: Recipe, given: Mapping[str, Any]) -> tuple[PlannedRun, ...]:
    """Return the runs of a recipe with what the user gave in the place of its own.

    ``given``: fields of a RunConfig; ``strategies`` among them choose rows of the recipe. Raises: UsageError.
    """
    chosen = _choose_strategies(recipe, given.get("strategies", ()))
    plans = []
    for run in recipe.runs:
        strategies = [label for label in run.configure().strategies if not chosen or label in chosen]
        if strategies:
            plans.append(_plan(recipe, run, {**given, "strategies": strategies}))
    return tuple(plans)


def _choose_strategies(recipe: Recipe, names: Sequence[str]) -> set[str]:
    known = {label for run in recipe.runs for label in run.configure().strategies}
    for name in names:
        if name not in known:
            raise unknown_name("reproduce", "a strategy of the recipe", name, known)
    return set(names)


def _plan(recipe: Recipe, run: RunEntry, given: dict[str, Any]) -> PlannedRun:
    base = run.configure()
    if "learn" in given:
        learn = run.fields.get("learn")
        given = {**given, "learn": {**learn, **given["learn"]} if learn else None}
    talks = any(resolve_suite(label).spec.shape is Shape.CONVERSATION for label in base.suites)
    if not talks:
        given.pop("judge", None)
        given.pop("judge_endpoint", None)
    elif recipe.judges and "judge" not in given and is_offline(given.get("model", OFFLINE_READER)):
        given["judge"] = OFFLINE_READER
    config = run.configure(given)
    changes = [line for line in _list_changes(base, config) if not line.startswith(_ABOUT_MODELS)]
    plan = PlannedRun(run.name, config, tuple(changes), only_learns=run.only_learns)
    if not run.artifacts_of or not plan.learners or config.artifacts:
        return plan
    other = next(one for one in recipe.runs if one.name == run.artifacts_of).configure()
    return replace(plan, artifacts_of=run.artifacts_of, foreign=_strip(other.suites) != _strip(config.suites))


def _list_changes(base: RunConfig, config: RunConfig) -> list[str]:
    """Return one line for each field that differs, those of the learning stage one by one."""
    if base.learn is None or config.learn is None:
        return difference(base, config)
    was, now = base.learn.model_dump(), config.learn.model_dump()
    learning = [f"learn {name}: {was[name]!r} -> {now[name]!r}" for name in was if was[name] != now[name]]
    return difference(base, config.model_copy(update={"learn": base.learn})) + learning


def _strip(suites: Sequence[str]) -> set[str]:
    """Return the names of suites without parameters."""
    return {label.partition(":")[0] for label in suites}


def write_command(plan: PlannedRun, folder: Path) -> str:
    """Return the ``bench run``, or ``bench learn``, that asks the question of a run, as a user would type it."""
    config = plan.config
    labels = ",".join(resolve_strategy(one).label for one in config.strategies)
    words = ["bench", "learn" if plan.only_learns else "run", *config.suites, "-s", labels]
    for name, value in config.model_dump(exclude={"suites", "strategies", "learn"}, exclude_defaults=True).items():
        words += _write_option(name, value)
    if config.learn is not None:
        words += [] if config.learn.split else ["--learn-policy", config.learn.policy]
        for name, value in config.learn.model_dump(exclude={"policy"}, exclude_defaults=True).items():
            words += _write_option(f"learn_{name}", value)
    return shlex.join([*words, "-o", str(folder)])


def _write_option(name: str, value: object) -> list[str]:
    flag = _FLAGS.get(name, f"--{name.replace('_', '-')}")
    if value is True:
        return [flag]
    if name == "artifacts":
        return [word for one in value for word in (flag, str(one))]  # type: ignore[attr-defined]
    if isinstance(value, tuple):
        return [flag, ",".join(map(str, value))]
    return [flag, "provider" if value is None else str(value)]
