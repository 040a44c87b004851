"""Turns an action into one short command that cannot harm the engine.

The action is the bare value of a reply, as ``bench.replies`` returns it. As in AgentBoard, it is cut at the first comma
or full stop and after 20 words. We also use plain ASCII on one line, cut at ``then`` (a second command) and keep at
most 76 characters (the engine's buffer overflows at about 120). Each cut is recorded as a repair. Commands that leave
the game, write files or undo moves are withheld. Knows no game and no engine.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

__all__ = ["HELPERS", "MAX_CHARS", "MAX_WORDS", "VERSION", "Command", "read_command"]

VERSION = "2"
MAX_WORDS = 20
MAX_CHARS = 76

HELPERS = frozenset({"diagnose", "i", "inventory", "l", "look", "score"})
"""Commands that only ask; games count them as moves."""

_WITHHELD = frozenset(
    {"oops", "q", "quit", "record", "replay", "restart", "restore", "save", "script", "transcript", "undo", "unscript"}
    | {"verify"}
)
_DEBUG = ("#", "$")
_LIKE = str.maketrans("‘’“”–—", "''\"\"--")
_THEN = re.compile(r"\bthen\b.*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Command:
    """One command; ``text`` may be empty. A ``withheld`` command is not sent to the game."""

    text: str
    repairs: tuple[str, ...] = ()
    withheld: bool = False

    @property
    def helper(self) -> bool:
        return self.text.lower() in HELPERS


def read_command(action: str) -> Command:
    """Return the command in a text, with the names of the cuts that changed it."""
    repairs = []
    text = action.strip()
    for name, cut in _CUTS:
        shorter = cut(text)
        if shorter != text:
            repairs.append(name)
            text = shorter
    return Command(text, tuple(repairs), withheld=_is_withheld(text.lower()))


def _is_withheld(text: str) -> bool:
    """True for a command that must not reach the game; quoted parts count, as some games execute ``say "quit"``."""
    first = [words[0] for part in text.split('"') if (words := part.split())]
    return any(word in _WITHHELD or word.startswith(_DEBUG) for word in first)


def _to_ascii(text: str) -> str:
    """Return the text in printable ASCII, with single spaces.

    Letters lose their accents; a character without an ASCII form becomes a question mark, since to drop it could make
    another word.
    """
    letters = unicodedata.normalize("NFKD", text.translate(_LIKE))
    ascii_letters = ("" if unicodedata.combining(c) else c if " " <= c <= "~" or c.isspace() else "?" for c in letters)
    return " ".join("".join(ascii_letters).split())


def _keep_first_command(text: str) -> str:
    return _THEN.sub("", re.split(r"[.,]", text, maxsplit=1)[0]).strip()


def _limit_words(text: str) -> str:
    return " ".join(text.split()[:MAX_WORDS])


def _limit_length(text: str) -> str:
    return text[:MAX_CHARS].strip()


_CUTS = (
    ("ascii", _to_ascii),
    ("first-command", _keep_first_command),
    ("word-limit", _limit_words),
    ("length-limit", _limit_length),
)
