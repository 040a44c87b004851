"""Plays one task with one strategy while the offline player writes in a style, and compares with the plain style."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from bench.config import LearnConfig, RunConfig
from bench.models.ledger.meter import Meter, reserve_nothing
from bench.models.offline.reader import OfflineReader
from bench.registry import load_strategy, load_suite, offline_rules, strategy_names
from bench.runner.artifacts import LearnedArtifact, Provenance
from bench.runner.build import RunContext, build_run
from bench.runner.concealment import conceal
from bench.runner.frames import limit_replies
from bench.runner.simulate import Job, Parts, make_kit, simulate
from bench.runner.splits import TWO_SPLITS
from bench.store.database import Plan
from bench.types import Call, Shape, Status, Trial, TrialKey
from tests.replies.styles import COMMANDLESS, STYLES, Style
from tests.servers.styling import CachedReader, StyledModel

__all__ = ["SUITES", "Cell", "Player", "Suite", "choose_styles", "playable_strategies"]

_SCORES = ("success", "progress", "steps", "f1", "set_f1", "bleu1")
_NOWHERE = Path("/nowhere")
_UNSCORED = ("thinking_tokens", "got an empty one")
"""Words of errors that leave a trial unscored, to be played again: an endpoint is set up badly, or fails."""
_COLLECTOR = "full-history"
_SILENT_STEPS = 3
"""The step cap where no reply holds a command: nothing is won there."""


@dataclass(frozen=True, slots=True)
class Suite:
    """What is played of a suite. ``data``: the folder that it needs under ``$BENCH_DATA``; empty = none."""

    name: str
    split: str
    limit: int = 1
    steps: int = 0
    data: str = ""
    needs: str = ""

    @property
    def shape(self) -> Shape:
        return load_suite(self.name).shape

    @property
    def is_there(self) -> bool:
        root = Path(os.environ.get("BENCH_DATA") or _NOWHERE)
        return (not self.data or (root / self.data).is_dir()) and (not self.needs or find_spec(self.needs) is not None)


SUITES = (
    Suite("toy", "houses", limit=2),
    Suite("toy-talk", "talks"),
    Suite("alfworld", "procedural", limit=2),
    Suite("pddl", "generated", limit=2),
    Suite("jericho", "zork", steps=12, data="jericho", needs="jericho"),
    Suite("locomo", "generated"),
    Suite("longmemeval", "oracle", data="longmemeval"),
)


def playable_strategies(shape: Shape) -> tuple[str, ...]:
    """Return the strategies that serve a shape, make a call for a decision, and have their package or program."""
    found = []
    for name in strategy_names():
        strategy = load_strategy(name)
        if (
            shape in strategy.serves
            and name not in ("always-refuse", "agent")
            and not (strategy.needs and find_spec(strategy.needs) is None)
        ):
            found.append(name)
    return tuple(found)


def choose_styles(shape: Shape, command: bool) -> tuple[Style, ...]:
    """Return the styles of a shape in which a reply is to be followed, or those in which it holds nothing to follow."""
    ours = [one for one in (*STYLES, *COMMANDLESS) if (one.actions if shape is Shape.EPISODE else one.answers)]
    return tuple(one for one in ours if _carries_command(one, shape) is command)


def _carries_command(style: Style, shape: Shape) -> bool:
    # A guess at an action is never executed.
    return style.command and (style.sure or shape is Shape.CONVERSATION)


@dataclass(frozen=True, slots=True)
class Cell:
    """One strategy on the tasks of one suite in one style."""

    suite: str
    strategy: str
    style: str
    command: bool
    decisions: int = 0
    asked_again: int = 0
    unreadable: int = 0
    repaired: int = 0
    fault: str = ""
    """What is not as it should be; empty if all is."""


@dataclass(slots=True)
class _Recorder:
    def commit_call(self, key: TrialKey, call: Call) -> None:
        pass

    def supersede(self, key: TrialKey) -> None:
        pass

    reserve = staticmethod(reserve_nothing)


@cache
def _open(suite: Suite, steps: int) -> RunContext:
    names = playable_strategies(suite.shape)
    learn = LearnConfig(policy=TWO_SPLITS, split=suite.split)
    config = RunConfig(
        suites=(suite.name,), strategies=names, split=suite.split, limit=suite.limit, steps=steps, learn=learn
    )
    return build_run(config, Path(os.environ.get("BENCH_DATA") or _NOWHERE))


@cache
def _reader() -> OfflineReader:
    return OfflineReader(offline_rules())


@cache
def _gather(suite: Suite, steps: int) -> tuple[Trial, ...]:
    """Return the tasks as a full history plays them in the plain style."""
    context, model = _open(suite, steps), _reader()
    plans = [plan for plan in context.plans if plan.key.strategy == _COLLECTOR]
    trials = [
        simulate(Job(one.key, one.task), replace(context.build_parts(one.key), model=model), _Recorder())
        for one in plans
    ]
    return tuple(conceal(trial, f"task-{at:04d}") for at, trial in enumerate(trials, start=1))


@dataclass(slots=True)
class Player:
    """Plays one strategy on one suite; plain replies and the plain outcome are worked out once."""

    suite: Suite
    strategy: str
    _cached: CachedReader = field(default_factory=lambda: CachedReader(_reader()))
    _plain: tuple[Trial, ...] = ()

    def play(self, style: Style) -> tuple[Trial, ...]:
        silent = not _carries_command(style, self.suite.shape) and self.suite.shape is Shape.EPISODE
        context = _open(self.suite, _SILENT_STEPS if silent else self.suite.steps)
        plans = [plan for plan in context.plans if plan.key.strategy == self.strategy]
        return tuple(self._play(context, plan, style) for plan in plans)

    def _play(self, context: RunContext, plan: Plan, style: Style) -> Trial:
        parts = replace(context.build_parts(plan.key), model=StyledModel(self._cached, style))
        if parts.strategy.learn:
            parts = replace(parts, learned=self._learn(context, plan, parts))
        return simulate(Job(plan.key, plan.task), parts, _Recorder())

    def _learn(self, context: RunContext, plan: Plan, parts: Parts) -> LearnedArtifact:
        """Return what the learner makes of the tasks as a full history plays them, in the style of ``parts``.

        A task is learned from under another name, so that all of it is shown: scores are compared, not believed.
        """
        gathered = _gather(self.suite, context.config.steps)
        built, meter = context.suites[plan.key.suite], Meter(lambda call: None)
        frame = limit_replies(built.open_frame(plan.task), parts.reply_tokens)
        assert parts.strategy.learn is not None
        artifact = parts.strategy.learn(gathered, make_kit(parts, Job(plan.key, plan.task), meter, frame))
        about = Provenance(
            parts.strategy.name, self.strategy, self.suite.name, plan.key.split, TWO_SPLITS, 0, plan.key.model,
            (_COLLECTOR,), "", len(gathered), 0, {}, {}, {},
        )  # fmt: skip
        return LearnedArtifact(artifact, about)

    @property
    def plain(self) -> tuple[Trial, ...]:
        self._plain = self._plain or self.play(STYLES[0])
        return self._plain

    def check(self, style: Style) -> Cell:
        """Play in a style and compare with the plain one."""
        command = _carries_command(style, self.suite.shape)
        trials = self.play(style)
        readings = [step.decision.reading for trial in trials for step in trial.steps]
        faults = list(_iterate_faults(trials, self.plain) if command else _iterate_faults_of_silence(trials))
        return Cell(
            self.suite.name, self.strategy, style.name, command,
            len(readings), sum(one.asked_again for one in readings), sum(one.unreadable for one in readings),
            sum(bool(one.repairs) for one in readings), next(iter(faults), ""),
        )  # fmt: skip


def _iterate_faults(trials: tuple[Trial, ...], plain: tuple[Trial, ...]) -> Iterator[str]:
    """Yield what differs from the plain style."""
    for trial, before in zip(trials, plain, strict=True):
        if trial.status is not before.status:
            yield f"{trial.status.value}: {trial.error[:160]}"
        elif _read_scores(trial) != _read_scores(before):
            yield _find_first_difference(trial, before)


def _read_scores(trial: Trial) -> list[Mapping[str, float | None]]:
    return [{score.name: score.value for score in item.scores if score.name in _SCORES} for item in trial.items]


def _find_first_difference(trial: Trial, before: Trial) -> str:
    for step, plain in zip(trial.steps, before.steps, strict=False):
        if step.decision.text != plain.decision.text:
            return f"step {step.index}: {step.decision.text[:50]!r} for {plain.decision.text[:50]!r}"
    return f"{len(trial.steps)} decisions for {len(before.steps)}"


def _iterate_faults_of_silence(trials: tuple[Trial, ...]) -> Iterator[str]:
    """Yield where a reply without a command was followed or not counted."""
    for trial in trials:
        if trial.status is Status.MODEL_ERROR and any(words in trial.error for words in _UNSCORED):
            continue
        if not trial.status.scored:
            yield f"{trial.status.value}: {trial.error[:160]}"
        for step in trial.steps:
            if step.decision.reading.thought:
                continue  # "think:" marks a thought whatever stands around it, and nothing is done about one
            if step.decision.text:
                yield f"step {step.index}: {step.decision.text[:50]!r} for nothing"
            elif not step.decision.reading.unreadable:
                yield f"step {step.index}: not counted as unreadable"
