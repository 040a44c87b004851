"""What a reply to the files' reader means: its first command. Knows no file and no model.

The text is read by ``bench.replies``; options of a real grep are left out, for the search ignores case anyway.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import shorten

from bench.replies import ReplyError, read_commands

__all__ = ["Command", "parse"]

_VERBS = ("grep", "read", "list", "done")
_NAME = r"[\w-]+(?:\.[\w-]+)*"
_READ = re.compile(
    rf"(?P<file>{_NAME})[,:]?\s*(?:lines?\s)?(?:from\s)?(?P<first>\d{{1,6}})(?:\s*(?:-|–|to|,)\s*|\s+)(?P<last>\d{{1,6}})",
    re.IGNORECASE,
)
_LONGEST = 200
"""Characters of what is grepped for."""
_QUOTED = 60
"""Characters of a reply that an error quotes."""
_INVERTS = ("-v", "--invert-match")


@dataclass(frozen=True, slots=True)
class Command:
    """``verb`` is grep, read, list or done; the other fields are what that verb takes."""

    verb: str
    words: tuple[str, ...] = ()
    file: str = ""
    first: int = 0
    last: int = 0

    @property
    def text(self) -> str:
        """The command in its plain form: what the search shows the model as its own reply."""
        lines = (str(self.first), str(self.last)) if self.verb == "read" else ()
        return " ".join(filter(None, (self.verb, *self.words, self.file, *lines)))


def parse(text: str) -> Command:
    """Return the first command of a reply. Raises: ReplyError if it has none, or one that cannot be followed."""
    commands = read_commands(text, _VERBS)
    if not commands:
        raise ReplyError(f"expected grep WORDS, read FILE FROM TO, list or done, got {_quote(text)}")
    first = commands[0]
    if first.name == "done":
        return Command("done")
    if first.name == "list":
        # "list all files" is a plain list; a name has an ending.
        return Command("list", file=next((word for word in first.words if re.fullmatch(r"[\w-]+\.\w+", word)), ""))
    if first.name == "read":
        return _parse_read(first.text)
    return _parse_grep(first.text, first.words, first.options)


def _parse_read(text: str) -> Command:
    found = _READ.fullmatch(re.sub(r"[`\"']", "", text).strip())
    if found is None:
        raise ReplyError(f"expected read FILE FROM TO, got {_quote(text)}")
    first, last = int(found["first"]), int(found["last"])
    if not 1 <= first <= last:
        raise ReplyError(f"expected read FILE FROM TO with 1 <= FROM <= TO, got {first} {last}")
    return Command("read", file=found["file"], first=first, last=last)


def _parse_grep(text: str, words: tuple[str, ...], options: tuple[str, ...]) -> Command:
    if inverts := next((option for option in options if option in _INVERTS), ""):
        raise ReplyError(f"expected grep WORDS, got the option {inverts!r}; lines without a word cannot be asked for")
    kept: list[str] = []
    for word in words:
        if sum(map(len, kept)) + len(word) > _LONGEST:
            break
        if re.search(r"[^\W_]", word) and not word.startswith("-"):
            kept.append(word)
    if not kept:
        raise ReplyError(f"expected grep with at least one word, got {_quote(text)}")
    return Command("grep", words=tuple(kept))


def _quote(text: str) -> str:
    """Return the beginning of a text in quotes, whole words of it."""
    return f'"{shorten(text, _QUOTED, placeholder=" ...")}"'
