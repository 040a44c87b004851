"""JSON in a reply, read field by field; an error names the path of what is wrong. Knows no prompt."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from bench.replies.json_scan import find_json
from bench.replies.visible import clean, hide_thoughts

__all__ = ["JsonNode", "ReplyError", "read_json"]

T = TypeVar("T")
_NUMBER = re.compile(r"\s*(?:[a-z]{1,20}\s)?[\s#\[(]*(\d{1,9})[\])\s]*", re.IGNORECASE)


class ReplyError(ValueError):
    """A reply that is not what was asked for; the message names the path and what was expected."""


@dataclass(frozen=True, slots=True)
class JsonNode:
    """A value of a reply and its path, such as ``neighbors[1].tags``; a field that is missing holds None.

    All methods raise ReplyError for a value that cannot be read as asked.
    """

    value: Any
    path: str = ""
    repairs: tuple[str, ...] = ()
    """Of the whole reply: what had to be forgiven, such as ``trailing-comma``; ``cut-off``: its end is missing."""

    def __getitem__(self, name: str) -> JsonNode:
        """Return a field of an object; its name may be in any case."""
        if not isinstance(self.value, dict):
            raise self.error("an object")
        path = f"{self.path}.{name}" if self.path else name
        if name in self.value:
            return JsonNode(self.value[name], path)
        same = (value for key, value in self.value.items() if key.strip().lower() == name.lower())
        return JsonNode(next(same, None), path)

    def __contains__(self, name: str) -> bool:
        return self[name].value is not None

    def entries(self) -> tuple[JsonNode, ...]:
        """Return the entries of a list."""
        if not isinstance(self.value, list):
            raise self.error("a list")
        return tuple(JsonNode(entry, f"{self.path}[{place}]") for place, entry in enumerate(self.value))

    def each(self, read: Callable[[JsonNode], T]) -> tuple[tuple[T, ...], tuple[str, ...]]:
        """Return what ``read`` makes of the entries, and what is wrong with those it refuses."""
        values, faults = [], []
        for entry in self.entries():
            try:
                values.append(read(entry))
            except ReplyError as fault:
                faults.append(str(fault))
        return tuple(values), tuple(faults)

    def text(self) -> str:
        """Return a text, or a number as one, with single spaces and without half characters."""
        if not isinstance(self.value, str | int | float) or isinstance(self.value, bool):
            raise self.error("a text")
        return " ".join(str(self.value).encode(errors="replace").decode().split())

    def texts(self) -> tuple[str, ...]:
        """Return a list of texts, or a single one, each once, without empty ones."""
        if isinstance(self.value, str):
            return (self.text(),) if self.value.strip() else ()
        return tuple(dict.fromkeys(text for entry in self.entries() if (text := entry.text())))

    def number(self, first: int, last: int) -> int:
        """Return a number of ``first`` to ``last``; it may stand in a text, such as ``"3"`` or ``"memory 3"``."""
        value = self.value
        if isinstance(value, str) and (found := _NUMBER.fullmatch(value)):
            value = int(found[1])
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not first <= value <= last:
            raise self.error(f"a number of {first} to {last}")
        return value

    def flag(self) -> bool:
        """Return true or false, which may be written as a text."""
        value = self.value.strip().lower() if isinstance(self.value, str) else self.value
        if value not in (True, "true", "yes", False, "false", "no"):
            raise self.error("true or false")
        return value in (True, "true", "yes")

    def choice(self, names: Sequence[str]) -> str:
        """Return the one of ``names`` that the text is, in any case."""
        said = self.value.strip().lower() if isinstance(self.value, str) else None
        for name in names:
            if name.lower() == said:
                return name
        raise self.error(f"one of {', '.join(names)}")

    def error(self, expected: str) -> ReplyError:
        """Return the error for this value, with its path."""
        got = repr(self.value) if not isinstance(self.value, list | dict) else f"a {type(self.value).__name__}"
        got = "nothing" if self.value is None else got
        return ReplyError(
            f"{self.path or 'reply'}: expected {expected}, got {got if len(got) <= 60 else got[:57] + '...'}"
        )


def read_json(text: str, *, arrays: bool = False) -> JsonNode:
    """Return the first JSON object of a reply, fenced or not; with ``arrays``, an array of objects or texts as well.

    Trailing commas, wrong quotes and other usual faults are forgiven and named in ``repairs``; of one that was cut off,
    what is complete counts.

    Raises: ReplyError if there is none.
    """
    reply = hide_thoughts(clean(text))
    spare: JsonNode | None = None
    for _, loose in find_json(reply.text, cut=True):
        value, repairs = loose.value, loose.faults
        if isinstance(value, dict):
            return JsonNode(value, repairs=repairs)
        objects = [entry for entry in value if isinstance(entry, dict)]
        if arrays and any(isinstance(entry, dict | str) for entry in value):
            return JsonNode(value, repairs=repairs)
        if len(value) == len(objects) == 1:
            return JsonNode(objects[0], repairs=repairs)
        if objects:
            raise ReplyError(f"reply: expected one JSON object, got a list of {len(value)}")
        spare = spare or JsonNode(value, repairs=repairs)
    if arrays and spare is not None:
        return spare
    brief = " ".join(reply.text[:200].split())[:60]
    got = "a thought without an end" if reply.cut else repr(brief) if brief else "nothing"
    raise ReplyError(f"reply: expected one JSON object, got {got}; reply with the JSON alone")
