"""What the offline model does with ReAct's prompts: it thinks once, before its first action, and then acts as ever.

From the messages alone. Its thought says nothing that the task does not: a set of rules gains nothing by thinking.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from bench.protocols import OfflineDialect
from bench.types import Message

__all__ = ["RULES", "ThoughtDialect"]

_BLOCK = (Path(__file__).parent / "dialect.txt").read_text(encoding="utf-8").split("\n", 1)[0]


class ThoughtDialect:
    """Role ``act`` where thoughts are allowed by ReAct's text."""

    role = "act"
    block = _BLOCK

    def reply_with(self, messages: Sequence[Message], ask: Callable[[Sequence[Message]], str]) -> str:
        """Return a thought if the prompt shows nothing that was done before, else the suite's action."""
        action = ask(messages)
        if any(" Action: " in message.content for message in messages if message.role != "system"):
            return action
        label, colon, command = action.partition(":")
        return f"{label}{colon} think: I begin with {command.strip()}"


RULES: tuple[OfflineDialect, ...] = (ThoughtDialect(),)
"""What the offline model knows about this strategy."""
