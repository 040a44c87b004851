"""What a forecast plays: trials and calls of learners under the offline model. Nothing of it is recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.models.ledger.meter import Meter, reserve_nothing
from bench.models.options import ModelOptions
from bench.registry import OFFLINE_READER, ResolvedStrategy
from bench.runner.artifacts import LearnedArtifact
from bench.runner.attempts import follow
from bench.runner.build import RunContext
from bench.runner.collecting import Pool, resolve_training
from bench.runner.forecast_sample import Prices, Sample, Spent, add_up, fill_replies, stand_in, stretch
from bench.runner.learner import find_source, learn_from
from bench.runner.parts import Job
from bench.runner.resolve import ModelChoice, ResolvedRun
from bench.runner.simulate import simulate
from bench.store.database import Plan
from bench.types import Call, Shape, Status, Trial, TrialKey

__all__ = ["OfflinePlayer", "Played", "open_offline"]


class _NoRecorder:
    """The recorder of a forecast: calls are not stored."""

    def commit_call(self, key: TrialKey, call: Call) -> None:
        pass

    def supersede(self, key: TrialKey) -> None:
        pass

    reserve = staticmethod(reserve_nothing)


@dataclass(frozen=True)
class Played:
    """The attempts at one task, and what all of them took; no sample where one failed offline."""

    trials: tuple[Trial, ...]
    sample: Sample | None
    error: str = ""


def open_offline(run: ResolvedRun) -> RunContext:
    """Return the objects of a run whose acting model is the offline one, with that in the place of all others, too."""
    offline = ModelChoice(OFFLINE_READER, ModelOptions())
    return RunContext(replace(run, role_models=dict.fromkeys(run.role_models, offline)))


@dataclass(frozen=True)
class OfflinePlayer:
    """Plays a run for nothing, and says what it would take with the real models."""

    context: RunContext
    model: str
    """The real acting model."""
    prices: Prices

    def play_trial(self, plan: Plan, previous: Trial | None = None) -> Played:
        """Play one trial; its longest form is one in which the episode runs to its cap and every reply is full."""
        parts, room = self.context.build_parts(plan.key), list[int | None]()
        job = Job(plan.key, plan.task, previous=previous)
        trial = simulate(job, stand_in(parts, self.model, room), _NoRecorder())
        if trial.status is not Status.DONE:
            return Played((trial,), None, trial.error)
        cap = parts.limits.step_cap if parts.shape is Shape.EPISODE else 0
        return Played((trial,), Sample(add_up(trial.calls, self.prices), stretch(trial, room, cap, self.prices)))

    def play_task(self, plan: Plan) -> Played:
        """Play a task until it is won or has had its attempts; in its longest form it takes them all."""
        allowed = self.context.count_attempts(plan.key)
        reflects = self.context.strategies[plan.key.strategy].strategy.reflect is not None
        trials: list[Trial] = []
        likely, longest, last = Spent(), Spent(), Spent()
        following: Plan | None = plan
        while following:
            one = self.play_trial(following, trials[-1] if trials and reflects else None)
            trials += one.trials
            if one.sample is None:
                return Played(tuple(trials), None, one.error)
            last = one.sample.longest
            likely, longest = likely.plus(one.sample.likely), longest.plus(last)
            following = follow(following, trials[-1], allowed)
        return Played(tuple(trials), Sample(likely, longest.plus(last.times(allowed - len(trials)))))

    def learn(
        self, label: str, one: ResolvedStrategy, pool: Pool, rehearsed: list[Played]
    ) -> tuple[LearnedArtifact, Sample]:
        """Let a learner learn from a pool. In the longest form the trials that it reads ran to their cap.

        What it plays itself (``Kit.rehearse``) is added to ``rehearsed``.
        Raises: TrialError, ContextOverflow, Refused.
        """

        def rehearse(made: LearnedArtifact) -> Sequence[Trial]:
            played = self._rehearse(label, one.label, pool, made)
            rehearsed.extend(played)
            return [trial for each in played for trial in each.trials]

        source = find_source(self.context, label, one, pool, Path())
        parts, room, meter = self.context.build_parts(source.key), list[int | None](), Meter(lambda _call: None)
        perform = None if self.context.config.learn is None else rehearse
        made = learn_from(stand_in(parts, self.model, room), one, source, meter, perform)
        growth = _find_growth(pool.trials, parts.limits.step_cap if parts.shape is Shape.EPISODE else 0)
        longest = [
            replace(call, usage=replace(call.usage, prompt=round((call.usage.prompt or 0) * growth)))
            for call in fill_replies(meter.calls, room)
        ]
        return made, Sample(add_up(meter.calls, self.prices), add_up(longest, self.prices))

    def _rehearse(self, label: str, learner: str, pool: Pool, made: LearnedArtifact) -> list[Played]:
        training = replace(resolve_training(self.context.run, learner), artifacts=(made,))
        player = replace(self, context=open_offline(training))
        try:
            split, seed = player.context.suites[label].split, training.config.seeds[0]
            keys = (TrialKey(label, split, task, learner, training.config.model, seed) for task in pool.tasks)
            return [player.play_trial(Plan(key, pool.tasks[key.task])) for key in keys]
        finally:
            player.context.close()


def _find_growth(trials: Sequence[Trial], cap: int) -> float:
    """Return how many times longer trials are that run to their cap; 1 for conversations."""
    steps = sum(step.counts for trial in trials for step in trial.steps)
    return max(1.0, cap * len(trials) / steps) if cap and steps else 1.0
