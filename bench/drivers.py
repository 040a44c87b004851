"""The two drivers: run one episode, run one conversation. Each shows every memory the same events in the same order.

A driver owns control flow and caps; it knows no registry, no store and no configuration. The steps taken so far are in
the ``record`` list that the caller passes in, so an exception in the middle loses nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bench.errors import ContextOverflow, EnvError, GaveUp, Interrupted, ModelError, Refused, StrategyError, boundary
from bench.protocols import Agent, Conversation, Environment, HasThoughts, write_question
from bench.replies import ThoughtCounter
from bench.types import (
    Call,
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
    count_prompt_tokens,
)

__all__ = ["GOAL_REF", "UNREADABLE", "DriverHooks", "run_conversation", "run_episode"]

GOAL_REF = "goal"
_ENDINGS = {ContextOverflow: EndReason.TOKEN_CAP, Refused: EndReason.REFUSED, GaveUp: EndReason.GAVE_UP}
UNREADABLE = "Nothing happens: your reply held no action that could be read."
"""What an agent observes after a reply without a readable action, in every environment."""


@dataclass(slots=True)
class DriverHooks:
    """How a driver is watched from outside: a stop flag to obey, the wall clock, and the meter of the trial's calls."""

    stopped: Callable[[], bool] = lambda: False
    clock: Callable[[], float] = time.perf_counter
    count: Callable[[str], int] = lambda text: len(text.split())
    """Counts the tokens of a context."""
    enter: Callable[[Phase, int], None] = lambda _phase, _step: None
    """Called with the trial's phase and step: the calls that follow are booked under both."""
    calls: Sequence[Call] = ()
    """The calls of the trial so far; grows while the trial runs."""
    record_s: Callable[[], float] = lambda: 0.0
    """Wall seconds spent on recording calls since the trial began."""


def run_episode(
    agent: Agent,
    env: Environment,
    opening: Opening,
    limits: Limits,
    record: list[Step],
    hooks: DriverHooks | None = None,
) -> EndReason:
    """Run one episode to its end and append each step to ``record``.

    Events: goal, feedback, first observation (if separate), action and observation of all steps but the last.
    Only the environment's ``won`` is success; its ``done`` without ``won`` is ``lost``.
    Raises: StrategyError, ModelError, EnvError; Interrupted when ``hooks.stopped`` is true.
    """
    try:
        return _Episode(agent, env, opening, _Watch(hooks or DriverHooks(), limits)).take_steps(limits, record)
    except (ContextOverflow, Refused, GaveUp) as ending:
        return _ENDINGS[type(ending)]


def run_conversation(
    agent: Agent, conversation: Conversation, limits: Limits, record: list[Step], hooks: DriverHooks | None = None
) -> EndReason:
    """Show one conversation to the agent's memory, then ask every question once; append one step per question.
    Nothing is observed after the first question, so the order of questions cannot matter.

    Raises: StrategyError, ModelError, EnvError; Interrupted when ``hooks.stopped`` is true.
    """
    watch = _Watch(hooks or DriverHooks(), limits)
    for event in conversation.events():
        watch.check_limits()
        try:
            _observe(agent, event)
        except ContextOverflow:  # a memory that cannot take it all in answers nothing
            return EndReason.TOKEN_CAP
    write_s = watch.measure_memory_s(watch.find_calls())
    for index, question in enumerate(conversation.questions(), start=1):
        if watch.reaches_token_cap():
            return EndReason.TOKEN_CAP
        stimulus = Stimulus(Shape.CONVERSATION, question.text, write_question(question), index)
        watch.start(Phase.ACT, index)
        decision = _answer(agent, stimulus)
        record.append(watch.close_step(stimulus, decision, Observation("", True, executed=decision.text), write_s))
        write_s = 0.0
    return EndReason.ANSWERED


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
    except (ContextOverflow, Refused, GaveUp) as ending:
        return Decision("", str(ending))


class _Episode:
    """One episode in progress: what was last observed."""

    def __init__(self, agent: Agent, env: Environment, opening: Opening, watch: _Watch):
        self._agent, self._env, self._goal, self._watch = agent, env, opening.goal, watch
        self._progress, self._taken, self._repeats, self._last_action = 0.0, 0, 0, ""
        self._thoughts = ThoughtCounter(agent.thoughts if isinstance(agent, HasThoughts) else opening.frame.thoughts)
        self._show(Event(GOAL_REF, EventKind.GOAL, opening.goal))
        for number, text in enumerate(filter(None, opening.feedback), start=1):
            _observe(agent, Event(f"f{number}", EventKind.FEEDBACK, text))  # not what the agent reacts to
        if opening.observation:
            self._show(Event("o0", EventKind.OBSERVATION, opening.observation))

    def _show(self, event: Event) -> None:
        self._last = event
        _observe(self._agent, event)

    def take_steps(self, limits: Limits, record: list[Step]) -> EndReason:
        """Take steps until one ends the episode, and append each to ``record``."""
        while limits.step_cap > 0:
            if self._watch.reaches_token_cap():
                return EndReason.TOKEN_CAP
            step, end = self.take_step(len(record) + 1, limits)
            record.append(step)
            if end:
                return end
        return EndReason.STEP_CAP

    def _find_end(self, decision: Decision, observation: Observation, limits: Limits) -> EndReason | None:
        """Return why a step is the last; a thought that is free is none."""
        if decision.reading.thought == "free":
            return None
        self._taken += 1
        self._repeats = self._repeats + 1 if decision.text == self._last_action else 1
        self._last_action = decision.text
        if observation.won or observation.done:
            return EndReason.WON if observation.won else EndReason.LOST
        if limits.loop_cap and self._repeats >= limits.loop_cap:
            return EndReason.LOOP_CAP
        return EndReason.STEP_CAP if self._taken >= limits.step_cap else None

    def _carry_out(self, decision: Decision) -> tuple[Decision, Observation]:
        """Return the decision and what came of it. A thought or an unreadable action never reaches the environment."""
        if answered := self._thoughts.answer(decision.text, self._progress):
            reading = replace(decision.reading, thought=answered[0])
            return replace(decision, reading=reading), answered[1]
        if decision.text.strip():
            return decision, self._watch.time_environment(self._env, decision.text)
        return decision, Observation(UNREADABLE, progress=self._progress, valid=False, invalid_reason="unreadable")

    def take_step(self, index: int, limits: Limits) -> tuple[Step, EndReason | None]:
        """Decide, act, and show the memory what came of it, unless the episode ends with it: no call is then made."""
        watch = self._watch
        # The opening stands in the prompt as the goal; as the current observation it would be there twice.
        text = "" if self._last.kind is EventKind.GOAL else self._last.text
        stimulus = Stimulus(Shape.EPISODE, text, self._goal, index, self._last.ref)
        watch.start(Phase.ACT, index)
        decision, observation = self._carry_out(_decide(self._agent, stimulus))
        self._progress = observation.progress
        end = self._find_end(decision, observation, limits)
        if end is None:
            watch.enter(Phase.WRITE, index)
            _observe(self._agent, Event(f"a{index}", EventKind.ACTION, decision.text, index))
            self._show(Event(f"o{index}", EventKind.OBSERVATION, observation.text, index))
        return watch.close_step(stimulus, decision, observation), end


class _Watch:
    """Clocks and caps of one trial: says what each step cost and when to stop."""

    def __init__(self, hooks: DriverHooks, limits: Limits):
        self._hooks, self._limits = hooks, limits
        self.enter = hooks.enter
        self._began = hooks.clock()
        self.start(Phase.WRITE, 0)

    def start(self, phase: Phase, step: int) -> None:
        """Begin a step: the wall time and the calls from here on are its own."""
        self._first_call, self._env_s = len(self._hooks.calls), 0.0
        self.enter(phase, step)
        self._record_s, self._at = self._hooks.record_s(), self._hooks.clock()

    def time_environment(self, env: Environment, action: str) -> Observation:
        began = self._hooks.clock()
        with boundary(EnvError, "step"):
            observation = env.step(action)
        self._env_s = self._hooks.clock() - began
        return observation

    def measure_memory_s(self, calls: Sequence[Call]) -> float:
        """Wall seconds since the step began that neither the model, the environment nor recording used."""
        elsewhere_s = _sum_latency_s(calls) + self._env_s + self._hooks.record_s() - self._record_s
        return max(0.0, self._hooks.clock() - self._at - elsewhere_s)

    def close_step(self, stimulus: Stimulus, decision: Decision, got: Observation, write_s: float = 0.0) -> Step:
        """Return the step that ``start`` began. ``write_s``: memory time from before it."""
        calls = self.find_calls()
        timings = Timings(_sum_latency_s(calls), self._env_s, self.measure_memory_s(calls) + write_s)
        context_tokens = self._hooks.count(decision.context.text)
        return Step(stimulus.step, stimulus, decision, got, context_tokens, count_prompt_tokens(calls), timings)

    def find_calls(self) -> list[Call]:
        """Return the completed calls of the present step: those made since it began."""
        return [call for call in self._hooks.calls[self._first_call :] if call.status.completed]

    def reaches_token_cap(self) -> bool:
        """True if the token cap is reached; obeys the stop flag and the wall limit as well."""
        self.check_limits()
        if not self._limits.token_cap:
            return False
        usages = [call.usage for call in self._hooks.calls if call.status.completed]
        return sum((usage.prompt or 0) + (usage.completion or 0) for usage in usages) >= self._limits.token_cap

    def check_limits(self) -> None:
        """Raises: Interrupted by the stop flag; ModelError or EnvError, whichever took longer, by the wall limit."""
        if self._hooks.stopped():
            raise Interrupted("run: stopped by the user")
        limit_s = self._limits.task_wall_s
        if limit_s and (spent_s := self._hooks.clock() - self._began) > limit_s:
            model_s = _sum_latency_s([call for call in self._hooks.calls if call.status.completed])
            error = ModelError if model_s > spent_s / 2 else EnvError
            raise error(
                f"task: expected an end within {limit_s:g} s, got {spent_s:.0f} s ({model_s:.0f} s of it the model); "
                "raise task_wall_s or look at the endpoint"
            )


def _sum_latency_s(calls: Sequence[Call]) -> float:
    return sum(call.latency_s for call in calls)
