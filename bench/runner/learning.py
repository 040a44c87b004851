"""The learning stage of a run: each learner makes an artifact of what was gathered, once, before anything is evaluated.

The calls of ``Strategy.learn`` are in the ledger of the run, in the record of a trial with attempt 0; a stage that was
stopped replays them. Artifacts lie in ``artifacts/<suite>/<strategy>`` below the run folder.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bench.errors import (
    ContextOverflow,
    Refused,
    StoreError,
    StrategyError,
    TrialError,
    UsageError,
    boundary,
)
from bench.models.ledger.meter import Meter, ReplayMismatchError
from bench.registry import ResolvedStrategy
from bench.runner.artifacts import Costs, LearnedArtifact, Provenance, read_artifact, write_artifact
from bench.runner.budget import find_excess, sum_run
from bench.runner.build import RunContext
from bench.runner.collecting import Play, Pool, collect, name_folder, open_frame
from bench.runner.concealment import conceal
from bench.runner.evaluating import ARTIFACTS, check_wording, describe, refuse_learned_tasks
from bench.runner.frames import digest_frame, limit_replies
from bench.runner.parts import Job
from bench.runner.simulate import make_kit
from bench.runner.splits import name_kind, name_spec
from bench.runner.tasks import BuiltSuite
from bench.scoring.spending import score_ledger
from bench.store.database import Plan, Store
from bench.types import Artifact, Call, EndReason, Fingerprint, Phase, Status, Task, Trial, TrialKey

__all__ = ["Source", "Stage", "check_given", "learn_for"]

_TASK = "(learning)"


def check_given(context: RunContext) -> None:
    """Check the artifacts that a run is given, before any work.

    Raises: UsageError if it would evaluate a task that one was learned from, or has other wording.
    """
    given = context.run.artifacts
    for label, built in context.suites.items() if given else ():
        tasks = list(built.tasks.values())
        if context.config.leak == "refuse":
            refuse_learned_tasks(given, label, built.split, tasks)
        for one in given:
            if one.fits(label, one.about.strategy):
                check_wording(one, tasks, partial(_read_wording, built))


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
    if missing := context.list_unlearned():
        pools = collect(context.run, store.folder, play)
        stage = Stage(context, store)
        artifacts += tuple(stage.learn(built, one, pools[built.resolved.label]) for built, one in missing)
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
class Source:
    """What one artifact is learned from, under which key its calls are recorded, and where its files go."""

    key: TrialKey
    folder: Path
    pool: Pool
    split: str
    policy: str
    seed: int
    collectors: tuple[str, ...]
    gathered: tuple[Trial, ...] = ()
    """The trials that were played for learning alone: what they took is part of the artifact's costs."""


@dataclass(frozen=True)
class Stage:
    """What every learner of a run needs."""

    context: RunContext
    store: Store

    def learn(self, built: BuiltSuite, one: ResolvedStrategy, pool: Pool) -> LearnedArtifact:
        """Return what one strategy learns on one suite before the evaluation."""
        config, label = self.context.config, built.resolved.label
        learn = config.learn
        assert learn is not None
        key = TrialKey(label, built.split, _TASK, one.label, config.model, attempt=0)
        folder = self.store.folder / ARTIFACTS / name_folder(label) / name_folder(one.label)
        split = learn.split or built.split
        return self.make(one, Source(key, folder, pool, split, learn.policy, learn.seed, learn.collectors, pool.trials))

    def make(self, one: ResolvedStrategy, source: Source) -> LearnedArtifact:
        """Return what one strategy learns from a source; read from its folder where it is there already."""
        key, folder, pool = source.key, source.folder, source.pool
        recorded = self.store.meta(str(key))
        if recorded is not None and folder.exists():
            return _refuse_edited(read_artifact(folder), recorded, folder, allow=self.context.config.allow_edited)
        self.store.plan([Plan(key, Task(key.task, key.suite, key.split, "", ""))])
        artifact, calls = self._ask(key, one, pool)
        made = LearnedArtifact(replace(artifact, tasks=tuple(sorted(pool.tasks))), _describe_source(one, source, calls))
        write_artifact(made, folder)
        self.store.finish(Trial(key, Status.DONE, EndReason.LEARNED, calls=calls))
        self.store.set_meta(str(key), made.digest)
        return made

    def _ask(self, key: TrialKey, one: ResolvedStrategy, pool: Pool) -> tuple[Artifact, tuple[Call, ...]]:
        """Let a strategy learn; return its artifact with the tasks' own names, and its calls.

        Raises: StoreError if it fails, BudgetStop.
        """
        meter = Meter(lambda call: self._commit(key, call), self.store.calls(key))
        meter.enter(Phase.LEARN, 0)
        names = {task: f"task-{number:04d}" for number, task in enumerate(pool.tasks, start=1)}
        trials = [conceal(trial, names[trial.key.task]) for trial in pool.trials if trial.key.task in names]
        parts = replace(self.context.build_parts(key), learned=None)
        first = pool.tasks[min(pool.tasks)]
        try:
            kit = make_kit(parts, Job(key, first), meter, limit_replies(pool.frame, parts.reply_tokens))
            with boundary(StrategyError, f"learn {one.strategy.name}"):
                assert one.strategy.learn is not None
                artifact = one.strategy.learn(trials, kit)
        except ReplayMismatchError as mismatch:
            self.store.supersede(key)
            raise StoreError(f"learn: {mismatch}") from mismatch
        except (TrialError, ContextOverflow, Refused) as failure:
            raise StoreError(f"learn: {one.label} on {key.suite}: {failure}; the same command tries again") from failure
        return _restore_names(artifact, names, one.label), tuple(meter.calls)

    def _commit(self, key: TrialKey, call: Call) -> None:
        self.store.commit_call(key, call)
        spent = sum_run(self.store)
        if stop := find_excess(self.context.config, spent.tokens, spent.cost_usd):
            raise stop


def _describe_source(one: ResolvedStrategy, source: Source, calls: tuple[Call, ...]) -> Provenance:
    pool = source.pool
    return Provenance(
        strategy=one.strategy.name,
        label=one.label,
        suite=source.key.suite,
        split=source.split,
        policy=source.policy,
        seed=source.seed,
        model=source.key.model,
        collectors=source.collectors,
        pool=pool.digest,
        trials=len(pool.trials),
        won=pool.won,
        frames={item.group: _read_frame(trial.fingerprint) for trial in pool.trials for item in trial.items},
        specs={name: name_spec(task) for name, task in sorted(pool.tasks.items())},
        kinds={name: name_kind(task) for name, task in sorted(pool.tasks.items())},
        costs=_add_costs(source.gathered, calls),
    )


def _read_frame(fingerprint: Fingerprint) -> str:
    return dict(fingerprint.entries).get("env.frame", "")


def _add_costs(trials: tuple[Trial, ...], calls: tuple[Call, ...]) -> Costs:
    """Return what gathering and learning took."""
    gathered = [{score.name: score.value for score in score_ledger(trial.calls)} for trial in trials]
    learned = {score.name: score.value for score in score_ledger(calls)}
    return Costs(
        _add([scores["tokens_gather"] for scores in gathered]),
        learned["tokens_learn"],
        _add([learned["cost_usd"], *(scores["cost_usd"] for scores in gathered)]),
    )


def _add(values: list[float | None]) -> float | None:
    """Return a sum, None if a part is unknown."""
    return None if None in values else float(sum(value or 0.0 for value in values))


def _restore_names(artifact: Artifact, names: dict[str, str], who: str) -> Artifact:
    """Return an artifact with the tasks under their own names. Raises: UsageError for a source that is no task."""
    tasks = {made_up: task for task, made_up in names.items()}
    unknown = sorted({source for sources in artifact.sources.values() for source in sources} - set(tasks))
    if unknown:
        raise UsageError(f"learn {who}: expected sources among Trial.key.task, got {unknown[0]!r}; name those it read")
    sources = {name: tuple(sorted(tasks[source] for source in found)) for name, found in artifact.sources.items()}
    return Artifact(dict(artifact.files), sources)


def _refuse_edited(found: LearnedArtifact, recorded: str, folder: Path, *, allow: bool) -> LearnedArtifact:
    """Return an artifact that is as it was recorded, or that may differ. Raises: UsageError."""
    if found.digest == recorded or allow:
        return replace(found, edited=found.digest != recorded)
    raise UsageError(
        f"artifact {folder}: expected it as it was learned ({recorded[:12]}), got {found.digest[:12]}; delete the "
        "folder to make it again from the ledger, or take it with --allow-edited"
    )


def _read_wording(built: BuiltSuite, task: Task) -> str:
    return digest_frame(open_frame(built, task))
