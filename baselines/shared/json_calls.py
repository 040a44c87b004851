"""Calls of a learner whose replies are one JSON object: read, asked for once more with what is wrong, then given up.

What was asked again and given up is counted, and written beside what was learned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from bench.protocols import Kit
from bench.replies import JsonNode, ReplyError, read_json
from bench.types import Artifact, Message

__all__ = ["JsonCalls"]

T = TypeVar("T")
_LOG = "log/learning.txt"
_REPLY_TOKENS = 1024
_MOST_CHARACTERS = 4000
"""How much of an unreadable reply is shown when the model is asked again."""


class JsonCalls:
    """Asks for JSON in learning, and counts the replies that were not what was asked for."""

    def __init__(self, kit: Kit):
        self._kit = kit
        self.counts: Counter[str] = Counter()
        """By role, ``infer: asked again``, ``infer: given up``; and what else a learner counts."""

    def ask(self, role: str, system: str, request: str, read: Callable[[JsonNode], T]) -> T | None:
        """Return what ``read`` makes of the reply; None if it refuses two replies.

        ``read`` raises ReplyError for what it cannot use; the model is told that once. Raises: ModelError.
        """
        messages: tuple[Message, ...] = (Message("system", system), Message("user", request))
        for last in (False, True):
            reply = self._kit.model.chat(messages, role=role, max_tokens=_REPLY_TOKENS).text
            try:
                return read(read_json(reply, arrays=True))
            except ReplyError as fault:
                self.counts[f"{role}: {'given up' if last else 'asked again'}"] += 1
                again = f"That reply cannot be used: {fault}. Reply again with the one JSON object and nothing else."
                messages = (*messages, Message("assistant", reply[:_MOST_CHARACTERS]), Message("user", again))
        return None

    def write_log(self) -> Artifact:
        """Return the counts as a file, a line each; it is based on all tasks."""
        return Artifact({_LOG: "".join(f"{name} = {n}\n" for name, n in sorted(self.counts.items()))})
