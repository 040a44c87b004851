"""A call whose reply is one JSON object: read, asked for once more with what is wrong, then given up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from bench.protocols import Kit
from bench.replies import JsonNode, ReplyError, read_json
from bench.types import Message

__all__ = ["JsonCalls"]

T = TypeVar("T")
_REPLY_TOKENS = 1024
_MOST_CHARACTERS = 4000
"""How much of an unreadable reply is shown when the model is asked again."""


class JsonCalls:
    """Asks for JSON in learning, and counts the replies that were not what was asked for."""

    def __init__(self, kit: Kit):
        self._kit = kit
        self.counts: Counter[str] = Counter()
        """By role: ``infer: asked again``, ``infer: given up``."""

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
