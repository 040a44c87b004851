"""The one way to get a reply that must hold an action or an answer: call, read, ask once more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

from bench.errors import ModelError
from bench.protocols import Kit
from bench.replies import ReadReply, read_action, read_answer, read_thought
from bench.types import Frame, Message, Reading, Role, Shape

__all__ = ["Parsed", "ReadingLog", "ask", "ask_plain", "read_value"]


class Parsed(Protocol):
    """A reply as a strategy reads it: its own grammar, and the value that every reply is to hold."""

    @property
    def reply(self) -> ReadReply:
        """The action or answer, as ``bench.replies`` reads it."""

    @property
    def dialect(self) -> tuple[str, ...]:
        """The lines of the strategy's own grammar, by name, in order: ``subgoal``, ``branch``, ``retrieve``, ..."""


P = TypeVar("P", bound=Parsed)
_MOST_CHARACTERS = 4000
"""How much of an unreadable reply is shown when the model is asked again: all of one that keeps to its limit."""


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
    """A reply without a grammar of the strategy's own, but for thoughts."""

    reply: ReadReply
    dialect: tuple[str, ...] = ()


def read_value(text: str, frame: Frame, shape: Shape) -> ReadReply:
    """Return the action or answer of a reply, or the thought where the frame allows one.

    A guess at an action is none: a thought is never executed.
    """
    if shape is Shape.CONVERSATION:
        return read_answer(text, frame.label)
    if frame.thoughts and (thought := read_thought(text, frame.label, frame.thoughts)):
        return thought
    found = read_action(text, frame.label)
    return found if found.sure else replace(found, value="")


def ask(
    kit: Kit,
    messages: tuple[Message, ...],
    shape: Shape,
    read: Callable[[str], P],
    log: ReadingLog,
    stop: tuple[str, ...] = (),
) -> P:
    """Ask the model for an action or an answer and read its reply. ``stop``: texts at which the model stops.

    Where nothing can be made out, neither a value nor a line of the strategy's grammar, it is asked once more with the
    same words for every strategy (``Kit.ask_again``). The reply limit is the frame's, for every strategy.
    Raises: ModelError from the model, or where thinking used up the whole reply.
    """
    role = Role.ACT if shape is Shape.EPISODE else Role.ANSWER
    frame = kit.frame
    while True:
        reply = kit.model.chat(messages, role=role, max_tokens=frame.max_tokens, stop=stop)
        parsed = read(reply.text)
        log.text, log.cut = reply.text, log.cut or reply.finish == "length"
        log.repairs += parsed.reply.repairs
        log.dialect += parsed.dialect
        if parsed.reply.value or parsed.dialect:
            return parsed
        if parsed.reply.cut:
            raise ModelError(
                f"{kit.model.name}: expected an end of its thinking within {frame.max_tokens} tokens, got none; "
                "set thinking_tokens in the endpoint file, or raise --reply-tokens or --answer-tokens"
            )
        if log.asked_again >= kit.ask_again:
            return parsed
        log.asked_again += 1
        noun = "action" if shape is Shape.EPISODE else "answer"
        again = f"No {noun} could be made out in that reply. Reply with one line that begins with `{frame.label}`."
        messages = (*messages, Message("assistant", reply.text[:_MOST_CHARACTERS]), Message("user", again))


def _read_plain(text: str, frame: Frame, shape: Shape) -> _Plain:
    reply = read_value(text, frame, shape)
    is_thought = frame.thoughts is not None and frame.thoughts.matches(reply.value)
    return _Plain(reply, ("thought",) * is_thought)


def ask_plain(kit: Kit, messages: tuple[Message, ...], shape: Shape) -> tuple[str, ReadingLog]:
    """Return the action or answer for a strategy without a grammar of its own, and how it was read.

    Only here the stop texts of the frame hold: a reply with a grammar may take several lines.
    """
    log, frame = ReadingLog(), kit.frame
    parsed = ask(kit, messages, shape, lambda text: _read_plain(text, frame, shape), log, frame.stop)
    return parsed.reply.value, log
