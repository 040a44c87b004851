"""The one prompt skeleton, the one way to show events, and the default agent: recall, compose, ask.

Every strategy's prompt is made here, so strategies differ in the context slot alone. Those that change the turn write
their own agent from the same pieces. This file knows no suite and no strategy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

from bench.errors import ModelError, StrategyError, boundary
from bench.protocols import Agent, Budget, Kit, Memory
from bench.replies import ReadReply, read_action, read_answer
from bench.types import (
    Context,
    Decision,
    Event,
    EventKind,
    Frame,
    Message,
    Phase,
    Query,
    Reading,
    Role,
    Shape,
    Stimulus,
)

__all__ = [
    "CONTEXT_HEADING",
    "GOAL_HEADING",
    "NOW_HEADING",
    "QUESTION_HEADING",
    "DefaultAgent",
    "Parsed",
    "ReadingLog",
    "ask",
    "ask_plain",
    "compose",
    "default_agent",
    "read_value",
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


class Parsed(Protocol):
    """A reply as a strategy reads it: its own grammar, and the value that every reply is to hold."""

    @property
    def reply(self) -> ReadReply:
        """The action or answer, as ``bench.replies`` reads it."""

    @property
    def dialect(self) -> tuple[str, ...]:
        """The lines of the strategy's own grammar, by name, in order: ``subgoal``, ``branch``, ``retrieve``, ..."""


P = TypeVar("P", bound=Parsed)


@dataclass(slots=True)
class ReadingLog:
    """How the replies of one decision were read, collected call by call."""

    text: str = ""
    """The last reply as the model wrote it."""
    asked_again: int = 0
    cut: bool = False
    repairs: list[str] = field(default_factory=list)
    dialect: list[str] = field(default_factory=list)

    def close(self, value: str) -> Reading:
        """Return the record for a decision whose action or answer is ``value``."""
        repairs = tuple(dict.fromkeys(self.repairs))
        return Reading(self.asked_again, not value, self.cut, repairs, tuple(self.dialect))


@dataclass(frozen=True, slots=True)
class _Plain:
    """A reply without a grammar of the strategy's own."""

    reply: ReadReply
    dialect: tuple[str, ...] = ()


def read_value(text: str, frame: Frame, shape: Shape) -> ReadReply:
    """Return the action or answer of a reply. A guess at an action is none: a thought is never executed."""
    if shape is Shape.CONVERSATION:
        return read_answer(text, frame.label)
    found = read_action(text, frame.label)
    return found if found.sure else replace(found, value="")


def ask(kit: Kit, messages: tuple[Message, ...], shape: Shape, read: Callable[[str], P], log: ReadingLog) -> P:
    """Ask the model for an action or an answer and read its reply.

    Where nothing can be made out, neither a value nor a line of the strategy's grammar, it is asked once more with the
    same words for every strategy (``Kit.ask_again``). The reply limit is the frame's, for every strategy.
    Raises: ModelError from the model, or where thinking used up the whole reply.
    """
    role = Role.ACT if shape is Shape.EPISODE else Role.ANSWER
    frame = kit.frame
    while True:
        reply = kit.model.chat(messages, role=role, max_tokens=frame.max_tokens, stop=frame.stop)
        parsed = read(reply.text)
        log.text, log.cut = reply.text, log.cut or reply.finish == "length"
        log.repairs += parsed.reply.repairs
        log.dialect += parsed.dialect
        if parsed.reply.value or parsed.dialect:
            return parsed
        if parsed.reply.cut:
            raise ModelError(
                f"{kit.model.name}: expected an end of the model's thinking within {frame.max_tokens} tokens, got none; "
                "set thinking_tokens in the endpoint file, or raise the reply limit"
            )
        if log.asked_again >= kit.ask_again:
            return parsed
        log.asked_again += 1
        noun = "action" if shape is Shape.EPISODE else "answer"
        again = f"No {noun} could be made out in that reply. Reply with one line that begins with `{frame.label}`."
        messages = (*messages, Message("assistant", reply.text), Message("user", again))


def ask_plain(kit: Kit, messages: tuple[Message, ...], shape: Shape) -> tuple[str, ReadingLog]:
    """Return the action or answer for a strategy without a grammar of its own, and how it was read."""
    log = ReadingLog()
    parsed = ask(kit, messages, shape, lambda text: _Plain(read_value(text, kit.frame, shape)), log)
    return parsed.reply.value, log


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
        value, log = ask_plain(kit, messages, stimulus.shape)
        return Decision(value, log.text, context, self._notes(stimulus), log.close(value))


def default_agent(memory: Callable[[Kit], Memory]) -> Callable[[Kit], Agent]:
    """Return a ``Strategy.build`` for a strategy that is only a memory: ``build=default_agent(MyMemory)``."""

    def build(kit: Kit) -> Agent:
        return DefaultAgent(memory(kit), kit)

    return build
