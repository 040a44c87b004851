"""The one prompt skeleton, the one way to show events, and the default agent: recall, compose, chat, parse.

Every strategy's prompt is made here, so strategies differ in the context slot alone. Those that change the turn write
their own agent from the same pieces. This file knows no suite and no strategy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from bench.errors import StrategyError, boundary
from bench.protocols import Agent, Budget, Kit, Memory
from bench.types import Context, Decision, Event, EventKind, Frame, Message, Phase, Query, Role, Shape, Stimulus

__all__ = [
    "CONTEXT_HEADING",
    "GOAL_HEADING",
    "NOW_HEADING",
    "QUESTION_HEADING",
    "DefaultAgent",
    "compose",
    "default_agent",
    "parse_reply",
    "recall",
    "recall_with_notice",
    "render",
    "render_event",
    "within",
]

GOAL_HEADING = "# Task"
CONTEXT_HEADING = "# Memory"
NOW_HEADING = "# Now"
QUESTION_HEADING = "# Question"

_LABELS = {
    EventKind.GOAL: "Task",
    EventKind.OBSERVATION: "Observation",
    EventKind.ACTION: "Action",
    EventKind.NOTE: "Note",
    EventKind.FEEDBACK: "Feedback",
}


def render_event(event: Event) -> str:
    """Return one event as its line in a prompt; empty for the end of a session, which has no text.

    Episode: ``[3] Action: go to shelf 1`` and ``[3] Observation: On the shelf 1, you see a mug 2.``
    Conversation: ``[8 May, 2023] Ann: I moved to Oslo.``
    """
    if event.kind is EventKind.SESSION_END:
        return ""
    if event.kind is EventKind.TURN:
        return f"[{event.time}] {event.speaker}: {event.text}" if event.time else f"{event.speaker}: {event.text}"
    return f"[{event.step}] {_LABELS[event.kind]}: {event.text}"


def render(events: Iterable[Event]) -> str:
    """Return the events as prompt lines, one each, in the order given."""
    return "\n".join(line for line in map(render_event, events) if line)


def compose(frame: Frame, stimulus: Stimulus, context: str, *, dialect: str = "") -> tuple[Message, ...]:
    """Return the messages of one decision: the frame and the goal are fixed, the context is the strategy's.

    Order is from what never changes to what always does, so that a provider's prefix cache can help.
    """
    system = "\n\n".join(part for part in (frame.instructions, dialect, frame.examples) if part)
    parts = []
    if stimulus.shape is Shape.EPISODE:
        parts.append(f"{GOAL_HEADING}\n{stimulus.goal}")
    if context:
        parts.append(f"{CONTEXT_HEADING}\n{context}")
    if stimulus.shape is Shape.CONVERSATION:
        parts.append(f"{QUESTION_HEADING}\n{stimulus.goal}")
    elif stimulus.text:
        parts.append(f"{NOW_HEADING}\n{frame.stimulus_label} {stimulus.text}")
    parts.append(frame.label)
    return (Message("system", system), Message("user", "\n\n".join(parts)))


def parse_reply(text: str, label: str) -> str:
    """Return what follows ``label`` on the first line that starts with it, else the first line that is not empty.

    A label that is there twice is removed twice: a chat model that echoes the cue means the same action.
    """
    lines = [line.strip() for line in text.splitlines()]
    if not label:
        return next((line for line in lines if line), "")
    action = next((line for line in lines if line.lower().startswith(label.lower())), None)
    if action is None:
        return next((line for line in lines if line), "")
    while action.lower().startswith(label.lower()):
        action = action[len(label) :].strip()
    return action


def within(text: str, limit_tokens: int, count: Callable[[str], int]) -> str:
    """Return as many complete words of a text, from its start, as fit: for a summary that is too long."""
    if count(text) <= limit_tokens:
        return text
    ends = [match.end() for match in re.finditer(r"\S+", text)]
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(text[: ends[middle - 1]]) <= limit_tokens else (low, middle - 1)
    return text[: ends[low - 1]] if low else ""


def recall(kit: Kit, memory: Memory, stimulus: Stimulus) -> Context:
    """Ask a memory for the context of one decision, book its calls as reads, and check its length against the budget.

    Raises: StrategyError if the memory raises or the context is over budget (never a silent cut).
    """
    budget = kit.budget
    query = Query(stimulus.text, stimulus.goal, stimulus.step, stimulus.shape, budget.tokens, stimulus.ref)
    with kit.phase(Phase.READ), boundary(StrategyError, "recall"):
        context = memory.recall(query)
    if budget.tokens is not None and (used := budget.count(context.text)) > budget.tokens:
        raise StrategyError(f"recall: expected at most {budget.tokens} context tokens, got {used}; shorten the context")
    return context


def recall_with_notice(kit: Kit, memory: Memory, stimulus: Stimulus, notice: str) -> Context:
    """Recall with room for a notice below, which counts as context; one that does not fit is left out.

    Raises: as ``recall``; StrategyError if the two together are over the budget.
    """
    tokens, count = kit.budget.tokens, kit.budget.count
    if not notice or (tokens is not None and count(f"\n{notice}") >= tokens):
        return recall(kit, memory, stimulus)
    room = None if tokens is None else tokens - count(f"\n{notice}") - 1
    context = recall(replace(kit, budget=Budget(room, count)), memory, stimulus)
    context = replace(context, text=f"{context.text}\n{notice}" if context.text else notice)
    if tokens is not None and (used := count(context.text)) > tokens:
        raise StrategyError(
            f"recall: expected at most {tokens} context tokens with the notice, got {used}; raise --budget-tokens"
        )
    return context


def take_no_notes(_stimulus: Stimulus) -> tuple[str, ...]:
    """Return no notes: for an agent that writes none."""
    return ()


class DefaultAgent:
    """The default agent: one recall and one model call per decision. Serves both shapes."""

    def __init__(
        self,
        memory: Memory,
        kit: Kit,
        dialect: str = "",
        notes: Callable[[Stimulus], tuple[str, ...]] = take_no_notes,
    ):
        """``notes``: returns what the agent notes after a decision."""
        self._memory = memory
        self._kit = kit
        self._dialect = dialect
        self._notes = notes

    @property
    def memory(self) -> Memory:
        return self._memory

    def decide(self, stimulus: Stimulus) -> Decision:
        """Return the first action or answer of the model's reply.

        Raises: StrategyError from the memory, ModelError from the model.
        """
        kit, frame = self._kit, self._kit.frame
        context = recall(kit, self._memory, stimulus)
        messages = compose(frame, stimulus, context.text, dialect=self._dialect)
        role = Role.ACT if stimulus.shape is Shape.EPISODE else Role.ANSWER
        reply = kit.model.chat(messages, role=role, max_tokens=frame.max_tokens, stop=frame.stop)
        return Decision(parse_reply(reply.text, frame.label), reply.text, context, self._notes(stimulus))


def default_agent(memory: Callable[[Kit], Memory]) -> Callable[[Kit], Agent]:
    """Return a ``Strategy.build`` for a strategy that is only a memory: ``build=default_agent(MyMemory)``."""

    def build(kit: Kit) -> Agent:
        return DefaultAgent(memory(kit), kit)

    return build
