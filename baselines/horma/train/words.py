"""Words and signs as tokens: the vocabulary of a tiny model. The commands that it writes are read back exactly.

Spaces are no tokens. They come back by one rule, which is right for the navigator's commands (``select now/lamp#2``,
``cat D1:3``) and good enough for prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = ["WordCodec", "split_words"]

_SPECIAL = ("<pad>", "<unknown>", "<shown>", "<reply>", "<end>")
_PAD, _UNKNOWN, _SHOWN, _REPLY, _END = range(len(_SPECIAL))
_TOKEN = re.compile(r"[a-z]\d+:\d+|\.md\b|\d|[^\W\d_]+|[^\w\s]|_|\n")
_GLUED_LEFT = frozenset((".md", "#", ":", ",", ".", "/"))
_GLUED_RIGHT = ("/", "#", "\n")


def split_words(text: str) -> list[str]:
    """Return the tokens of a text: words in lower case, single digits, refs of turns, signs, ends of lines."""
    return _TOKEN.findall(text.lower())


class WordCodec:
    """Texts to ids and back, for the vocabulary it is given."""

    def __init__(self, words: Sequence[str]):
        """``words``: in the order of their ids, without the special ones, each once. Raises: ValueError."""
        self.words = tuple(words)
        self._tokens = (*_SPECIAL, *self.words)
        self._ids = {token: at for at, token in enumerate(self._tokens)}
        if len(self._ids) != len(self._tokens):
            raise ValueError("vocabulary: expected each word once, got one twice or a special one; drop it")

    def __len__(self) -> int:
        return len(self._tokens)

    @classmethod
    def of(cls, texts: Iterable[str]) -> WordCodec:
        """Return a codec that knows every token of these texts."""
        return cls(sorted({token for text in texts for token in split_words(text)}))

    @property
    def pad(self) -> int:
        return _PAD

    @property
    def stops(self) -> frozenset[int]:
        """The ids that end a reply."""
        return frozenset((_END,))

    def open(self, opening: str, instructions: str = "") -> list[int]:
        """Return the ids of an opening, up to where the model writes; instructions are left out."""
        return [_SHOWN, *self._encode(opening), _REPLY]

    def follow(self, reply: Sequence[int], observation: str) -> list[int]:
        """Return the ids that come after a reply, up to where the model writes again."""
        ended = bool(reply) and reply[-1] == _END
        return [*([] if ended else [_END]), *self.open(observation)]

    def encode_reply(self, text: str) -> list[int]:
        """Return a reply as the model would write it, with its end."""
        return [*self._encode(text), _END]

    def _encode(self, text: str) -> list[int]:
        return [self._ids.get(token, _UNKNOWN) for token in split_words(text)]

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of a reply; what ends it, and what is no word, is left out."""
        text, glued = "", True
        for token in (self._tokens[at] for at in ids if at >= len(_SPECIAL)):
            text += token if glued or token in _GLUED_LEFT or token == "\n" else f" {token}"
            glued = token.endswith(_GLUED_RIGHT)
        return text
