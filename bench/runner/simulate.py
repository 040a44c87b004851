"""Run one trial that is already built: no registry, no configuration, no database of its own.

What a strategy may see is put together here alone; suite names, tasks and reference answers stay on this side.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from bench.drivers import DriverHooks, run_conversation, run_episode
from bench.errors import BenchError, DataError, EnvError, StrategyError, TrialError, boundary
from bench.models.cache.key import ScopedCache
from bench.models.cache.store import MissingReplyError
from bench.models.ledger.embedder import MeteredEmbedder
from bench.models.ledger.meter import Meter, ReplayMismatchError
from bench.models.ledger.metered import MeteredModel
from bench.protocols import (
    Agent,
    Budget,
    Conversation,
    ConversationSuite,
    Embedder,
    Environment,
    EpisodeSuite,
    HasEvidence,
    Kit,
    Model,
    Params,
    Strategy,
    write_question,
)
from bench.scoring.grading import GradingContext, grade
from bench.scoring.judge import Judge, is_verdict
from bench.scoring.metrics import measure, measure_questions
from bench.secrets import scrub
from bench.types import (
    Call,
    EndReason,
    Fingerprint,
    Frame,
    Item,
    Limits,
    Query,
    Shape,
    Status,
    Step,
    Task,
    Timings,
    Trial,
    TrialKey,
)

Evidence = Callable[[Query], tuple[str, ...]]

__all__ = ["Job", "Parts", "Recorder", "seed_of", "simulate"]


class Recorder(Protocol):
    """Where the calls of a trial go: the store, or a pipe to the process that owns it."""

    def commit_call(self, key: TrialKey, call: Call) -> None: ...

    def supersede(self, key: TrialKey) -> None: ...


@dataclass(frozen=True, slots=True)
class Job:
    """One trial to be run, and the calls of it that are already paid for."""

    key: TrialKey
    task: Task
    committed: tuple[Call, ...] = ()


@dataclass(frozen=True)
class Parts:
    """Everything one trial is built from."""

    shape: Shape
    suite: EpisodeSuite | ConversationSuite
    strategy: Strategy
    params: Params
    model: Model
    embedder: Embedder
    budget: Budget
    limits: Limits
    reply_tokens: int = 0
    """The most tokens of a reply that acts or answers; 0 = the frame says."""
    ask_again: int = 1
    cached: ScopedCache | None = None
    fingerprint: Fingerprint = Fingerprint()
    judge: Model | None = None
    """Grades answers in addition to the suite's own score; None = no judge."""
    judge_cached: ScopedCache | None = None


def seed_of(key: TrialKey) -> int:
    """Return the seed of a trial: a hash of its key, so that it never depends on order, time or process."""
    return int.from_bytes(hashlib.sha256(str(key).encode()).digest()[:8], "big")


def digest(text: str) -> str:
    """Return the first 16 hex digits of a text's SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass
class _Progress:
    """One trial in progress: what must survive an exception."""

    steps: list[Step] = field(default_factory=list)
    opening: str = ""
    fingerprint: Fingerprint = Fingerprint()
    end: EndReason = EndReason.ERROR
    items: tuple[Item, ...] = ()


def simulate(job: Job, parts: Parts, recorder: Recorder, stopped: Callable[[], bool] = lambda: False) -> Trial:
    """Run one trial to its end and return its record; what goes wrong inside is part of the record.

    Raises: Interrupted, BudgetStop, StoreError only: those end the run, not the trial.
    """
    began = time.perf_counter()
    cap = parts.strategy.inner_calls and parts.strategy.inner_calls + parts.ask_again
    meter = Meter(partial(recorder.commit_call, job.key), job.committed, cap=cap, stopped=stopped)
    run, status, error = _Progress(fingerprint=parts.fingerprint), Status.DONE, ""
    hooks = DriverHooks(
        stopped, count=parts.budget.count, enter=meter.enter, calls=meter.calls, record_s=meter.record_s
    )
    try:
        _play_task(job, parts, meter, hooks, run)
    except TrialError as failure:
        status, error = failure.status, scrub(str(failure))
        run.end = EndReason.ERROR
        if isinstance(failure, ReplayMismatchError):
            recorder.supersede(job.key)
    except MissingReplyError as missing:
        raise MissingReplyError(f"{job.key.strategy} on {job.key.task}, step {len(run.steps) + 1}: {missing}") from None
    except BenchError:
        raise
    except Exception as bug:
        status, error = Status.ENV_ERROR, scrub(f"harness: {type(bug).__name__}: {bug}")
        run.end = EndReason.ERROR
    trial = Trial(
        job.key, status, run.end, run.items, tuple(run.steps), tuple(meter.calls), error, run.opening,
        run.fingerprint, time.perf_counter() - began, Timings.total(step.timings for step in run.steps),
    )  # fmt: skip
    return _score(trial, job.task, parts.limits)


def _play_task(job: Job, parts: Parts, meter: Meter, hooks: DriverHooks, run: _Progress) -> None:
    """Open the task and hand it to the driver of its shape."""
    with boundary(DataError, f"open {job.task.id}"):
        world = parts.suite.open(job.task)
    if not isinstance(world, Environment):
        _play_conversation(world, job, parts, meter, hooks, run)
        return
    try:
        with boundary(EnvError, "reset"):
            opening = world.reset()
        run.opening = opening.goal
        frame = _limit_replies(parts, opening.frame)
        run.fingerprint = _add_frame(run.fingerprint, frame, parts, opening.fingerprint)
        agent = _build_agent(parts, job.key, meter, frame)
        run.end = run_episode(agent, world, opening, parts.limits, run.steps, hooks)
    finally:
        with suppress(Exception):  # what was played counts, whether or not the world closes cleanly
            world.close()


def _play_conversation(
    conversation: Conversation, job: Job, parts: Parts, meter: Meter, hooks: DriverHooks, run: _Progress
) -> None:
    """Run one conversation; where the strategy fails, what was answered before is graded."""
    frame = _limit_replies(parts, conversation.frame)
    run.fingerprint = _add_frame(run.fingerprint, frame, parts)
    evidence = _find_evidence(conversation) if parts.strategy.privileged else None
    grading = GradingContext(_build_judge(parts, meter), meter.enter, parts.budget.count)
    try:
        agent = _build_agent(parts, job.key, meter, frame, evidence)
        run.end = run_conversation(agent, conversation, parts.limits, run.steps, hooks)
    except StrategyError:
        run.items = grade(conversation, run.steps, job.task, grading)
        raise
    run.items = grade(conversation, run.steps, job.task, grading)


def _build_judge(parts: Parts, meter: Meter) -> Judge | None:
    if parts.judge is None:
        return None
    return Judge(MeteredModel(parts.judge, meter, cached=parts.judge_cached, accept=is_verdict))


def _find_evidence(conversation: Conversation) -> Evidence | None:
    """Return what gives a privileged strategy the evidence; a question asked twice has that of both."""
    if not isinstance(conversation, HasEvidence):
        return None
    known: dict[str, list[str]] = {}
    for question in conversation.questions():
        known.setdefault(write_question(question), []).extend(conversation.evidence(question))
    return lambda query: tuple(dict.fromkeys(known.get(query.goal, ())))


def _limit_replies(parts: Parts, frame: Frame) -> Frame:
    """Return the frame with the reply limit that is in force."""
    return replace(frame, max_tokens=parts.reply_tokens or frame.max_tokens)


def _add_frame(known: Fingerprint, frame: Frame, parts: Parts, probed: Fingerprint = Fingerprint()) -> Fingerprint:
    text = "\n".join((frame.id, frame.instructions, frame.examples, frame.label, frame.stimulus_label))
    limit = "reply_tokens" if parts.shape is Shape.EPISODE else "answer_tokens"
    named = {"frame": digest(text), limit: str(frame.max_tokens), "ask_again": str(parts.ask_again)}
    named |= frame.rules | dict(probed.entries)
    return known.join(Fingerprint(tuple((f"env.{name}", value) for name, value in named.items())))


def _build_agent(parts: Parts, key: TrialKey, meter: Meter, frame: Frame, evidence: Evidence | None = None) -> Agent:
    kit = Kit(
        model=MeteredModel(parts.model, meter, cached=parts.cached),
        embedder=MeteredEmbedder(parts.embedder, meter, cached=parts.cached),
        # A frame's id names its suite, which is nothing for a strategy to know.
        frame=replace(frame, id=digest(frame.id)),
        budget=parts.budget,
        params=parts.params,
        rng=random.Random(seed_of(key)),
        phase=meter.phase,
        ask_again=parts.ask_again,
        evidence=evidence,
    )
    with boundary(StrategyError, f"build {parts.strategy.name}"):
        return parts.strategy.build(kit)


def _score(trial: Trial, task: Task, limits: Limits) -> Trial:
    """Return the trial with the scores of its items; an unscored trial has none."""
    if not trial.status.scored:
        items: tuple[Item, ...] = ()
    elif trial.items:
        items = measure_questions(trial)
    else:
        scores = measure(trial, step_cap=limits.step_cap, optimal_steps=task.optimal_steps)
        items = (Item(task.id, task.group, task.cluster, scores),)
    return replace(trial, items=items)
