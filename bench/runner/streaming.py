"""The stream: tasks in an order of chance, and after some of them each learner learns anew from its own trials so far.

Each seed has an order of its own, so that several seeds show what the order does. Memories begin empty, and a task is
never learned from before it is played. Artifacts lie in ``stream/<suite>/<strategy>/seed-<seed>/after-<tasks>`` below
the run folder; ``Strategy.learn`` knows nothing of a stream.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bench.registry import ResolvedStrategy
from bench.runner.artifacts import LearnedArtifact, Provenance
from bench.runner.attempts import list_open
from bench.runner.build import RunContext
from bench.runner.collecting import Pool, name_folder
from bench.runner.learner import Source
from bench.runner.learning import Stage
from bench.runner.progress import LastingProgress, NoProgress, RunProgress
from bench.runner.tasks import BuiltSuite
from bench.store.database import Plan, Store
from bench.store.orders import name_order, write_order
from bench.store.read import read_trials
from bench.types import Artifact, Task, Trial, TrialKey

__all__ = ["order_tasks", "play_stream"]

Play = Callable[[RunProgress, tuple[Plan, ...]], int]
"""Plays plans, shows how far they are, and returns how many trials have no score."""

_POLICY = "stream"
_FOLDER = "stream"


def order_tasks(tasks: Iterable[Task], seed: int) -> list[Task]:
    """Return the tasks in the order of a seed; a task that is left out changes nothing for the others."""
    return sorted(tasks, key=lambda task: hashlib.sha256(f"stream|{seed}|{task.id}".encode()).hexdigest())


def play_stream(context: RunContext, store: Store, progress: RunProgress | None, play: Play) -> None:
    """Let ``play`` play the plans of a run block by block, each with what was learned from those before.

    Ends early after a block with a trial that has no score: nothing may be learned from what is still to come.
    Raises: StoreError if a learner fails, BudgetStop, Interrupted; the same command goes on from there.
    """
    lasting = LastingProgress(progress or NoProgress())
    try:
        for plans in _Stream(context, store).prepare():
            if play(lasting, plans):
                return
    finally:
        lasting.close()


@dataclass(frozen=True)
class _Stream:
    """What the blocks of a stream have in common."""

    context: RunContext
    store: Store

    def prepare(self) -> Iterator[tuple[Plan, ...]]:
        """Yield the plans of each block that is not complete, when the context knows what was learned before it."""
        context, store = self.context, self.store
        recorded = store.trials()  # what is played from here on is of blocks that have been yielded
        for seed in dict.fromkeys(context.config.seeds):
            orders = {label: order_tasks(built.tasks.values(), seed) for label, built in context.suites.items()}
            written = {label: [task.id for task in order] for label, order in orders.items()}
            store.set_meta(name_order(seed), write_order(written))
            for start in range(0, max(map(len, orders.values())), context.config.stream):
                plans = self._list_plans(seed, orders, start)
                if list_open(plans, recorded):
                    context.use(tuple(self._learn(seed, orders, start)))
                    yield plans

    def _list_plans(self, seed: int, orders: Mapping[str, Sequence[Task]], start: int) -> tuple[Plan, ...]:
        """Return the first attempts at the tasks of one block."""
        stop = start + self.context.config.stream
        block = {(label, task.id) for label, order in orders.items() for task in order[start:stop]}
        mine = (plan for plan in self.context.plans if plan.key.seed == seed)
        return tuple(plan for plan in mine if (plan.key.suite, plan.key.task) in block)

    def _learn(self, seed: int, orders: Mapping[str, Sequence[Task]], start: int) -> Iterator[LearnedArtifact]:
        """Yield what each learner knows before one block."""
        for label, built in self.context.suites.items():
            for one in self.context.run.strategies if start < len(orders[label]) else ():
                if one.strategy.learn and built.shape in one.strategy.serves:
                    yield self._learn_one(built, one, orders[label], seed, start)

    def _learn_one(
        self, built: BuiltSuite, one: ResolvedStrategy, order: Sequence[Task], seed: int, start: int
    ) -> LearnedArtifact:
        if not start:
            return self._describe(_begin_empty(built, one, seed), order, start)
        label, model = built.resolved.label, self.context.config.model
        key = TrialKey(label, built.split, f"(learning after {start})", one.label, model, seed, attempt=0)
        folder = self.store.folder / _FOLDER / name_folder(label) / name_folder(one.label)
        folder = folder / f"seed-{seed}" / f"after-{start:04d}"
        done = {task.id: task for task in order[:start]}
        pool = Pool(done, self._read_trials(built, one, seed, list(done)), built.open_frame())
        made = Stage(self.context, self.store).make(
            one, Source(key, folder, pool, built.split, _POLICY, seed, (one.label,))
        )
        return self._describe(made, order, start)

    def _read_trials(self, built: BuiltSuite, one: ResolvedStrategy, seed: int, done: list[str]) -> tuple[Trial, ...]:
        """Return a strategy's own trials of the tasks that it has done, in the order in which they were played."""
        where = "suite = ? AND strategy = ? AND seed = ? AND attempt > 0"
        args = [built.resolved.label, one.label, str(seed)]
        found = read_trials(self.store.folder, built.shape, where, args)
        mine = (trial for trial in found if trial.key.task in done)
        return tuple(sorted(mine, key=lambda trial: (done.index(trial.key.task), trial.key.attempt)))

    def _describe(self, made: LearnedArtifact, order: Sequence[Task], start: int) -> LearnedArtifact:
        """Return an artifact with what stands in the fingerprint of the trials of its block.

        A table shares out the costs of an artifact among all trials of a row. These are borne by one block, so they
        are given as if every block had cost as much: the mean over the row is then what all updates took.
        """
        config = self.context.config
        block = len(order[start : start + config.stream])
        share = len(order) * len(dict.fromkeys(config.seeds)) / block
        entries = {
            "row.artifact": "of each update",
            "row.pool": "its own trials",
            "row.learned": f"the tasks before, in the order of each seed, updated after every {config.stream} (stream)",
            **made.about.costs.describe(share),
        }
        return replace(made, entries=tuple(sorted(entries.items())))


def _begin_empty(built: BuiltSuite, one: ResolvedStrategy, seed: int) -> LearnedArtifact:
    about = Provenance(
        one.strategy.name, one.label, built.resolved.label, built.split, _POLICY, seed, "", (), "", 0, 0, {}, {}, {}
    )
    return LearnedArtifact(Artifact(), about)
