"""What is typed into a game, made from what a model wrote: one short command that cannot harm the engine.

As AgentBoard: cut at the first comma and the first full stop, at most 20 words. Ours besides, each counted as a repair:
first line only (the engine would keep the rest for later), plain ASCII, cut at ``then`` (a second command), at most 76
characters (the engine's buffer overflows at about 120). Commands that leave the game, write files or turn
back time are not passed on. Knows no game and no engine.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

__all__ = ["HELPERS", "MAX_CHARS", "MAX_WORDS", "VERSION", "Command", "read_command"]

VERSION = "1"
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
    """One command. ``withheld``: it is not for the game; ``text`` may be empty."""

    text: str
    repairs: tuple[str, ...] = ()
    withheld: bool = False

    @property
    def helper(self) -> bool:
        return self.text.lower() in HELPERS


def read_command(written: str) -> Command:
    """Return the command in what was written, and what had to be cut."""
    repairs = []
    text = written.strip()
    for name, cut in _CUTS:
        shorter = cut(text)
        if shorter != text:
            repairs.append(name)
            text = shorter
    return Command(text, tuple(repairs), withheld=_is_withheld(text.lower()))


def _is_withheld(text: str) -> bool:
    """Some games carry out what stands in quotes: ``say "quit"``."""
    first = [words[0] for part in text.split('"') if (words := part.split())]
    return any(word in _WITHHELD or word.startswith(_DEBUG) for word in first)


def _first_line(text: str) -> str:
    return text.splitlines()[0].strip() if text else ""


def _plain(text: str) -> str:
    """Return the text in printable ASCII, with each run of spaces as one.

    Letters lose their accents; what has no likeness becomes a question mark, as leaving it out could make another word.
    """
    letters = unicodedata.normalize("NFKD", text.translate(_LIKE))
    shown = ("" if unicodedata.combining(c) else c if " " <= c <= "~" or c.isspace() else "?" for c in letters)
    return " ".join("".join(shown).split())


def _first_command(text: str) -> str:
    return _THEN.sub("", re.split(r"[.,]", text, maxsplit=1)[0]).strip()


def _few_words(text: str) -> str:
    return " ".join(text.split()[:MAX_WORDS])


def _short(text: str) -> str:
    return text[:MAX_CHARS].strip()


_CUTS = (
    ("first-line", _first_line),
    ("ascii", _plain),
    ("first-command", _first_command),
    ("word-limit", _few_words),
    ("length-limit", _short),
)
