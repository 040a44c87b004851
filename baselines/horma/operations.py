"""What a manager's reply does to a workspace: one operation a line with the lines of a note below it, or JSON.

``write entities/ann.md`` and below it ``- moved to Oslo [D1:3]``, or ``{"op": "write", "path": ..., "lines": [...]}``.
``replace entities/ann.md#2`` and ``delete entities/ann.md#1,3-4`` name lines by their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from baselines.horma.notes import Line, Meta
from baselines.horma.places import read_numbers
from baselines.horma.raw_logs import RawLogs
from baselines.horma.sources import cut_sources, find_refs
from bench.replies import Block, Command, ReplyError, read_blocks, read_json

__all__ = ["EDITS", "MOST_OPERATIONS", "NOTE_VERBS", "VERBS", "Operation", "read_operations"]

VERBS = ("write", "append", "replace", "delete", "mkdir", "mv", "ls", "cat")
NOTE_VERBS = ("write", "append", "replace")
"""Those with lines."""
EDITS = ("replace", "delete")
"""Those that name lines by their numbers."""
MOST_OPERATIONS = 200
"""Operations of one reply that are read."""
_FOLDERS = ("entities", "events", "notes", "raw_logs")
_PATH = re.compile(r"[`\"'*]{0,2}(?P<path>[^\n]{0,200}?\.md|[^\s:`\"'*]{1,200})[`\"'*]{0,2}:?(?P<rest>.*)", re.DOTALL)
_LINES = re.compile(
    r"\s*(?:#|:|lines?\b)?\s*\[?(?P<lines>\d{1,6}(?:(?:\s*[,–-]\s*)\d{1,6})*)\]?(?P<rest>.*)", re.DOTALL
)
_BULLET = re.compile(r"(?:[-*•+–]|\d{1,3}[.)])\s+(?P<text>.*)", re.DOTALL)
_FIELD = re.compile(
    r"[*_]{0,2}(?P<name>id|kind|title|turns|sources?|refs?|time_from|time_to|from|to|time|date)[*_]{0,2}\s?:[*_]{0,2}\s*"
    r"(?P<text>.*)",
    re.IGNORECASE,
)
_OPS = ("op", "operation", "verb", "command", "action", "tool", "name")
_PATHS = ("path", "file", "filename", "folder")
_ORIGINS = (*_PATHS, "source", "from", "src")
"""Where a move begins; elsewhere a source is a turn."""
_TARGETS = ("to", "target", "destination", "new_path", "dest", "dst")
_BODIES = ("lines", "body", "content", "text", "new_text", "append")
_NUMBERS = ("numbers", "number", "line_number", "line_numbers", "lines", "line")
_REFS = ("sources", "source", "refs", "turns")
_DEEPEST = 3
"""Lists in lists that operations are looked for in."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: its verb is one of ``VERBS``."""

    verb: str
    path: str
    target: str = ""
    meta: Meta = Meta()
    lines: tuple[Line, ...] = ()
    numbers: tuple[int, ...] = ()
    """Of the lines that are replaced or deleted."""

    def __str__(self) -> str:
        numbers = f"#{','.join(map(str, self.numbers))}" if self.numbers else ""
        return " ".join(filter(None, (self.verb, self.path + numbers, self.target)))


def read_operations(reply: str, raw: RawLogs) -> tuple[Operation, ...]:
    """Return the operations of a reply in order, with the refs they cite; none if it has none."""
    blocks = read_blocks(reply, VERBS, _begins)
    if blocks:
        return tuple(_read_block(block, raw) for block in blocks[:MOST_OPERATIONS])
    try:
        found = read_json(reply, arrays=True).value
    except ReplyError:
        return ()
    return tuple(_read_entries(found, raw))[:MOST_OPERATIONS]


def _begins(command: Command) -> bool:
    """True if what stands behind the name may be a path; ``ls`` alone lists the root."""
    path = _split_path(command.text)[0]
    if not path:
        return command.name == "ls" and not command.text
    return "/" in path or path.endswith(".md") or path.strip(" ./") in ("", *_FOLDERS)


def _split_path(text: str) -> tuple[str, str]:
    found = _PATH.match(text.strip())
    return (found["path"], found["rest"].strip()) if found else ("", "")


def _read_block(block: Block, raw: RawLogs) -> Operation:
    verb = block.command.name
    path, rest = _split_path(block.command.text)
    numbers: tuple[int, ...] = ()
    if verb in EDITS:
        path, numbers, rest = _split_numbers(path, rest)
    if verb == "delete":
        return Operation(verb, path, numbers=numbers)
    if verb not in NOTE_VERBS:
        return Operation(verb, path, _split_path(re.sub(r"^(?:to\s|->|→|,)\s*", "", rest))[0])
    inline, cited = cut_sources(rest, raw)
    meta, lines = Meta(sources=cited), []
    bulleted = [line for line in block.lines if _BULLET.match(line)]
    for line in block.lines:
        field = _FIELD.fullmatch(line)
        if field and line not in bulleted:
            meta = _add_field(meta, field["name"].lower(), field["text"], raw)
        elif (line in bulleted or not bulleted) and line.strip("-#= "):
            bullet = _BULLET.match(line)
            lines.append(bullet["text"] if bullet else line)
    if inline.strip(" :-\"'"):
        lines.insert(0, inline.strip(" :-\"'"))
        if not block.lines:  # the turns behind the only line are its own
            return Operation(verb, path, "", meta, (Line(lines[0], cited),), numbers)
    return Operation(verb, path, "", meta, tuple(Line(*cut_sources(line, raw)) for line in lines), numbers)


def _split_numbers(path: str, rest: str) -> tuple[str, tuple[int, ...], str]:
    """Return a path, the numbers of lines behind it, and what follows those."""
    if found := _LINES.match(rest):
        return path, read_numbers(found["lines"]), found["rest"].strip(" :`*\"'")
    name, _, lines = path.partition("#")  # a path without .md
    return name, read_numbers(lines), rest


def _add_field(meta: Meta, name: str, text: str, raw: RawLogs) -> Meta:
    if name.startswith(("source", "ref")):
        return replace(meta, sources=(*meta.sources, *find_refs(text, raw)))
    if name in ("time", "date", "time_from", "from"):
        return replace(meta, time_from=text)
    return replace(meta, time_to=text) if name in ("time_to", "to") else meta


def _read_entries(value: Any, raw: RawLogs, depth: int = _DEEPEST) -> Iterator[Operation]:
    if isinstance(value, str):
        yield from (_read_block(block, raw) for block in read_blocks(value, VERBS, _begins))
    elif isinstance(value, list) and depth:
        for entry in value:
            yield from _read_entries(entry, raw, depth - 1)
    elif isinstance(value, dict):
        fields = {str(name).strip().lower(): held for name, held in value.items()}
        verb = next((fields[name].strip().lower() for name in _OPS if isinstance(fields.get(name), str)), "")
        if verb in VERBS:
            yield _read_object(verb, fields, raw)
        else:
            for held in fields.values():
                yield from _read_entries(held, raw, depth) if isinstance(held, list) else ()


def _read_object(verb: str, fields: Mapping[str, Any], raw: RawLogs) -> Operation:
    for name in ("args", "arguments", "parameters", "meta"):
        held = fields.get(name)
        if isinstance(held, dict):
            fields = {**fields, **{str(key).strip().lower(): value for key, value in held.items()}}
    if verb in EDITS:
        return _read_edit(verb, fields, raw)
    if verb not in NOTE_VERBS:
        return Operation(verb, _first_text(fields, _ORIGINS), _first_text(fields, _TARGETS))
    times = _first_text(fields, ("time_from", "time", "date")), _first_text(fields, ("time_to",))
    body = next((fields[name] for name in _BODIES if fields.get(name)), "")
    meta = Meta(*times, _read_refs(fields, raw))
    return Operation(verb, _first_text(fields, _PATHS), "", meta, tuple(_read_lines(body, raw)))


def _read_edit(verb: str, fields: Mapping[str, Any], raw: RawLogs) -> Operation:
    path, rest = _split_path(_first_text(fields, _PATHS))
    path, numbers, _ = _split_numbers(path, rest)
    held = next((fields[name] for name in _NUMBERS if isinstance(fields.get(name), int | list)), ())
    numbers = numbers or read_numbers(",".join(map(_to_text, held if isinstance(held, list) else [held])))
    body = next((fields[name] for name in (*_BODIES, "line") if isinstance(fields.get(name), str)), "")
    lines = tuple(_read_lines(body, raw)) if verb == "replace" else ()
    return Operation(verb, path, "", Meta(sources=_read_refs(fields, raw)), lines, numbers)


def _read_lines(body: Any, raw: RawLogs) -> Iterator[Line]:
    for entry in body if isinstance(body, list) else [body]:
        if isinstance(entry, dict):
            bare, cited = cut_sources(_first_text(entry, ("text", "line", "content")), raw)
            yield Line(bare, tuple(dict.fromkeys((*_read_refs(entry, raw), *cited))))
        else:
            for line in _to_text(entry).splitlines():
                bullet = _BULLET.match(line.strip())
                yield Line(*cut_sources(bullet["text"] if bullet else line.strip(), raw))


def _read_refs(fields: Mapping[str, Any], raw: RawLogs) -> tuple[str, ...]:
    held = next((fields[name] for name in _REFS if fields.get(name)), "")
    parts: Sequence[Any] = held if isinstance(held, list) else [held]
    return tuple(dict.fromkeys(ref for part in parts for ref in find_refs(_to_text(part), raw)))


def _first_text(fields: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((text for name in names if (text := _to_text(fields.get(name)))), "")


def _to_text(value: Any) -> str:
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
