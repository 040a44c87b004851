"""Run one trial that is already built: no registry, no configuration, no database of its own.

What a strategy may see is put together here alone; suite names, tasks and reference answers stay on this side.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial

from bench.drivers import DriverHooks, run_conversation, run_episode
from bench.errors import BenchError, ContextOverflow, DataError, EnvError, StrategyError, TrialError, boundary
from bench.models.cache.store import MissingReplyError
from bench.models.ledger.embedder import MeteredEmbedder
from bench.models.ledger.meter import Meter, ReplayMismatchError
from bench.models.ledger.metered import MeteredModel
from bench.models.ledger.routed import RoutedModel
from bench.protocols import (
    Agent,
    Conversation,
    Environment,
    HasClose,
    HasEvidence,
    Kit,
    Model,
    Strategy,
    write_question,
)
from bench.runner.concealment import conceal
from bench.runner.frames import describe_frame, digest, limit_replies
from bench.runner.parts import Job, Parts, Recorder, seed_of
from bench.scoring.grading import GradingContext, grade
from bench.scoring.judge import Judge, is_verdict
from bench.scoring.metrics import measure, measure_questions
from bench.secrets import scrub
from bench.types import (
    Artifact,
    EndReason,
    Fingerprint,
    Frame,
    Item,
    Limits,
    Phase,
    Query,
    Status,
    Step,
    Task,
    Timings,
    Trial,
)

Evidence = Callable[[Query], tuple[str, ...]]

__all__ = ["Job", "Parts", "Recorder", "make_kit", "seed_of", "simulate"]


@dataclass
class _Progress:
    """One trial in progress: what must survive an exception."""

    steps: list[Step] = field(default_factory=list)
    opening: str = ""
    feedback: tuple[str, ...] = ()
    fingerprint: Fingerprint = Fingerprint()
    end: EndReason = EndReason.ERROR
    items: tuple[Item, ...] = ()


def simulate(job: Job, parts: Parts, recorder: Recorder, stopped: Callable[[], bool] = lambda: False) -> Trial:
    """Run one trial to its end and return its record; what goes wrong inside is part of the record.

    Raises: Interrupted, BudgetStop, StoreError only: those end the run, not the trial.
    """
    began = time.perf_counter()
    cap = parts.strategy.inner_calls and parts.strategy.inner_calls + parts.ask_again
    booked = Phase.GATHER if parts.gathers else None
    meter = Meter(
        partial(recorder.commit_call, job.key), job.committed, cap=cap, stopped=stopped, book_as=booked,
        reserve=recorder.reserve,
    )  # fmt: skip
    run, status, error = _Progress(fingerprint=parts.fingerprint), Status.DONE, ""
    hooks = DriverHooks(
        stopped,
        count=parts.budget.count,
        enter=meter.enter,
        calls=meter.calls,
        record_s=meter.record_s,
        read_s=meter.read_s,
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
        run.fingerprint, time.perf_counter() - began, Timings.total(step.timings for step in run.steps), run.feedback,
    )  # fmt: skip
    return _score(trial, job.task, parts.limits)


def _play_task(job: Job, parts: Parts, meter: Meter, hooks: DriverHooks, run: _Progress) -> None:
    """Play the task; what ended the run in a call is raised, whatever the strategy made of it."""
    try:
        _play_shape(job, parts, meter, hooks, run)
    finally:
        meter.raise_end()


def _play_shape(job: Job, parts: Parts, meter: Meter, hooks: DriverHooks, run: _Progress) -> None:
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
        frame = limit_replies(opening.frame, parts.reply_tokens)
        run.fingerprint = _add_frame(run.fingerprint, frame, parts, opening.fingerprint)
        kit = make_kit(parts, job, meter, frame)
        run.feedback = _reflect(parts.strategy, job.previous, kit)
        opening = replace(opening, feedback=run.feedback)
        with _open_agent(parts.strategy, kit) as agent:
            run.end = run_episode(agent, world, opening, parts.limits, run.steps, hooks)
    finally:
        with suppress(Exception):  # what was played counts, whether or not the world closes cleanly
            world.close()


def _play_conversation(
    conversation: Conversation, job: Job, parts: Parts, meter: Meter, hooks: DriverHooks, run: _Progress
) -> None:
    """Run one conversation; where the strategy fails, what was answered before is graded."""
    frame = limit_replies(conversation.frame, parts.reply_tokens)
    run.fingerprint = _add_frame(run.fingerprint, frame, parts)
    evidence = _find_evidence(conversation) if parts.strategy.privileged else None
    grading = GradingContext(_build_judge(parts, meter), meter.enter, parts.budget.count)
    try:
        with _open_agent(parts.strategy, make_kit(parts, job, meter, frame, evidence)) as agent:
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


def _add_frame(known: Fingerprint, frame: Frame, parts: Parts, probed: Fingerprint = Fingerprint()) -> Fingerprint:
    found = Fingerprint(tuple((f"env.{name}", value) for name, value in probed.entries))
    return known.join(describe_frame(frame, parts.shape, parts.ask_again)).join(found)


def make_kit(parts: Parts, job: Job, meter: Meter, frame: Frame, evidence: Evidence | None = None) -> Kit:
    """Return what a strategy may use in one trial."""
    return Kit(
        model=_meter_models(parts, meter),
        embedder=MeteredEmbedder(parts.embedder, meter, cached=parts.cached),
        # A frame's id names its suite, which is nothing for a strategy to know.
        frame=replace(frame, id=digest(frame.id)),
        budget=parts.budget,
        params=parts.params,
        rng=random.Random(seed_of(job.key)),
        artifact=parts.learned.select(job.task, twins=parts.with_twins) if parts.learned else Artifact(),
        phase=meter.phase,
        check_stop=meter.check_stop,
        meter=lambda model: MeteredModel(model, meter),
        ask_again=parts.ask_again,
        evidence=evidence,
    )


def _meter_models(parts: Parts, meter: Meter) -> Model:
    """Return the model of a kit: the acting one, or that and the models of some roles."""
    acting = MeteredModel(parts.model, meter, cached=parts.cached)
    if not parts.role_models:
        return acting
    others = {role: MeteredModel(one.model, meter, cached=one.cached) for role, one in parts.role_models.items()}
    return RoutedModel(acting, others)


@contextmanager
def _open_agent(strategy: Strategy, kit: Kit) -> Iterator[Agent]:
    with boundary(StrategyError, f"build {strategy.name}"):
        agent = strategy.build(kit)
    try:
        yield agent
    finally:
        if isinstance(agent, HasClose):
            with suppress(Exception):  # what was played counts
                agent.close()


def _reflect(strategy: Strategy, previous: Trial | None, kit: Kit) -> tuple[str, ...]:
    """Return what there is to say about the earlier attempts: what was said before, and the text on the last one.

    An attempt that is too long to reflect on leaves an empty text.
    """
    if strategy.reflect is None or previous is None:
        return ()
    with boundary(StrategyError, f"reflect {strategy.name}"), suppress(ContextOverflow):
        return (*previous.feedback, strategy.reflect(conceal(previous), kit))
    return (*previous.feedback, "")


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
