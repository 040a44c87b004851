"""The driver of a conversation."""

from __future__ import annotations

from dataclasses import replace

from bench.drivers.watch import DriverHooks, Watch
from bench.errors import ContextOverflow, GaveUp, Refused
from bench.protocols import Agent, Conversation, HasEvidence, write_question
from bench.types import Decision, EndReason, Limits, Observation, Phase, Shape, Step, Stimulus

__all__ = ["run_conversation"]


def run_conversation(
    agent: Agent, conversation: Conversation, limits: Limits, record: list[Step], hooks: DriverHooks | None = None
) -> EndReason:
    """Show one conversation to the agent's memory, then ask every question once; append one step per question.
    Nothing is observed after the first question, so the order of questions cannot matter.

    Raises: StrategyError, ModelError, EnvError; Interrupted when ``hooks.stopped`` is true.
    """
    watch = Watch(hooks or DriverHooks(), limits)
    for event in conversation.events():
        watch.check_limits()
        try:
            watch.observe(agent, event)
        except ContextOverflow:  # a memory that cannot take it all in answers nothing
            return EndReason.TOKEN_CAP
    write_s = watch.measure_memory_s(watch.find_calls())
    for index, question in enumerate(conversation.questions(), start=1):
        if watch.reaches_token_cap():
            return EndReason.TOKEN_CAP
        stimulus = Stimulus(Shape.CONVERSATION, question.text, write_question(question), index)
        watch.start(Phase.ACT, index)
        decision = _answer(watch, agent, stimulus)
        needed = conversation.evidence(question) if isinstance(conversation, HasEvidence) else ()
        evidence = watch.find_evidence(agent, needed, decision)
        step = watch.close_step(stimulus, decision, Observation("", True, executed=decision.text), write_s)
        record.append(replace(step, evidence=evidence))
        write_s = 0.0
    return EndReason.ANSWERED


def _answer(watch: Watch, agent: Agent, stimulus: Stimulus) -> Decision:
    """A question that the model declines, or that does not fit its window, has an empty answer; the others go on."""
    try:
        return watch.decide(agent, stimulus)
    except (ContextOverflow, Refused, GaveUp) as ending:
        return Decision("", str(ending))
