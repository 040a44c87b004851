"""Suite ``hiagent-five-v1``: the five tasks of HiAgent (four planning domains and text adventures) as one suite.

Source: HiAgent (arXiv 2408.09559), section 4: 80 episodes.

Tasks: those of the suites ``pddl`` and ``jericho``, each played by its own suite under one common step cap; the group
is the domain.

* split ``zork`` (default): 60 planning problems and three Zork games; needs both downloads.
* split ``agentboard``: 60 planning problems and all 20 text adventures; the user provides the other story files.
* split ``generated``: 40 generated planning problems and no text adventure; no download.

Score: success and progress as in ``pddl`` and ``jericho``. The step cap is the paper's 30, or the 50 of the published
script with ``preset=code``.

Differences from the published set-up:

* All ten tyreworld problems are played; the published script plays eight.
* Split ``zork`` has three of the 20 text adventures, with milestones of our own.
* In split ``agentboard`` a game without a story file or milestones is unscored.
* All differences of ``pddl`` and ``jericho`` apply.
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

_PARAMS = (
    Param("preset", "default", "step cap: the paper's 30, the published script's 50", tuple(PRESETS)),
    # What the planning problems are played with; the adventures have no protocol.
    *(param for param in PDDL.params if param.name in ("protocol", "hint")),
)


@dataclass(frozen=True, slots=True)
class _Part:
    """One of the two suites; ``splits`` maps our splits to its own, without those in which it has no tasks."""

    name: str
    build: Callable[[SuiteOptions], EpisodeSuite]
    params: tuple[Param, ...]
    splits: Mapping[str, str]


_PARTS = (
    _Part("pddl", PddlSuite, PDDL.params, {"zork": "agentboard", "agentboard": "agentboard", "generated": "generated"}),
    _Part("jericho", JerichoSuite, JERICHO.params, {"zork": "zork", "agentboard": "agentboard"}),
)


@dataclass(frozen=True, slots=True)
class _PartTask:
    """A task of a part, and the part."""

    part: EpisodeSuite
    task: Task


def _choose(part: _Part, params: Params) -> Params:
    """Return the parameters of a part: those of this suite that it has too, but for the step cap, the rest as usual."""
    names = {param.name for param in _PARAMS} & {param.name for param in part.params} - {"preset"}
    return Params(part.params, {name: value for name, value in params.resolved if name in names})


class HiAgentFiveSuite:
    """An ``EpisodeSuite`` that passes each task to its own suite."""

    def __init__(self, options: SuiteOptions):
        self._options = options
        self._step_cap = options.step_cap or PRESETS[options.params.text("preset")]
        self._parts = {
            part.name: part.build(
                SuiteOptions(
                    part.splits[options.split], _choose(part, options.params), options.data_root, self._step_cap
                )
            )
            for part in _PARTS
            if options.split in part.splits
        }

    @cached_property
    def _part_tasks(self) -> Mapping[str, _PartTask]:
        return {
            # A planning task already names its domain: barman/problem01.
            f"{name}/{task.id}" if name == "jericho" else task.id: _PartTask(part, task)
            for name, part in self._parts.items()
            for task in part.tasks()
        }

    def tasks(self) -> Sequence[Task]:
        """Return the tasks of all parts, sorted by id. Raises: DataError if a part's folder is missing."""
        split = self._options.split
        return tuple(
            replace(part_task.task, id=name, suite=_NAME, split=split)
            for name, part_task in sorted(self._part_tasks.items())
        )

    def open(self, task: Task) -> Environment:
        """Return a fresh environment of the task's own suite. Raises: DataError if the data of this task is broken."""
        part_task = self._part_tasks[task.id]
        return part_task.part.open(part_task.task)

    def limits(self) -> Limits:
        return Limits(step_cap=self._step_cap)

    def fingerprint(self) -> Fingerprint:
        """Return the suite's own fields and those of the parts, with the name of the part in front."""
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
    shared_data=PDDL.shared_data,
    workers="process",  # the planning domains are pure Python
    source="HiAgent, arXiv 2408.09559: 60 PDDL problems, 3 MIT Zork games for its 20 adventures (agentboard: all 20)",
)
