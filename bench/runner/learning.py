"""The learning stage of a run: each learner makes an artifact of what was gathered, once, before anything is evaluated.

The calls of ``Strategy.learn`` are in the ledger of the run, in the record of a trial with attempt 0; a stage that was
stopped replays them. Artifacts lie in ``artifacts/<suite>/<strategy>`` below the run folder.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bench.errors import ContextOverflow, Refused, StoreError, TrialError, UsageError
from bench.models.ledger.meter import Meter, Release, ReplayMismatchError
from bench.protocols import Estimate
from bench.registry import ResolvedStrategy
from bench.runner.artifacts import LearnedArtifact, read_artifact, write_artifact
from bench.runner.budget import COLLECT, find_excess, has_limit, sum_run
from bench.runner.build import RunContext
from bench.runner.collecting import Play, collect
from bench.runner.evaluating import check_wording, describe, refuse_learned_tasks
from bench.runner.learner import Source, find_source, learn_from
from bench.runner.rehearsal import rehearse
from bench.runner.trained import refuse_trained_tasks
from bench.store.database import Plan, Store
from bench.types import EndReason, Status, Task, Trial

__all__ = ["Stage", "check_given", "learn_for"]


def check_given(context: RunContext) -> None:
    """Check the artifacts that a run is given, before any work.

    Raises: UsageError if it would evaluate a task that one was learned from, or that weights were trained on, or if
    one has other wording.
    """
    given = context.run.artifacts
    checked = context.config.leak == "refuse" and not context.run.gathers  # a rehearsal plays what is learned from
    for trained in context.run.strategies if checked else ():
        for built in context.suites.values() if trained.strategy.inputs else ():
            refuse_trained_tasks(trained, built.resolved.spec.name, built.tasks)
    for label, built in context.suites.items() if given else ():
        tasks = list(built.tasks.values())
        if checked:
            refuse_learned_tasks(given, label, built.split, tasks)
        for one in given:
            if one.fits(label, one.about.strategy):
                check_wording(one, tasks, built.open_frame)


def learn_for(context: RunContext, store: Store, play: Play) -> None:
    """Let the context evaluate with the artifacts given, and one of every other learner for each suite it serves.

    Raises: StoreError if a collection or a learner failed, BudgetStop, Interrupted: the same command goes on from
    there. UsageError for an artifact that was changed by hand, or a stream, which learns as it is played.
    """
    if context.config.stream:
        raise UsageError("learn: expected something to learn from beforehand, got a stream; play it with bench run")
    artifacts = context.run.artifacts
    for one in artifacts:
        _refuse_exchanged(store, one)
    if missing := context.run.list_unlearned():
        pools = collect(context.run, store.folder, play)
        stage = Stage(context, store, play)
        for label, learner in missing:
            artifacts += (stage.make(learner, find_source(context, label, learner, pools[label], store.folder)),)
    context.use(tuple(_describe(one, context) for one in artifacts))


def _refuse_exchanged(store: Store, one: LearnedArtifact) -> None:
    """Record an artifact that a run is given. Raises: StoreError if it began with another in its place."""
    name = f"artifact of {one.about.label} on {one.about.suite}"
    if (recorded := store.meta(name)) is None:
        store.set_meta(name, one.digest)
    elif recorded != one.digest:
        raise StoreError(
            f"{name}: expected the one that this run began with ({recorded[:12]}), got another ({one.digest[:12]}); "
            "restore it, or evaluate in another folder"
        )


def _describe(one: LearnedArtifact, context: RunContext) -> LearnedArtifact:
    label, built = next((name, b) for name, b in context.suites.items() if one.fits(name, one.about.strategy))
    return describe(one, label, built.split, list(built.tasks.values()), context.tokenizer.count)


@dataclass(frozen=True)
class Stage:
    """What every learner of a run needs."""

    context: RunContext
    store: Store
    play: Play | None = None
    """Plays rehearsals (``Kit.rehearse``); None = there are none."""

    def make(self, one: ResolvedStrategy, source: Source) -> LearnedArtifact:
        """Return what one strategy learns from a source; read from its folder where it is there already.

        Raises: StoreError if it fails, BudgetStop, Interrupted.
        """
        key, folder = source.key, source.folder
        recorded = self.store.meta(str(key))
        if recorded is not None and folder.exists():
            return _refuse_edited(read_artifact(folder), recorded, folder, allow=self.context.config.allow_edited)
        self.store.plan([Plan(key, Task(key.task, key.suite, key.split, "", ""))])
        meter = Meter(
            lambda call: self.store.commit_call(key, call),
            self.store.calls(key),
            stopped=lambda: self.context.stop.asked,
            reserve=self._reserve,
        )
        try:
            made = self._learn(one, source, meter)
        finally:
            meter.raise_end()
        write_artifact(made, folder)
        self.store.finish(Trial(key, Status.DONE, EndReason.LEARNED, calls=tuple(meter.calls)))
        self.store.set_meta(str(key), made.digest)
        return made

    def _learn(self, one: ResolvedStrategy, source: Source, meter: Meter) -> LearnedArtifact:
        who = f"learn: {one.label} on {source.key.suite}"
        perform = partial(rehearse, self.context.run, self.store.folder, self.play) if self.play else None
        try:
            return learn_from(self.context.build_parts(source.key), one, source, meter, perform)
        except ReplayMismatchError as mismatch:
            self.store.supersede(source.key)
            raise StoreError(f"learn: {mismatch}") from mismatch
        except ContextOverflow as full:
            collected = self.store.folder / COLLECT
            keep = f"; a new folder that {collected} is copied into gathers nothing again" if collected.exists() else ""
            raise StoreError(f"{who}: {full}{keep}. What was learned and paid for so far is recorded") from full
        except (TrialError, Refused) as failure:
            raise StoreError(f"{who}: {failure}; the same command tries again") from failure

    def _reserve(self, _estimate: Estimate) -> Release:
        """A learner makes one call at a time: nothing else is under way. Raises: BudgetStop."""
        if has_limit(self.context.config) and (stop := find_excess(self.context.config, sum_run(self.store))):
            raise stop
        return lambda: None


def _refuse_edited(found: LearnedArtifact, recorded: str, folder: Path, *, allow: bool) -> LearnedArtifact:
    """Return an artifact that is as it was recorded, or that may differ. Raises: UsageError."""
    if found.digest == recorded or allow:
        return replace(found, edited=found.digest != recorded)
    raise UsageError(
        f"artifact {folder}: expected it as it was learned ({recorded[:12]}), got {found.digest[:12]}; delete the "
        "folder to make it again from the ledger, or take it with --allow-edited"
    )
