"""Suite ``hiagent-five-v1``: HiAgent's five tasks as one: four planning domains and the text adventures.

It only joins the suites ``pddl`` and ``jericho``: each task is played by its own suite, under one step cap, grouped by
domain. Source: HiAgent (arXiv 2408.09559) section 4, 80 episodes. Deviations: all ten tyreworld problems (the script
plays eight); of the 20 text adventures the split ``zork`` has three with milestones of our own and ``agentboard`` all
20, where a game whose files the user lacks is unscored; ``generated`` has planning domains alone, without a download.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from adapters.jericho.suite import SUITE as JERICHO
from adapters.jericho.suite import JerichoSuite
from adapters.pddl.suite import SUITE as PDDL
from adapters.pddl.suite import PddlSuite
from bench.protocols import (
    DataProblem,
    DataSpec,
    Environment,
    EpisodeSuite,
    Param,
    Params,
    SuiteOptions,
    SuiteSpec,
)
from bench.types import Fingerprint, Limits, Shape, Task

__all__ = ["PRESETS", "SUITE", "HiAgentFiveSuite"]

_NAME = "hiagent-five-v1"
PRESETS: Mapping[str, int] = {"default": 30, "paper": 30, "code": 50}
"""Step caps: the paper says 30, the published script passes 50."""

_PARAMS = (Param("preset", "default", "step cap: the paper's 30, the published script's 50", tuple(PRESETS)),)


@dataclass(frozen=True, slots=True)
class _Part:
    """One of the suites, and which of its splits stands for each of ours; none = it has no part there."""

    name: str
    build: Callable[[SuiteOptions], EpisodeSuite]
    params: tuple[Param, ...]
    splits: Mapping[str, str]


_PARTS = (
    _Part("pddl", PddlSuite, PDDL.params, {"zork": "agentboard", "agentboard": "agentboard", "generated": "generated"}),
    _Part("jericho", JerichoSuite, JERICHO.params, {"zork": "zork", "agentboard": "agentboard"}),
)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a task of ours comes from."""

    part: EpisodeSuite
    task: Task


class HiAgentFiveSuite:
    """An ``EpisodeSuite`` that hands each task to the suite it is from."""

    def __init__(self, options: SuiteOptions):
        self._options = options
        self._step_cap = options.step_cap or PRESETS[options.params.text("preset")]
        self._parts = {
            part.name: part.build(
                SuiteOptions(part.splits[options.split], Params(part.params), options.data_root, self._step_cap)
            )
            for part in _PARTS
            if options.split in part.splits
        }

    @cached_property
    def _places(self) -> Mapping[str, _Place]:
        return {
            # A planning task already names its domain: barman/problem01.
            f"{name}/{task.id}" if name == "jericho" else task.id: _Place(part, task)
            for name, part in self._parts.items()
            for task in part.tasks()
        }

    def tasks(self) -> Sequence[Task]:
        """Return the tasks of all parts, sorted by id. Raises: DataError if a part's folder is missing."""
        split = self._options.split
        return tuple(
            replace(place.task, id=name, suite=_NAME, split=split) for name, place in sorted(self._places.items())
        )

    def open(self, task: Task) -> Environment:
        """Return a fresh world of the task's own suite. Raises: DataError if this one task's data is broken."""
        place = self._places[task.id]
        return place.part.open(place.task)

    def limits(self) -> Limits:
        return Limits(step_cap=self._step_cap)

    def fingerprint(self) -> Fingerprint:
        """Return every field of the parts under their names, and the suite's own."""
        own = {"suite": _NAME, "split": self._options.split, "step_cap": str(self._step_cap)}
        parts = {
            f"{name}.{field}": value
            for name, part in self._parts.items()
            for field, value in part.fingerprint().entries
        }
        return Fingerprint(tuple(sorted({**own, **parts}.items())))

    def close(self) -> None:
        for part in self._parts.values():
            part.close()


def _check(data_root: Path) -> Sequence[DataProblem]:
    return [problem for spec in (PDDL.data, JERICHO.data) if spec for problem in spec.check(data_root)]


SUITE = SuiteSpec(
    name=_NAME,
    build=HiAgentFiveSuite,
    shape=Shape.EPISODE,
    splits=("zork", "agentboard", "generated"),
    default_split="zork",
    offline_splits=("generated",),
    params=_PARAMS,
    data=DataSpec(
        folder=".",
        sources=tuple(source for spec in (PDDL.data, JERICHO.data) if spec for source in spec.sources),
        check=_check,
        licence="; ".join(f"{spec.folder}: {spec.licence}" for spec in (PDDL.data, JERICHO.data) if spec),
    ),
    workers="process",  # the planning domains are pure Python
    source="HiAgent, arXiv 2408.09559: 60 PDDL problems, 3 MIT Zork games for its 20 adventures (agentboard: all 20)",
)
