"""Small talk from a grammar: greetings, reactions and chatter that tell nothing anybody will be asked about."""

from __future__ import annotations

import random
import re

from adapters.locomo.generate_topics import grammar

__all__ = ["Chat", "sentence"]

_SYMBOL = re.compile(r"<(\w+)>")
_TRIES = 6
"""How often another wording is looked for when one has been used before."""


def sentence(text: str) -> str:
    """Return a text that begins with a capital letter."""
    return text[:1].upper() + text[1:]


class Chat:
    """Writes small talk for one conversation and seldom says the same thing twice."""

    def __init__(self, rng: random.Random):
        self._rng = rng
        self._said: set[str] = set()

    def write(self, symbol: str, other: str = "", value: str = "") -> str:
        """Return one wording of a symbol; ``other`` is the person spoken to."""
        for _ in range(_TRIES):
            text = self._expand(symbol).replace("{other}", other).replace("{v}", value)
            if text not in self._said:
                break
        self._said.add(text)
        return sentence(text)

    def _expand(self, symbol: str) -> str:
        return _SYMBOL.sub(lambda found: self._expand(found[1]), self._rng.choice(grammar()[symbol]))
