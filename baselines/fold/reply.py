"""What a reply in Fold's dialect means: calls that open or close a branch, and an action.

The text is read by ``bench.replies``; nothing of the dialect can be taken for an action. What stands below the action
is ignored.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from baselines.shared.grammar import cut_grammar
from bench.agents import read_value
from bench.replies import ReadReply, read_calls
from bench.types import Frame, Shape

__all__ = ["Command", "ParsedReply", "read_reply"]

_NAMES = ("branch", "return")
_GRAMMAR = re.compile(r"(?:branch|return)\s*\(", re.IGNORECASE)
_MOST_COMMANDS = 2
"""Of one reply: close a branch and open the next."""


@dataclass(frozen=True, slots=True)
class Command:
    """``name`` is branch or return; ``text`` its description or message, possibly empty."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """What a reply says, in its order: first the commands, then the action, either possibly missing."""

    commands: tuple[Command, ...] = ()
    reply: ReadReply = ReadReply()

    @property
    def dialect(self) -> tuple[str, ...]:
        return tuple(command.name for command in self.commands)


def read_reply(text: str, frame: Frame) -> ParsedReply:
    """Return what the reply says; both empty if there is nothing usable in it."""
    found = read_calls(text, _NAMES, frame.label)
    commands = tuple(Command(call.name, call.text) for call in found.calls[:_MOST_COMMANDS])
    return ParsedReply(commands, cut_grammar(read_value(found.rest, frame, Shape.EPISODE), _GRAMMAR))
