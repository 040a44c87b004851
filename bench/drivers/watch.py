"""What both drivers share: how a trial is watched from outside, and what passes between driver and agent."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.errors import EnvError, Interrupted, ModelError, StrategyError, boundary
from bench.protocols import Agent, Environment, HasReach
from bench.types import (
    Call,
    Decision,
    Event,
    Evidence,
    Latency,
    Limits,
    Observation,
    Phase,
    Step,
    Stimulus,
    Timings,
    count_prompt_tokens,
)

__all__ = ["DriverHooks", "Watch"]


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
    read_s: Callable[[], float] = lambda: 0.0
    """Wall seconds spent on reading from memory since the trial began, without recording."""


class Watch:
    """Clocks, caps and observed events of one trial: says what each step cost, when to stop, what is within reach."""

    def __init__(self, hooks: DriverHooks, limits: Limits):
        self._hooks, self._limits = hooks, limits
        self.enter = hooks.enter
        self._observed: set[str] = set()
        self._latency: Latency | None = None
        self._began = hooks.clock()
        self.start(Phase.WRITE, 0)

    def start(self, phase: Phase, step: int) -> None:
        """Begin a step: the wall time and the calls from here on are its own."""
        self._first_call, self._env_s, self._aside_s = len(self._hooks.calls), 0.0, 0.0
        self.enter(phase, step)
        self._record_s, self._at = self._hooks.record_s(), self._hooks.clock()

    def observe(self, agent: Agent, event: Event) -> None:
        """Show the agent's memory one event."""
        self._observed.add(event.ref)
        with boundary(StrategyError, "observe"):
            agent.memory.observe(event)

    def decide(self, agent: Agent, stimulus: Stimulus) -> Decision:
        """Return the agent's decision, and note what it took. Raises: StrategyError for what a strategy raises."""
        hooks = self._hooks
        began, read_s, record_s = hooks.clock(), hooks.read_s(), hooks.record_s()
        try:
            with boundary(StrategyError, "decide"):
                return agent.decide(stimulus)
        finally:
            own_s = hooks.clock() - began - (hooks.record_s() - record_s)
            # Calls of a resumed trial that come from the ledger took their time before.
            called_s = _sum_latency_s(self.find_calls())
            self._latency = Latency(max(0.0, hooks.read_s() - read_s), max(own_s, called_s))

    def find_evidence(self, agent: Agent, needed: Sequence[str], decision: Decision) -> Evidence | None:
        """Return what of the needed events the memory could still give; None where nothing that it observed is needed.

        Called right after the decision; the time it takes is nobody's.
        """
        began = self._hooks.clock()
        known = tuple(dict.fromkeys(ref for ref in needed if ref in self._observed))
        if not known:
            return None
        with boundary(StrategyError, "reach"):
            reach = agent.memory.reach() if isinstance(agent.memory, HasReach) else self._observed
        within = {*reach, *decision.context.refs}
        self._aside_s = self._hooks.clock() - began
        return Evidence(known, tuple(ref for ref in known if ref in within))

    def time_environment(self, env: Environment, action: str) -> Observation:
        began = self._hooks.clock()
        with boundary(EnvError, "step"):
            observation = env.step(action)
        self._env_s = self._hooks.clock() - began
        return observation

    def measure_memory_s(self, calls: Sequence[Call]) -> float:
        """Wall seconds since the step began that neither the model, the environment nor recording used."""
        elsewhere_s = _sum_latency_s(calls) + self._env_s + self._aside_s + self._hooks.record_s() - self._record_s
        return max(0.0, self._hooks.clock() - self._at - elsewhere_s)

    def close_step(self, stimulus: Stimulus, decision: Decision, got: Observation, write_s: float = 0.0) -> Step:
        """Return the step that ``start`` began. ``write_s``: memory time from before it."""
        calls = self.find_calls()
        timings = Timings(_sum_latency_s(calls), self._env_s, self.measure_memory_s(calls) + write_s)
        context_tokens = self._hooks.count(decision.context.text)
        prompt_tokens = count_prompt_tokens(calls)
        return Step(
            stimulus.step, stimulus, decision, got, context_tokens, prompt_tokens, timings, latency=self._latency
        )

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
            raise Interrupted
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
