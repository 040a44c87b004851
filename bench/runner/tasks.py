"""The tasks of a suite that a run plays: those of its side of the split, sampled; and the frames of their prompts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import zip_longest

from bench.config import RunConfig
from bench.errors import DataError, EnvError, Unreachable, UsageError, boundary
from bench.protocols import Conversation, ConversationSuite, Environment, EpisodeSuite, HasNotices, SuiteOptions
from bench.registry import ResolvedSuite
from bench.runner.resolve import ResolvedRun
from bench.runner.splits import choose_side
from bench.types import Frame, Shape, Task

__all__ = ["BuiltSuite", "build_suites", "open_suites", "sample"]


class BuiltSuite:
    """A suite ready to play: its place in the registry, and the tasks chosen from its split.

    Tasks are listed when they are first needed: a worker process, which gets its task with its job, never lists them.
    """

    def __init__(self, resolved: ResolvedSuite, suite: EpisodeSuite | ConversationSuite, config: RunConfig):
        self.resolved, self.suite = resolved, suite
        self._config = config
        self._frames: dict[str, Frame] = {}

    @property
    def shape(self) -> Shape:
        return self.resolved.spec.shape

    @property
    def split(self) -> str:
        return self.resolved.split

    @cached_property
    def tasks(self) -> Mapping[str, Task]:
        """The chosen tasks by id, sorted. Raises: UsageError if there are none or the split's data is missing;
        Unreachable."""
        try:
            tasks = sample(choose_side(self.suite.tasks(), self._config), self._config.limit)
        except Unreachable:  # nothing is wrong about what was asked for
            raise
        except DataError as cause:
            spec = self.resolved.spec
            offline = ", ".join(spec.offline_splits) if self.split != spec.own_split else ""
            hint = f" (splits that need no download: {offline})" if offline else ""
            raise UsageError(f"{cause}{hint}") from cause
        if not tasks:
            raise UsageError(
                f"suite {self.resolved.label}: expected tasks in split {self.split}, got none; bench data check"
            )
        return {task.id: task for task in tasks}

    @cached_property
    def notices(self) -> tuple[str, ...]:
        """What a user must be told of the data. Raises: DataError for the data as a whole."""
        return tuple(self.suite.notices()) if isinstance(self.suite, HasNotices) else ()

    def open_frame(self, task: Task | None = None) -> Frame:
        """Return the frame of a task's prompts, without a task that of the first. Each is opened once.

        Raises: TrialError.
        """
        task = task or self.tasks[min(self.tasks)]
        if task.id not in self._frames:
            with boundary(EnvError, f"open {task.id}"):
                self._frames[task.id] = _read_frame(self.suite.open(task))
        return self._frames[task.id]


def build_suites(run: ResolvedRun) -> dict[str, BuiltSuite]:
    """Return the suites of a question by label, ready to play."""
    config = run.config
    options = {one.label: SuiteOptions(one.split, one.params, run.root, config.steps) for one in run.suites}
    return {one.label: BuiltSuite(one, one.spec.build(options[one.label]), config) for one in run.suites}


@contextmanager
def open_suites(run: ResolvedRun) -> Iterator[dict[str, BuiltSuite]]:
    """Give the suites of a question as ``build_suites`` does, and close them at the end."""
    suites = build_suites(run)
    try:
        yield suites
    finally:
        for built in suites.values():
            built.suite.close()


def _read_frame(world: Environment | Conversation) -> Frame:
    if not isinstance(world, Environment):
        return world.frame
    try:
        return world.reset().frame
    finally:
        world.close()


def sample(tasks: Sequence[Task], limit: int) -> tuple[Task, ...]:
    """Return at most ``limit`` tasks, taken in turn from each group in sorted order; 0 = all. Sorted by id."""
    ordered = sorted(tasks, key=lambda task: task.id)
    if not limit or limit >= len(ordered):
        return tuple(ordered)
    groups: dict[str, list[Task]] = {}
    for task in ordered:
        groups.setdefault(task.group, []).append(task)
    turns = [task for turn in zip_longest(*(groups[name] for name in sorted(groups))) for task in turn if task]
    return tuple(sorted(turns[:limit], key=lambda task: task.id))
