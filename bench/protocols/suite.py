"""The interfaces of an environment and a suite of episodes, and the record of a benchmark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from bench.errors import UsageError
from bench.protocols.conversation import ConversationSuite
from bench.protocols.params import Param, Params
from bench.types import Fingerprint, Limits, Observation, Opening, Shape, Task

__all__ = [
    "DataProblem",
    "DataSource",
    "DataSpec",
    "Environment",
    "EpisodeSuite",
    "HasNeededFacts",
    "HasNotices",
    "NeededFact",
    "SuiteOptions",
    "SuiteSpec",
    "WorkerKind",
]


@runtime_checkable
class Environment(Protocol):
    """One episode of one task. Made for one task, reset once, closed once.

    Raises EnvError for a crash or hang, DataError for a task that cannot be played.
    """

    def reset(self) -> Opening: ...

    def step(self, action: str) -> Observation: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class NeededFact:
    """One fact that the next right action depends on."""

    step: int
    """The last call of ``step`` whose observation told it, counted from 1; 0 = the opening."""
    names: tuple[str, ...]
    """What stands on one line of a text that holds it: ``("mug 1", "desk 2")``."""


@runtime_checkable
class HasNeededFacts(Protocol):
    """An environment that knows what of the past each decision has to rest on. Asked by the driver around each step;
    no strategy sees the answers."""

    def find_needed(self) -> Sequence[NeededFact]:
        """Return the facts told so far that the next right action depends on; empty where it depends on none, or
        where they are not told yet."""

    def followed_plan(self) -> bool:
        """True if the last action was one that those facts call for."""


@dataclass(frozen=True, slots=True)
class SuiteOptions:
    """What a run fixes for a suite."""

    split: str
    params: Params
    data_root: Path
    step_cap: int = 0
    """0 = the suite's own default."""


WorkerKind = Literal["thread", "process"]


class EpisodeSuite(Protocol):
    """Tasks of one split, and a world for each."""

    def tasks(self) -> Sequence[Task]:
        """Return every task of the split, sorted by id. Raises DataError naming the file and how to get it."""

    def open(self, task: Task) -> Environment:
        """Return a fresh environment. Raises DataError if this one task's data is broken; others are not affected."""

    def limits(self) -> Limits: ...

    def fingerprint(self) -> Fingerprint:
        """Everything about the environment that moves scores: versions, grammar, data digest, caps, switches."""

    def close(self) -> None:
        """Release workers; called once after the last task."""


@runtime_checkable
class HasNotices(Protocol):
    """A suite that knows what a user must be told of its data: what is left out, repaired or known less exactly."""

    def notices(self) -> Sequence[str]:
        """Return a sentence for each; told once when a run begins, and below its table. Empty for released data."""


class DataProblem(Protocol):
    """One file that is missing or altered."""

    @property
    def path(self) -> str:
        """Relative to the data root."""

    @property
    def problem(self) -> str: ...


@dataclass(frozen=True, slots=True)
class DataSource:
    """One official download: a plain file, or a zip or tar archive of which one folder is taken."""

    url: str
    to: str
    """Where it goes, relative to the data root: the file itself, or the folder that ``inside`` becomes."""
    inside: str = ""
    """The folder within an archive whose content is taken; empty = the download is the file."""
    sha256: str = ""
    """Of the download; empty where the suite's check knows the digest of every file inside instead."""


@dataclass(frozen=True)
class DataSpec:
    """What a suite needs on disk."""

    folder: str
    """Relative to the data root."""
    sources: tuple[DataSource, ...]
    check: Callable[[Path], Sequence[DataProblem]]
    """Given the data root, every file that is missing or altered."""
    licence: str


@dataclass(frozen=True)
class SuiteSpec:
    """A benchmark as the registry knows it. ``name`` carries a version (``alfworld-v1``)."""

    name: str
    build: Callable[[SuiteOptions], EpisodeSuite | ConversationSuite]
    """An EpisodeSuite for shape EPISODE, a ConversationSuite for shape CONVERSATION."""
    shape: Shape
    splits: tuple[str, ...]
    default_split: str
    offline_splits: tuple[str, ...] = ()
    """Splits that need no download."""
    params: tuple[Param, ...] = ()
    data: DataSpec | None = None
    shared_data: tuple[DataSpec, ...] = ()
    """What it reads only with some parameters and shares with other suites, each known by the name of its folder."""
    workers: WorkerKind | Callable[[Params], WorkerKind] = "thread"
    """``thread``: the world waits elsewhere (a process, a server). ``process``: pure Python, one process a worker.
    A function where that depends on a parameter."""
    source: str = ""
    own_split: str = ""
    """The split of a user's own tasks, which the parameter ``path`` names; empty = the suite takes none."""

    def worker_kind(self, params: Params) -> WorkerKind:
        """Return what kind of worker plays the tasks of this suite with these parameters."""
        return self.workers(params) if callable(self.workers) else self.workers

    def choose_split(self, split: str, params: Params) -> str:
        """Return the split to play: the one named, or that of the parameter ``path``, or the default.

        Raises: UsageError where name and parameter do not agree.
        """
        path = params.text("path") if self.own_split else ""
        if split and (split == self.own_split) != bool(path):
            hint = f"leave --split out with path={path}" if path else f"write {self.name}:path=..."
            raise UsageError(
                f"suite {self.name}: expected --split {self.own_split} with path= alone, got {split}; {hint}"
            )
        return split or (self.own_split if path else self.default_split)
