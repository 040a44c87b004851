"""ALFWorld as a suite: which tasks a split has, under which caps and switches, on which engine.

Source: ALFWorld, arXiv 2010.03768; games of release 0.4.2 (2.1.3) and of before December 2024. Deviations: tasks are
addressed by game file in sorted order; success is ``won``; the cap is the harness's own; progress is our own measure;
a split ``procedural`` needs no download. Presets give the step caps of published set-ups, not their prompts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from adapters.alfworld import normalise
from adapters.alfworld.data import DATA
from adapters.alfworld.engines import ENGINES, engines_named
from adapters.alfworld.environment import HouseholdEnvironment, Switches
from adapters.alfworld.games import EXPECTED, SUITE_NAME, TREES, GameSource, OfficialGames
from adapters.alfworld.grammar import Grammar
from adapters.alfworld.procedural import PROCEDURAL, GeneratedGames
from adapters.alfworld.world import Engines
from bench.protocols import Environment, Param, SuiteOptions, SuiteSpec
from bench.types import Fingerprint, Limits, Shape, Task

__all__ = ["PRESETS", "SUITE", "SUITE_VERSION", "AlfworldSuite", "build"]

SUITE_VERSION = "1"


@dataclass(frozen=True, slots=True)
class Preset:
    """When a published set-up ends an episode."""

    step_cap: int
    loop_cap: int = 0


PRESETS: Mapping[str, Preset] = {
    "default": Preset(50),
    "react": Preset(49),
    "agentboard": Preset(30),
    "h2r": Preset(30),
    "expel": Preset(20, loop_cap=2),
}


class AlfworldSuite:
    """The tasks of one split and the engines that play them."""

    def __init__(self, options: SuiteOptions, games: GameSource, engines: Engines):
        self._options, self._games, self._engines = options, games, engines

    @cached_property
    def _tasks(self) -> tuple[Task, ...]:
        return tuple(self._games.tasks())

    def tasks(self) -> Sequence[Task]:
        return self._tasks

    def open(self, task: Task) -> Environment:
        """Return a fresh environment on a worker of its own. Raises DataError if the task's game is not what it was."""
        game = self._games.read(task)
        params = self._options.params
        switches = Switches(normalise=params.flag("normalise"), fuzzy=params.flag("fuzzy"))
        return HouseholdEnvironment(task, game, self._engines.take(), switches)

    def limits(self) -> Limits:
        preset = PRESETS[self._options.params.text("preset")]
        return Limits(step_cap=self._options.step_cap or preset.step_cap, loop_cap=preset.loop_cap)

    def fingerprint(self) -> Fingerprint:
        params, limits = self._options.params, self.limits()
        digests = "\n".join(sorted(f"{task.id} {task.digest}" for task in self._tasks))
        on = params.flag("normalise")
        return Fingerprint.of(
            suite=f"{SUITE_NAME}.{SUITE_VERSION}",
            split=self._options.split,
            version=params.text("version"),
            engine=self._engines.name,
            # The fast engine needs neither package, so their versions must not tell its rows apart.
            packages="none" if self._engines.name == "fast" else _packages(),
            data=hashlib.sha256(digests.encode()).hexdigest(),
            step_cap=str(limits.step_cap),
            loop_cap=str(limits.loop_cap),
            normaliser=(normalise.VERSION if on else "off") + ("+fuzzy" if params.flag("fuzzy") else ""),
            preset=params.text("preset"),
        )

    def close(self) -> None:
        self._engines.close()


def _packages() -> str:
    return ", ".join(f"{name} {_installed(name)}" for name in ("alfworld", "textworld"))


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def _games(options: SuiteOptions) -> GameSource:
    if options.split == PROCEDURAL:
        return GeneratedGames(Grammar(options.params.text("version")))
    return OfficialGames(Path(options.data_root), options.split, options.params.text("version"))


def build(options: SuiteOptions) -> AlfworldSuite:
    """Return the suite. Raises UsageError for an engine that is not installed."""
    return AlfworldSuite(options, _games(options), engines_named(options.params.text("engine")))


SUITE = SuiteSpec(
    name=SUITE_NAME,
    build=build,
    shape=Shape.EPISODE,
    splits=(*EXPECTED, PROCEDURAL),
    default_split="valid_unseen",
    offline_splits=(PROCEDURAL,),
    params=(
        Param("version", "move", "wording of the games: `move X to Y` (current) or `put X in/on Y`", tuple(TREES)),
        Param("preset", "default", "when an episode ends, as in a published set-up", tuple(PRESETS)),
        Param("normalise", True, "repair the wording of actions; each repair is counted"),
        Param("fuzzy", False, "take the nearest admissible command for one that is none; counted"),
        Param("engine", next(iter(ENGINES)), "what plays the games", tuple(ENGINES)),
    ),
    data=DATA,
    # The official engine runs in processes of its own; the fast one computes where it is called.
    workers=lambda params: "process" if params.text("engine") == "fast" else "thread",
    source="ALFWorld, Shridhar et al. 2021, arXiv 2010.03768; games of release 0.4.2",
)
