"""Small talk from a grammar: greetings, reactions and fillers without facts."""

from __future__ import annotations

import random
import re

from adapters.locomo.generate_topics import load_grammar

__all__ = ["Chat", "capitalise"]

_SYMBOL = re.compile(r"<(\w+)>")
_TRIES = 6
"""How many wordings are tried to find one that has not been used."""


def capitalise(text: str) -> str:
    """Return a text that begins with a capital letter."""
    return text[:1].upper() + text[1:]


class Chat:
    """Writes small talk for one conversation and avoids repetition."""

    def __init__(self, rng: random.Random):
        self._rng = rng
        self._used: set[str] = set()

    def write(self, symbol: str, other: str = "", value: str = "") -> str:
        """Return one wording of a symbol; ``other`` is the person spoken to."""
        for _ in range(_TRIES):
            text = self._expand(symbol).replace("{other}", other).replace("{v}", value)
            if text not in self._used:
                break
        self._used.add(text)
        return capitalise(text)

    def _expand(self, symbol: str) -> str:
        return _SYMBOL.sub(lambda found: self._expand(found[1]), self._rng.choice(load_grammar()[symbol]))
