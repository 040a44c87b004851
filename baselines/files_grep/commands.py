"""The grammar of the files' reader: one command a reply, strictly. Knows no file and no model.

A command is the whole reply, on one line; only white space, a code fence or backticks around it are forgiven, and its
verb may be in any case.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Command", "MalformedReply", "parse"]

_NAME = r"[\w.-]+"
_READ = re.compile(rf"(?P<file>{_NAME})\s+(?P<first>\d{{1,6}})\s+(?P<last>\d{{1,6}})")
_LONGEST = 200
"""Characters of what is grepped for."""


class MalformedReply(ValueError):
    """A reply that is no command; the message says what was expected."""


@dataclass(frozen=True, slots=True)
class Command:
    """``verb`` is grep, read, list or done; the other fields are what that verb takes."""

    verb: str
    words: tuple[str, ...] = ()
    file: str = ""
    first: int = 0
    last: int = 0


def parse(text: str) -> Command:
    """Return the command that a reply is. Raises: Malformed."""
    bare = text.strip()
    if bare.startswith("```") and bare.endswith("```") and "\n" in bare:
        bare = bare.partition("\n")[2].removesuffix("```").strip()
    bare = bare.strip("`").strip()
    if len(bare.splitlines()) != 1:
        raise MalformedReply(f"expected one command on one line, got {len(bare.splitlines())} lines")
    verb, _, rest = bare.partition(" ")
    verb, rest = verb.lower(), rest.strip()
    if verb == "done" and not rest:
        return Command("done")
    if verb == "list" and re.fullmatch(rf"(?:{_NAME})?", rest):
        return Command("list", file=rest)
    if verb == "grep":
        return _read_grep(rest)
    if verb == "read" and (found := _READ.fullmatch(rest)):
        first, last = int(found["first"]), int(found["last"])
        if not 1 <= first <= last:
            raise MalformedReply(f"expected read FILE FROM TO with 1 <= FROM <= TO, got {first} {last}")
        return Command("read", file=found["file"], first=first, last=last)
    raise MalformedReply(f"expected grep WORDS, read FILE FROM TO, list or done, got {bare[:60]!r}")


def _read_grep(rest: str) -> Command:
    words = tuple(word.strip("\"'") for word in rest[:_LONGEST].split())
    if not any(re.search(r"[^\W_]", word) for word in words):
        raise MalformedReply(f"expected grep with at least one word, got {rest[:60]!r}")
    if option := next((word for word in words if word.startswith("-")), ""):
        raise MalformedReply(f"expected grep WORDS without options, got {option!r}")
    return Command("grep", words=words)
