"""The two drivers: play one episode, hold one conversation. Each shows every memory the same events in the same order.

A driver owns control flow and caps; it knows no registry, no store and no configuration. What has happened so far lies
in the ``record`` list that the caller passes in, so an exception in the middle loses nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from bench.errors import EnvError, Interrupted, ModelError, StrategyError, boundary
from bench.protocols import Agent, Conversation, Environment, Ledger
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
    Walls,
)

__all__ = ["GOAL_REF", "NoLedger", "Pulse", "converse", "play"]

GOAL_REF = "goal"


class NoLedger:
    """The ledger of a driver that nobody meters: counts nothing."""

    def enter(self, phase: Phase, step: int) -> None:
        pass

    def model_s(self) -> float:
        return 0.0

    def prompt_tokens(self) -> int | None:
        return 0

    def tokens(self) -> int:
        return 0


@dataclass(slots=True)
class Pulse:
    """How a driver is watched from outside: a stop flag to obey, the wall clock, a counter of context tokens."""

    stopped: Callable[[], bool] = lambda: False
    clock: Callable[[], float] = time.perf_counter
    count: Callable[[str], int] = lambda text: len(text.split())
    ledger: Ledger = field(default_factory=NoLedger)


def play(
    agent: Agent, env: Environment, opening: Opening, limits: Limits, record: list[Step], pulse: Pulse | None = None
) -> EndReason:
    """Play one episode to its end and append each step to ``record``.

    Events: goal, first observation (if it stands apart), then action and observation of each step. Only the
    environment's ``won`` is success; its ``done`` without ``won`` is ``lost``.
    Raises: StrategyError, ModelError, EnvError; Interrupted when ``pulse.stopped`` says so.
    """
    turn = _Turn(agent, env, opening, pulse or Pulse())
    turn.begin()
    same = 0
    for index in range(1, limits.step_cap + 1):
        turn.check(limits, record)
        step = turn.take(index)
        same = same + 1 if record and record[-1].decision.text == step.decision.text else 1
        record.append(step)
        if step.observation.won:
            return EndReason.WON
        if step.observation.done:
            return EndReason.LOST
        if limits.loop_cap and same >= limits.loop_cap:
            return EndReason.LOOP_CAP
        if limits.token_cap and turn.pulse.ledger.tokens() >= limits.token_cap:
            return EndReason.TOKEN_CAP
    return EndReason.STEP_CAP


def converse(
    agent: Agent, talk: Conversation, limits: Limits, record: list[Step], pulse: Pulse | None = None
) -> EndReason:
    """Show one conversation to the agent's memory, then ask every question once; append one step per question.

    Nothing is observed after the first question, so the order of questions cannot matter.
    Raises: StrategyError, ModelError, Interrupted.
    """
    pulse = pulse or Pulse()
    ledger, clock = pulse.ledger, pulse.clock
    t0 = clock()
    ledger.enter(Phase.WRITE, 0)
    for event in talk.events():
        if pulse.stopped():
            raise Interrupted("run: stopped by the user")
        with boundary(StrategyError, "observe"):
            agent.memory.observe(event)
    writing_s = max(0.0, clock() - t0 - ledger.model_s())
    for index, question in enumerate(talk.questions(), start=1):
        if pulse.stopped():
            raise Interrupted("run: stopped by the user")
        if limits.token_cap and ledger.tokens() >= limits.token_cap:
            return EndReason.TOKEN_CAP
        goal = f"{question.text} (asked on {question.time})" if question.time else question.text
        stimulus = Stimulus(Shape.CONVERSATION, question.text, goal, index)
        ledger.enter(Phase.ACT, index)
        t1, model0, prompt0 = clock(), ledger.model_s(), ledger.prompt_tokens()
        with boundary(StrategyError, "decide"):
            decision = agent.decide(stimulus)
        model_s = ledger.model_s() - model0
        walls = Walls(model_s, 0.0, writing_s + max(0.0, clock() - t1 - model_s))
        writing_s = 0.0
        observation = Observation("", done=True, executed=decision.text)
        prompt = _less(ledger.prompt_tokens(), prompt0)
        record.append(Step(index, stimulus, decision, observation, pulse.count(decision.context.text), prompt, walls))
    return EndReason.ANSWERED


def _less(later: int | None, earlier: int | None) -> int | None:
    return None if later is None or earlier is None else later - earlier


class _Turn:
    """One episode in progress: what was last seen, and the clocks."""

    def __init__(self, agent: Agent, env: Environment, opening: Opening, pulse: Pulse):
        self.agent, self.env, self.opening, self.pulse = agent, env, opening, pulse
        self.began = pulse.clock()
        self.seen = Event(GOAL_REF, EventKind.GOAL, opening.goal)

    def begin(self) -> None:
        self._observe(self.seen)
        if self.opening.observation:
            self.seen = Event("o0", EventKind.OBSERVATION, self.opening.observation)
            self._observe(self.seen)

    def check(self, limits: Limits, record: list[Step]) -> None:
        """Obey the stop flag and the wall limit of a whole task."""
        if self.pulse.stopped():
            raise Interrupted("run: stopped by the user")
        spent = self.pulse.clock() - self.began
        if limits.task_wall_s and spent > limits.task_wall_s:
            in_model = self.pulse.ledger.model_s()
            error = ModelError if in_model > spent / 2 else EnvError
            raise error(
                f"task: expected an end within {limits.task_wall_s:g} s, got {spent:.0f} s at step {len(record)} "
                f"({in_model:.0f} s of it in the model); raise the task time limit or look at the endpoint"
            )

    def take(self, index: int) -> Step:
        ledger, clock = self.pulse.ledger, self.pulse.clock
        shown = "" if self.seen.kind is EventKind.GOAL else self.seen.text
        stimulus = Stimulus(Shape.EPISODE, shown, self.opening.goal, index, self.seen.ref)
        ledger.enter(Phase.ACT, index)
        t0, model0, prompt0 = clock(), ledger.model_s(), ledger.prompt_tokens()
        with boundary(StrategyError, "decide"):
            decision = self.agent.decide(stimulus)
        t1, prompt = clock(), _less(ledger.prompt_tokens(), prompt0)
        with boundary(EnvError, "step"):
            observation = self.env.step(decision.text)
        t2 = clock()
        self._tell(index, decision, observation)
        model_s = ledger.model_s() - model0
        return Step(
            index,
            stimulus,
            decision,
            observation,
            self.pulse.count(decision.context.text),
            prompt,
            Walls(model_s, t2 - t1, max(0.0, t1 - t0 + clock() - t2 - model_s)),
        )

    def _tell(self, index: int, decision: Decision, observation: Observation) -> None:
        self.pulse.ledger.enter(Phase.WRITE, index)
        self._observe(Event(f"a{index}", EventKind.ACTION, decision.text, index))
        self.seen = Event(f"o{index}", EventKind.OBSERVATION, observation.text, index)
        self._observe(self.seen)

    def _observe(self, event: Event) -> None:
        with boundary(StrategyError, "observe"):
            self.agent.memory.observe(event)
