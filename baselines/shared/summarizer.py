"""One way to ask a model for a text of limited length: a summary, an account, a compressed history.

The prompt tells a limit that is smaller than the reply limit of the call, so that a text which comes back too long is
read whole. A model cannot count tokens: what is a little longer stays, what is much longer is trimmed where a sentence
ends, which costs its newest facts. Knows no prompt.
"""

from __future__ import annotations

from bench.protocols import Kit
from bench.replies import read_text, trim_to_sentence
from bench.types import Message

__all__ = ["Summarizer", "add_slack", "describe_trimmed"]

_SPARE_TOKENS = 64
"""Room for what chat models put around a text, such as ``Here is the updated summary:``."""


def add_slack(limit_tokens: int) -> int:
    """Return how long a text may be whose limit was told as so many tokens."""
    return limit_tokens + limit_tokens // 4


class Summarizer:
    """Asks for texts of at most ``limit_tokens``, and counts those that had to be trimmed."""

    def __init__(self, kit: Kit, role: str, limit_tokens: int):
        self._kit, self._role = kit, role
        self.limit_tokens = limit_tokens
        self.trimmed = 0

    def ask(self, messages: tuple[Message, ...]) -> str:
        """Return the text of one reply, as many whole sentences of it as the limit with slack allows; may be empty."""
        limit, count = self.limit_tokens, self._kit.budget.count
        reply = self._kit.model.chat(messages, role=self._role, max_tokens=limit + limit // 2 + _SPARE_TOKENS)
        text = read_text(reply.text).value
        trimmed = trim_to_sentence(text, add_slack(limit), count, cut=reply.finish == "length")
        self.trimmed += trimmed != text
        return trimmed

    def describe_trimmed(self) -> tuple[str, ...]:
        """Return the note about what was trimmed; none if nothing was."""
        return describe_trimmed(self.trimmed)


def describe_trimmed(n_texts: int) -> tuple[str, ...]:
    """Return the note about that many trimmed texts; none for none."""
    return (f"trimmed: {n_texts} texts so far",) if n_texts else ()
