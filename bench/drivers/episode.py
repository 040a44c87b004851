"""The driver of an episode."""

from __future__ import annotations

from dataclasses import replace

from bench.drivers.watch import DriverHooks, Watch
from bench.errors import ContextOverflow, EnvError, GaveUp, Refused, boundary
from bench.protocols import Agent, Environment, HasNeededFacts, HasThoughts, NeededFact
from bench.replies import ThoughtCounter
from bench.types import (
    Decision,
    EndReason,
    Event,
    EventKind,
    Evidence,
    Limits,
    Observation,
    Opening,
    Phase,
    Shape,
    Step,
    Stimulus,
)

__all__ = ["GOAL_REF", "UNREADABLE", "run_episode"]

GOAL_REF = "goal"
_ENDINGS = {ContextOverflow: EndReason.TOKEN_CAP, Refused: EndReason.REFUSED, GaveUp: EndReason.GAVE_UP}
UNREADABLE = "Nothing happens: your reply held no action that could be read."
"""What an agent observes after a reply without a readable action, in every environment."""


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
        return _Episode(agent, env, opening, Watch(hooks or DriverHooks(), limits)).take_steps(limits, record)
    except (ContextOverflow, Refused, GaveUp) as ending:
        return _ENDINGS[type(ending)]


class _Episode:
    """One episode in progress: what was last observed."""

    def __init__(self, agent: Agent, env: Environment, opening: Opening, watch: Watch):
        self._agent, self._env, self._goal, self._watch = agent, env, opening.goal, watch
        self._progress, self._taken, self._repeats, self._last_action = 0.0, 0, 0, ""
        self._told = ["o0" if opening.observation else GOAL_REF]  # by the environment's steps
        self._thoughts = ThoughtCounter(agent.thoughts if isinstance(agent, HasThoughts) else opening.frame.thoughts)
        self._show(Event(GOAL_REF, EventKind.GOAL, opening.goal))
        for number, text in enumerate(filter(None, opening.feedback), start=1):
            watch.observe(agent, Event(f"f{number}", EventKind.FEEDBACK, text))  # not what the agent reacts to
        if opening.observation:
            self._show(Event("o0", EventKind.OBSERVATION, opening.observation))

    def _show(self, event: Event) -> None:
        self._last = event
        self._watch.observe(self._agent, event)

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
        watch, facts = self._watch, self._find_needed()
        # The opening stands in the prompt as the goal; as the current observation it would be there twice.
        text = "" if self._last.kind is EventKind.GOAL else self._last.text
        stimulus = Stimulus(Shape.EPISODE, text, self._goal, index, self._last.ref)
        watch.start(Phase.ACT, index)
        decision = watch.decide(self._agent, stimulus)
        evidence = watch.find_evidence(self._agent, [self._told[fact.step] for fact in facts], decision)
        decision, observation = self._carry_out(decision)
        if evidence is not None:
            evidence = self._judge(replace(evidence, facts=tuple(fact.names for fact in facts)), decision)
        if decision.text.strip() and not decision.reading.thought:
            self._told.append(f"o{index}")
        self._progress = observation.progress
        end = self._find_end(decision, observation, limits)
        if end is None:
            watch.enter(Phase.WRITE, index)
            watch.observe(self._agent, Event(f"a{index}", EventKind.ACTION, decision.text, index))
            self._show(Event(f"o{index}", EventKind.OBSERVATION, observation.text, index))
        return replace(watch.close_step(stimulus, decision, observation), evidence=evidence), end

    def _find_needed(self) -> list[NeededFact]:
        """Return what the next right action depends on, without what the prompt shows anyway."""
        if not isinstance(self._env, HasNeededFacts):
            return []
        with boundary(EnvError, "needed facts"):
            return [one for one in self._env.find_needed() if self._told[one.step] not in (GOAL_REF, self._last.ref)]

    def _judge(self, evidence: Evidence, decision: Decision) -> Evidence | None:
        """Say whether the decision missed what the facts call for; a thought is no action that could."""
        if decision.reading.thought:
            return None
        with boundary(EnvError, "judge action"):
            followed = isinstance(self._env, HasNeededFacts) and self._env.followed_plan()
        return replace(evidence, missed=not (decision.text.strip() and followed))
