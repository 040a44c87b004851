"""What the model said, read strictly: facts with the numbers of their messages, and operations on numbered memories.

A reply is JSON alone (one code fence around it is let pass). What is wrong is named, so that the model can be asked
once more; what is right beside it is kept. Knows no prompt and no store.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeGuard

__all__ = ["Facts", "Found", "Operation", "Operations", "What", "read_facts", "read_operations"]

_FENCE = re.compile(r"```(?:json)?\s*\n(.*)\n\s*```", re.DOTALL)


class What(StrEnum):
    """What a new fact does to the memory."""

    ADD = "ADD"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    NOOP = "NOOP"


@dataclass(frozen=True, slots=True)
class Found:
    """One fact, and the numbers of the messages that say it, from 1; none = the model did not tell."""

    text: str
    turns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a reply; ``fault`` is empty if all of it could be read, ``readable`` False if nothing could."""

    found: tuple[Found, ...] = ()
    fault: str = ""
    readable: bool = True


@dataclass(frozen=True, slots=True)
class Operation:
    """What one fact does to one memory; both are numbers from 1, 0 = no memory."""

    fact: int
    what: What
    memory: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class Operations:
    """The usable operations of a reply; ``fault`` is empty if there is nothing wrong and no fact is left out."""

    found: tuple[Operation, ...] = ()
    fault: str = ""

    @property
    def decided(self) -> frozenset[int]:
        """The numbers of the facts that have an operation."""
        return frozenset(one.fact for one in self.found)


def read_facts(text: str, turns: int) -> Facts:
    """Read the facts of a reply about ``turns`` messages."""
    given = _list(text, "facts")
    if isinstance(given, str):
        return Facts(fault=given, readable=False)
    found, faults = [], []
    for number, one in enumerate(given, start=1):
        said = one.get("text") if isinstance(one, dict) else None
        if not isinstance(said, str) or not said.strip():
            faults.append(f'fact {number}: expected an object with a "text", got {_short(one)}')
            continue
        told = one.get("turns")
        good = isinstance(told, list) and bool(told) and all(_within(turn, turns) for turn in told)
        if not good:
            faults.append(f'fact {number}: expected "turns" to list numbers from 1 to {turns}, got {_short(told)}')
        found.append(Found(" ".join(said.split()), tuple(sorted(set(told))) if good else ()))
    return Facts(tuple(found), _first(faults))


def read_operations(text: str, facts: int, memories: int) -> Operations:
    """Read the operations of a reply about so many facts and memories."""
    given = _list(text, "operations")
    if isinstance(given, str):
        return Operations(fault=given)
    found, faults = [], []
    for number, one in enumerate(given, start=1):
        read = _operation(one, facts, memories)
        if isinstance(read, Operation):
            found.append(read)
        else:
            faults.append(f"operation {number}: {read}")
    read_all = Operations(tuple(found))
    left_out = [str(fact) for fact in range(1, facts + 1) if fact not in read_all.decided]
    if left_out and not faults:
        faults.append(f"expected an operation for every fact, got none for {', '.join(left_out)}")
    return Operations(read_all.found, _first(faults))


def _operation(one: object, facts: int, memories: int) -> Operation | str:
    """Return the operation, or what is wrong with it."""
    if not isinstance(one, dict):
        return f"expected an object, got {_short(one)}"
    fact, event, memory, text = (one.get(name) for name in ("fact", "event", "id", "text"))
    if not _within(fact, facts):
        return f'expected "fact" to be a number from 1 to {facts}, got {_short(fact)}'
    if event not in list(What):
        return f'expected "event" to be one of {", ".join(What)}, got {_short(event)}'
    what = What(event)
    if what is What.ADD:
        return Operation(fact, what)
    if what is What.NOOP and memory is None:
        return Operation(fact, what)
    if not _within(memory, memories):
        return f'expected "id" to be a number from 1 to {memories}, got {_short(memory)}'
    if what is not What.UPDATE:
        return Operation(fact, what, memory)
    if not isinstance(text, str) or not text.strip():
        return f'expected the "text" of an UPDATE, got {_short(text)}'
    return Operation(fact, what, memory, " ".join(text.split()))


def _list(text: str, name: str) -> list[Any] | str:
    """Return the list that a reply holds under a name, or what is wrong with the reply."""
    bare = text.strip()
    if fenced := _FENCE.fullmatch(bare):
        bare = fenced[1]
    try:
        given = json.loads(bare)
    except (ValueError, RecursionError):
        return f"expected JSON alone, got {_short(bare)}"
    inner = given.get(name) if isinstance(given, dict) else None
    if not isinstance(inner, list):
        return f'expected an object with a list "{name}", got {_short(given)}'
    return inner


def _within(number: object, most: int) -> TypeGuard[int]:
    return isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= most


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _first(faults: list[str]) -> str:
    return "; ".join(faults[:3])
