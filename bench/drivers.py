"""The two drivers: play one episode, hold one conversation. Each shows every memory the same events in the same order.

A driver owns control flow and caps; it knows no registry, no store and no configuration. What has happened so far lies
in the ``record`` list that the caller passes in, so an exception in the middle loses nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from bench.errors import ContextOverflow, EnvError, Interrupted, ModelError, Refused, StrategyError, boundary
from bench.protocols import Agent, Conversation, Environment, Ledger, Question
from bench.types import (
    Decision,
    EndReason,
    Event,
    EventKind,
    Limits,
    Observation,
    Opening,
    Phase,
    Shape,
    Step,
    Stimulus,
    Timings,
)

__all__ = ["GOAL_REF", "DriverHooks", "NoLedger", "asked", "run_conversation", "run_episode"]

GOAL_REF = "goal"


class NoLedger:
    """The ledger of a driver that nobody meters: counts nothing."""

    def enter(self, phase: Phase, step: int) -> None:
        pass

    def model_s(self) -> float:
        return 0.0

    def record_s(self) -> float:
        return 0.0

    def prompt_tokens(self) -> int | None:
        return 0

    def tokens(self) -> int:
        return 0


@dataclass(slots=True)
class DriverHooks:
    """How a driver is watched from outside: a stop flag to obey, the wall clock, a counter of context tokens."""

    stopped: Callable[[], bool] = lambda: False
    clock: Callable[[], float] = time.perf_counter
    count: Callable[[str], int] = lambda text: len(text.split())
    ledger: Ledger = field(default_factory=NoLedger)


def run_episode(
    agent: Agent,
    env: Environment,
    opening: Opening,
    limits: Limits,
    record: list[Step],
    hooks: DriverHooks | None = None,
) -> EndReason:
    """Play one episode to its end and append each step to ``record``.

    Events: goal, first observation (if it stands apart), then action and observation of each step. Only the
    environment's ``won`` is success; its ``done`` without ``won`` is ``lost``.
    Raises: StrategyError, ModelError, EnvError; Interrupted when ``hooks.stopped`` says so.
    """
    try:
        return _take_steps(_Episode(agent, env, opening, _Watch(hooks or DriverHooks(), limits)), limits, record)
    except ContextOverflow:
        return EndReason.TOKEN_CAP
    except Refused:
        return EndReason.REFUSED


def _take_steps(episode: _Episode, limits: Limits, record: list[Step]) -> EndReason:
    same = 0
    for index in range(1, limits.step_cap + 1):
        if episode.watch.capped():
            return EndReason.TOKEN_CAP
        step = episode.take(index)
        same = same + 1 if record and record[-1].decision.text == step.decision.text else 1
        record.append(step)
        if step.observation.won:
            return EndReason.WON
        if step.observation.done:
            return EndReason.LOST
        if limits.loop_cap and same >= limits.loop_cap:
            return EndReason.LOOP_CAP
    return EndReason.STEP_CAP


def run_conversation(
    agent: Agent, conversation: Conversation, limits: Limits, record: list[Step], hooks: DriverHooks | None = None
) -> EndReason:
    """Show one conversation to the agent's memory, then ask every question once; append one step per question.

    Nothing is observed after the first question, so the order of questions cannot matter.
    Raises: StrategyError, ModelError, EnvError; Interrupted when ``hooks.stopped`` says so.
    """
    watch = _Watch(hooks or DriverHooks(), limits)
    watch.start(Phase.WRITE, 0)
    for event in conversation.events():
        watch.check()
        try:
            _observe(agent, event)
        except ContextOverflow:  # a memory that cannot take it all in answers nothing
            return EndReason.TOKEN_CAP
    written_s = watch.memory_s()
    for index, question in enumerate(conversation.questions(), start=1):
        if watch.capped():
            return EndReason.TOKEN_CAP
        stimulus = Stimulus(Shape.CONVERSATION, question.text, asked(question), index)
        watch.start(Phase.ACT, index)
        decision = _answer(agent, stimulus)
        answered = Observation("", done=True, executed=decision.text)
        record.append(watch.step(stimulus, decision, answered, written_s))
        written_s = 0.0
    return EndReason.ANSWERED


def asked(question: Question) -> str:
    """Return a question as it stands in the prompt: with its date, where it has one."""
    text = question.prompt or question.text
    return f"{text} (asked on {question.time})" if question.time else text


def _observe(agent: Agent, event: Event) -> None:
    with boundary(StrategyError, "observe"):
        agent.memory.observe(event)


def _decide(agent: Agent, stimulus: Stimulus) -> Decision:
    with boundary(StrategyError, "decide"):
        return agent.decide(stimulus)


def _answer(agent: Agent, stimulus: Stimulus) -> Decision:
    """A question that the model declines, or that does not fit its window, has an empty answer; the others go on."""
    try:
        return _decide(agent, stimulus)
    except (ContextOverflow, Refused) as ending:
        return Decision("", str(ending))


class _Episode:
    """One episode in progress: what was last seen."""

    def __init__(self, agent: Agent, env: Environment, opening: Opening, watch: _Watch):
        self._agent, self._env, self._goal, self.watch = agent, env, opening.goal, watch
        watch.start(Phase.WRITE, 0)
        self._see(Event(GOAL_REF, EventKind.GOAL, opening.goal))
        if opening.observation:
            self._see(Event("o0", EventKind.OBSERVATION, opening.observation))

    def _see(self, event: Event) -> None:
        self._seen = event
        _observe(self._agent, event)

    def take(self, index: int) -> Step:
        """Decide, act, and show the memory what came of it."""
        watch = self.watch
        # The opening stands in the prompt as the goal; showing it as the current observation would say it twice.
        shown = "" if self._seen.kind is EventKind.GOAL else self._seen.text
        stimulus = Stimulus(Shape.EPISODE, shown, self._goal, index, self._seen.ref)
        watch.start(Phase.ACT, index)
        decision = _decide(self._agent, stimulus)
        with watch.environment(), boundary(EnvError, "step"):
            observation = self._env.step(decision.text)
        watch.enter(Phase.WRITE, index)
        _observe(self._agent, Event(f"a{index}", EventKind.ACTION, decision.text, index))
        self._see(Event(f"o{index}", EventKind.OBSERVATION, observation.text, index))
        return watch.step(stimulus, decision, observation)


class _Watch:
    """Clocks and caps of one trial: splits each step's wall time and says when to stop."""

    def __init__(self, hooks: DriverHooks, limits: Limits):
        self._hooks, self._limits = hooks, limits
        self._began = hooks.clock()
        self.enter = hooks.ledger.enter
        self.start(Phase.WRITE, 0)

    def start(self, phase: Phase, step: int) -> None:
        """Begin a step: from here on its times and tokens are counted."""
        ledger = self._hooks.ledger
        ledger.enter(phase, step)
        self._at, self._env_s = self._hooks.clock(), 0.0
        self._model_s, self._record_s, self._prompt = ledger.model_s(), ledger.record_s(), ledger.prompt_tokens()

    @contextmanager
    def environment(self) -> Iterator[None]:
        began = self._hooks.clock()
        try:
            yield
        finally:
            self._env_s += self._hooks.clock() - began

    def memory_s(self) -> float:
        """Wall seconds since the step began that neither the model, the environment nor recording used."""
        ledger = self._hooks.ledger
        elsewhere_s = ledger.model_s() - self._model_s + ledger.record_s() - self._record_s + self._env_s
        return max(0.0, self._hooks.clock() - self._at - elsewhere_s)

    def step(self, seen: Stimulus, decision: Decision, got: Observation, written_s: float = 0.0) -> Step:
        """Close the step that ``start`` began. ``written_s``: memory time from before it."""
        ledger = self._hooks.ledger
        timings = Timings(ledger.model_s() - self._model_s, self._env_s, self.memory_s() + written_s)
        now = ledger.prompt_tokens()
        prompt = None if now is None or self._prompt is None else now - self._prompt
        return Step(seen.step, seen, decision, got, self._hooks.count(decision.context.text), prompt, timings)

    def capped(self) -> bool:
        """True if the token cap is reached; obeys the stop flag and the wall limit on the way."""
        self.check()
        return bool(self._limits.token_cap) and self._hooks.ledger.tokens() >= self._limits.token_cap

    def check(self) -> None:
        """Raises: Interrupted by the stop flag; ModelError or EnvError, whoever took longer, by the wall limit."""
        if self._hooks.stopped():
            raise Interrupted("run: stopped by the user")
        limit_s = self._limits.task_wall_s
        if limit_s and (spent_s := self._hooks.clock() - self._began) > limit_s:
            model_s = self._hooks.ledger.model_s()
            error = ModelError if model_s > spent_s / 2 else EnvError
            raise error(
                f"task: expected an end within {limit_s:g} s, got {spent_s:.0f} s ({model_s:.0f} s of it the model); "
                "raise task_wall_s or look at the endpoint"
            )
