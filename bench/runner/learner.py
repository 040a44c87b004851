"""One learner at work: what it learns from, what it may see of that, and the artifact with where it came from.

Knows no store: whoever calls it gives a meter for its calls and keeps what it returns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.config import LearnConfig
from bench.errors import ContextOverflow, StrategyError, UsageError, boundary
from bench.models.ledger.meter import Meter
from bench.protocols import Kit, Strategy
from bench.registry import ResolvedStrategy
from bench.runner.artifacts import LearnedArtifact, Provenance
from bench.runner.build import RunContext
from bench.runner.collecting import Pool, name_folder
from bench.runner.concealment import conceal
from bench.runner.costs import add_costs
from bench.runner.evaluating import ARTIFACTS
from bench.runner.frames import limit_replies
from bench.runner.overflow import describe_overflow
from bench.runner.parts import Job, Parts
from bench.runner.simulate import make_kit
from bench.runner.splits import name_kind, name_spec
from bench.types import Artifact, Fingerprint, Phase, Trial, TrialKey

__all__ = ["Source", "find_source", "learn_from"]

_TASK = "(learning)"
_Perform = Callable[[LearnedArtifact], Sequence[Trial]]
"""Plays the tasks that an artifact is learned from with it, and returns the trials."""


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
    every: str = "run"
    """When the strategy is called (``LearnConfig.every``)."""
    lot: TrialKey | None = None
    """The key that chance is seeded from; None = its own."""


def find_source(context: RunContext, label: str, one: ResolvedStrategy, pool: Pool, run: Path) -> Source:
    """Return what one strategy learns from on one suite before the evaluation of a run, in its folder."""
    config, built = context.config, context.suites[label]
    learn = config.learn or LearnConfig()
    key = TrialKey(label, built.split, _TASK, one.label, config.model, attempt=0)
    folder = run / ARTIFACTS / name_folder(label) / name_folder(one.label)
    split, trials = learn.split or built.split, pool.trials
    return Source(key, folder, pool, split, learn.policy, learn.seed, learn.collectors, trials, learn.every)


@dataclass(frozen=True)
class _Rehearsals:
    """Those of one learner: the training tasks, played with what it has learned so far."""

    perform: _Perform
    names: Mapping[str, str]
    """The training tasks, each with the name that the learner knows it by."""
    about: Provenance
    played: dict[str, tuple[Trial, ...]] = field(default_factory=dict)
    """All trials so far, by the digest of the artifact."""

    def rehearse(self, artifact: Artifact) -> Sequence[Trial]:
        """Return the trials with an artifact as a learner gets them; each artifact is played once."""
        made = LearnedArtifact(_restore_names(artifact, self.names, self.about.label), self.about)
        if made.digest not in self.played:
            self.played[made.digest] = tuple(self.perform(made))
        return [conceal(trial, self.names[trial.key.task]) for trial in self.played[made.digest]]


def learn_from(
    parts: Parts, one: ResolvedStrategy, source: Source, meter: Meter, perform: _Perform | None = None
) -> LearnedArtifact:
    """Return what a strategy learns from a source, which it sees without the names of suite and tasks.

    ``perform`` plays its rehearsals (``Kit.rehearse``); None = there are none.
    Raises: TrialError, Refused; ContextOverflow, which says what the prompt showed and what can be done; UsageError for
    an artifact that names a task which is none; what ``perform`` raises.
    """
    pool = source.pool
    names = {task: f"task-{number:04d}" for number, task in enumerate(pool.tasks, start=1)}
    known = [trial for trial in pool.trials if trial.key.task in names]
    trials = [conceal(trial, names[trial.key.task]) for trial in known]
    job = Job(source.lot or source.key, pool.tasks[min(pool.tasks)])
    meter.enter(Phase.LEARN, 0)
    kit = make_kit(replace(parts, learned=None), job, meter, limit_replies(pool.frame, parts.reply_tokens))
    about = _describe_source(one, source)
    rehearsals = _Rehearsals(perform, names, about) if perform else None
    if rehearsals and source.every != "attempt":
        kit = replace(kit, rehearse=rehearsals.rehearse)
    try:
        with boundary(StrategyError, f"learn {one.strategy.name}"):
            artifact = _call(one.strategy, trials, kit, source, meter)
    except ContextOverflow as full:
        raise ContextOverflow(describe_overflow(one, full, known, parts.budget.count), full.prompt) from full
    rehearsed = [trial for trials in rehearsals.played.values() for trial in trials] if rehearsals else []
    costs = add_costs((*source.gathered, *rehearsed), meter.calls)
    about = replace(about, costs=costs, rehearsed=len(rehearsed))
    return LearnedArtifact(_restore_names(artifact, names, one.label), about)


def _call(strategy: Strategy, trials: Sequence[Trial], kit: Kit, source: Source, meter: Meter) -> Artifact:
    """Call a strategy once, or after each trial; its calls about trial n are then booked at step n."""
    if source.every != "attempt":
        assert strategy.learn is not None
        return strategy.learn(trials, kit)
    assert strategy.update is not None
    artifact = Artifact()
    for number, trial in enumerate(trials, start=1):
        meter.enter(Phase.LEARN, number)
        artifact = strategy.update(trial, replace(kit, artifact=artifact))
    return artifact


def _describe_source(one: ResolvedStrategy, source: Source) -> Provenance:
    """Return where an artifact comes from, as far as it is known before anything is learned."""
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
        questions=pool.questions,
        frames={item.group: _read_frame(trial.fingerprint) for trial in pool.trials for item in trial.items},
        specs={name: name_spec(task) for name, task in sorted(pool.tasks.items())},
        kinds={name: name_kind(task) for name, task in sorted(pool.tasks.items())},
        costs=add_costs(source.gathered, ()),
        every=source.every,
    )


def _read_frame(fingerprint: Fingerprint) -> str:
    return dict(fingerprint.entries).get("env.frame", "")


def _restore_names(artifact: Artifact, names: Mapping[str, str], who: str) -> Artifact:
    """Return an artifact with the tasks under their own names. Raises: UsageError for a source that is no task."""
    tasks = {made_up: task for task, made_up in names.items()}
    unknown = sorted({source for sources in artifact.sources.values() for source in sources} - set(tasks))
    if unknown:
        raise UsageError(f"learn {who}: expected sources among Trial.key.task, got {unknown[0]!r}; name those it read")
    sources = {name: tuple(sorted(tasks[source] for source in found)) for name, found in artifact.sources.items()}
    return Artifact(dict(artifact.files), sources, tuple(sorted(names)))
