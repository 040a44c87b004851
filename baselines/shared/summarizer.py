"""One way to ask a model for a text of limited length: a summary, an account, a compressed history.

A model cannot count tokens, so the prompt tells the limit in words. The reply limit of the call is larger, so that a
text which comes back too long is read whole. What is a little longer stays; for what is much longer the model is asked
once more, with the number of words that fit of such a text, which are fewer where names and numbers abound; what is
then still too long is trimmed where a sentence ends, with a mark. Knows no prompt.
"""

from __future__ import annotations

from bench.protocols import Kit
from bench.replies import read_text, trim_to_sentence
from bench.types import Message

__all__ = ["Summarizer", "add_slack", "count_words", "describe_lengths", "tell_limit"]

_SPARE_TOKENS = 64
"""Room for what chat models put around a text, such as ``Here is the updated summary:``."""
_SHORTER = (
    "That text is too long. Of its {words} words about {limit} fit. Write it again in about {limit} words: leave out "
    "what matters least, not what came last. What goes far beyond is cut off at the end."
)


def add_slack(limit_tokens: int) -> int:
    """Return how long a text may be whose limit was told as so many tokens."""
    return limit_tokens + limit_tokens // 4


def count_words(tokens: int) -> int:
    """Return about how many English words so many tokens are: three for four, one at least."""
    return max(1, 3 * tokens // 4)


def tell_limit(prompt: str, limit_tokens: int) -> str:
    """Return a prompt that says ``about {limit} words`` with the number filled in."""
    return prompt.replace("{limit}", str(count_words(limit_tokens)))


class Summarizer:
    """Asks for texts of at most ``limit_tokens``, and counts those that had to be written again or trimmed."""

    def __init__(self, kit: Kit, role: str, limit_tokens: int):
        self._kit, self._role = kit, role
        self.limit_tokens = limit_tokens
        self.shortened = 0
        """How many texts the model was asked to shorten."""
        self.trimmed = 0

    def ask(self, messages: tuple[Message, ...]) -> str:
        """Return the text of a reply, or of a second one where that was too long; may be empty.

        Of a text that is still too long, as many whole sentences as the limit with slack allows.
        """
        reply, text, cut = self._chat(messages)
        if text and (cut or self._is_long(text)):
            self.shortened += 1
            again = (Message("assistant", reply), Message("user", self._ask_for_less(text)))
            _, shorter, still_cut = self._chat((*messages, *again))
            text, cut = (shorter, still_cut) if shorter else (text, cut)
        trimmed = trim_to_sentence(text, add_slack(self.limit_tokens), self._kit.budget.count, cut=cut)
        self.trimmed += trimmed != text
        return trimmed

    def _ask_for_less(self, text: str) -> str:
        """Return the request for a shorter text, with the words that fit if they are as long as those of this one."""
        words, tokens = len(text.split()), max(1, self._kit.budget.count(text))
        fitting = max(1, min(words, words * self.limit_tokens // tokens))
        return _SHORTER.replace("{words}", str(words)).replace("{limit}", str(fitting))

    def _is_long(self, text: str) -> bool:
        return self._kit.budget.count(text) > add_slack(self.limit_tokens)

    def _chat(self, messages: tuple[Message, ...]) -> tuple[str, str, bool]:
        """Return a reply, its text, and whether it ends in the middle."""
        limit = self.limit_tokens
        reply = self._kit.model.chat(messages, role=self._role, max_tokens=limit + limit // 2 + _SPARE_TOKENS)
        return reply.text, read_text(reply.text).value, reply.finish == "length"


def describe_lengths(*summarizers: Summarizer) -> tuple[str, ...]:
    """Return the notes about texts that were too long, of all of them together; none if none was."""
    shortened, trimmed = sum(one.shortened for one in summarizers), sum(one.trimmed for one in summarizers)
    return tuple(f"{name}: {n} texts so far" for name, n in (("shortened", shortened), ("trimmed", trimmed)) if n)
