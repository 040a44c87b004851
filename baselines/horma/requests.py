"""What a navigator's reply asks for: commands, one a line, or the same as JSON. Knows no workspace.

A reply may hold several commands, which are carried out in order. ``done`` counts where nothing before it in the reply
has yet to be read: alone, or behind ``select``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bench.replies import ReplyError, read_commands, read_json

__all__ = ["VERBS", "Request", "list_alternatives", "read_requests", "split_pattern"]

VERBS = ("ls", "cd", "grep", "cat", "select", "done")
_NAMES = ("op", "command", "action", "tool", "name", "verb", "operation", "function")
_ARGUMENTS = ("arguments", "args", "parameters", "params", "input")
_PATHS = ("path", "file", "folder", "dir", "directory", "target", "paths", "files")
_PATTERNS = ("pattern", "pat", "query", "text", "words", "keyword", "keywords")
_LINES = ("lines", "line", "range")
_QUOTES = {'"': '"', "'": "'", "“": "”", "`": "`"}
_WORD = re.compile(r"""(?:(?<![^\s|])(?:"[^"]*"|'[^']*'(?!\w)|“[^”]*”|`[^`]*`)|\S)+""")
"""What stands between spaces, those within quotes aside; a quote opens a word or an alternative."""
_DEEPEST = 3


@dataclass(frozen=True, slots=True)
class Request:
    """One command: its verb, and what it is about as it was written."""

    verb: str
    text: str = ""


def read_requests(reply: str) -> tuple[Request, ...]:
    """Return the commands of a reply in order; none if it has none."""
    commands = read_commands(reply, VERBS)
    if commands:
        return tuple(Request(command.name, command.text.strip("()")) for command in commands)
    try:
        found = read_json(reply, arrays=True).value
    except ReplyError:
        return ()
    return tuple(_read_entries(found, _DEEPEST))


def split_pattern(text: str, names: Collection[str] = ()) -> tuple[str, str]:
    """Return what to grep for and where: a quoted text and what follows, or all words but a last one that is a path.

    ``names``: words that are one.
    """
    text = text.strip()
    close = _QUOTES.get(text[:1], "")
    pattern, closed, rest = text[1:].partition(close) if close else ("", "", "")
    if closed and rest[:1] in ("", " ") and not rest.lstrip().startswith("|"):
        where = [word for word in rest.split() if not word.startswith("-")]
        return pattern, where[-1] if where else ""
    words = _WORD.findall(text)
    while len(words) > 1 and words[-1].startswith("-"):
        words.pop()
    if len(words) > 1 and ("/" in words[-1] or words[-1].endswith(".md") or words[-1] in (".", *names)):
        return " ".join(words[: -1 - (words[-2] == "in" and len(words) > 2)]), words[-1]
    return " ".join(words), ""


def list_alternatives(pattern: str) -> tuple[str, ...]:
    """Return the texts of ``a|"b c"`` that are looked for, without quotes, in lower case; an empty one is none."""
    parts = (" ".join(part.split()) for part in pattern.replace("\\|", "|").split("|"))
    bare = (part[1:-1].strip() if len(part) > 1 and _QUOTES.get(part[0]) == part[-1] else part for part in parts)
    return tuple(dict.fromkeys(part.casefold() for part in bare if part))


def _read_entries(value: Any, depth: int) -> Iterator[Request]:
    if isinstance(value, str):
        yield from (Request(command.name, command.text) for command in read_commands(value, VERBS))
    elif isinstance(value, list):
        for entry in value:
            yield from _read_entries(entry, depth - 1) if depth else ()
    elif isinstance(value, dict):
        yield from _read_object({str(name).strip().lower(): held for name, held in value.items()}, depth)


def _read_object(fields: Mapping[str, Any], depth: int) -> Iterator[Request]:
    """Yield the command that an object is, or those that it holds."""
    name = next((fields[one] for one in _NAMES if isinstance(fields.get(one), str)), "")
    verb = name.strip().lower()
    short = next((one for one in VERBS if one in fields), "")
    if verb in VERBS:
        yield Request(verb, _join_arguments(verb, fields))
    elif short:  # {"grep": "ferry"}
        yield Request(short, _join_arguments(short, {"text": fields[short], "path": fields[short], **fields}))
    elif name:
        yield from (Request(command.name, command.text) for command in read_commands(name, VERBS))
    elif depth:
        for held in fields.values():
            yield from _read_entries(held, depth - 1) if isinstance(held, list | dict) else ()


def _join_arguments(verb: str, fields: Mapping[str, Any]) -> str:
    """Return the arguments as the command would have them on its line."""
    given = next((fields[one] for one in _ARGUMENTS if one in fields), fields)
    if not isinstance(given, dict):
        return _to_text(given)
    held = {str(name).strip().lower(): value for name, value in given.items()}
    path = next((_to_text(held[one]) for one in _PATHS if one in held), "")
    if verb == "grep":
        pattern = next((_to_text(held[one]) for one in _PATTERNS if one in held), "")
        quoted = f"“{pattern}”" if '"' in pattern else f'"{pattern}"'
        return f"{quoted} {path if path != pattern else ''}".strip()
    lines = next((_to_text(held[one], "-" if one == "range" else ",") for one in _LINES if one in held), "")
    if "from" in held and "to" in held:
        lines = f"{_to_text(held['from'])}-{_to_text(held['to'])}"
    return f"{path}#{lines}" if lines else path


def _to_text(value: Any, between: str = ",") -> str:
    if isinstance(value, list):
        return between.join(_to_text(entry) for entry in value)
    return str(value) if isinstance(value, str | int | float) else ""
