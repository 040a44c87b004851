"""The model's replies, read strictly: facts with the numbers of their messages, and operations on numbered memories.

A reply is JSON alone (one code fence around it is accepted). What is wrong is named, so that the model can be asked
once more; the rest is used. Knows no prompt and no store.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeGuard

__all__ = ["Facts", "Operation", "OperationKind", "Operations", "ReadFact", "read_facts", "read_operations"]

_FENCE = re.compile(r"```(?:json)?\s*\n(.*)\n\s*```", re.DOTALL)


class OperationKind(StrEnum):
    """What a new fact does to the memory."""

    ADD = "ADD"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    NOOP = "NOOP"


@dataclass(frozen=True, slots=True)
class ReadFact:
    """One fact, and the numbers of the messages that say it, from 1; none = the model did not tell."""

    text: str
    turns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a reply; ``fault`` is empty if all of it could be read, ``readable`` False if nothing could."""

    found: tuple[ReadFact, ...] = ()
    fault: str = ""
    readable: bool = True


@dataclass(frozen=True, slots=True)
class Operation:
    """What one fact does to one memory; both are numbers from 1, 0 = no memory."""

    fact: int
    kind: OperationKind
    memory: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class Operations:
    """The usable operations of a reply; ``fault`` is empty if there is nothing wrong and no fact is left out."""

    found: tuple[Operation, ...] = ()
    fault: str = ""

    @property
    def decided_facts(self) -> frozenset[int]:
        """The numbers of the facts that have an operation."""
        return frozenset(one.fact for one in self.found)


def read_facts(text: str, turns: int) -> Facts:
    """Read the facts of a reply about ``turns`` messages."""
    entries = _read_list(text, "facts")
    if isinstance(entries, str):
        return Facts(fault=entries, readable=False)
    found, faults = [], []
    for number, one in enumerate(entries, start=1):
        fact_text = one.get("text") if isinstance(one, dict) else None
        if not isinstance(fact_text, str) or not fact_text.strip():
            faults.append(f'fact {number}: expected an object with a "text", got {_shorten(one)}')
            continue
        numbers = one.get("turns")
        is_valid = isinstance(numbers, list) and bool(numbers) and all(_is_within(turn, turns) for turn in numbers)
        if not is_valid:
            faults.append(f'fact {number}: expected "turns" to list numbers from 1 to {turns}, got {_shorten(numbers)}')
        found.append(ReadFact(" ".join(fact_text.split()), tuple(sorted(set(numbers))) if is_valid else ()))
    return Facts(tuple(found), _join_first(faults))


def read_operations(text: str, facts: int, memories: int) -> Operations:
    """Read the operations of a reply about so many facts and memories."""
    entries = _read_list(text, "operations")
    if isinstance(entries, str):
        return Operations(fault=entries)
    found, faults = [], []
    for number, one in enumerate(entries, start=1):
        read = _read_operation(one, facts, memories)
        if isinstance(read, Operation):
            found.append(read)
        else:
            faults.append(f"operation {number}: {read}")
    read_all = Operations(tuple(found))
    left_out = [str(fact) for fact in range(1, facts + 1) if fact not in read_all.decided_facts]
    if left_out and not faults:
        faults.append(f"expected an operation for every fact, got none for {', '.join(left_out)}")
    return Operations(read_all.found, _join_first(faults))


def _read_operation(one: object, facts: int, memories: int) -> Operation | str:
    """Return the operation, or what is wrong with it."""
    if not isinstance(one, dict):
        return f"expected an object, got {_shorten(one)}"
    fact, event, memory, text = (one.get(name) for name in ("fact", "event", "id", "text"))
    if not _is_within(fact, facts):
        return f'expected "fact" to be a number from 1 to {facts}, got {_shorten(fact)}'
    if event not in list(OperationKind):
        return f'expected "event" to be one of {", ".join(OperationKind)}, got {_shorten(event)}'
    kind = OperationKind(event)
    if kind is OperationKind.ADD:
        return Operation(fact, kind)
    if kind is OperationKind.NOOP and memory is None:
        return Operation(fact, kind)
    if not _is_within(memory, memories):
        return f'expected "id" to be a number from 1 to {memories}, got {_shorten(memory)}'
    if kind is not OperationKind.UPDATE:
        return Operation(fact, kind, memory)
    if not isinstance(text, str) or not text.strip():
        return f'expected the "text" of an UPDATE, got {_shorten(text)}'
    return Operation(fact, kind, memory, " ".join(text.split()))


def _read_list(text: str, name: str) -> list[Any] | str:
    """Return the list that a reply holds under a name, or what is wrong with the reply."""
    bare = text.strip()
    if fenced := _FENCE.fullmatch(bare):
        bare = fenced[1]
    try:
        entries = json.loads(bare)
    except (ValueError, RecursionError):
        return f"expected JSON alone, got {_shorten(bare)}"
    inner = entries.get(name) if isinstance(entries, dict) else None
    if not isinstance(inner, list):
        return f'expected an object with a list "{name}", got {_shorten(entries)}'
    return inner


def _is_within(number: object, most: int) -> TypeGuard[int]:
    return isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= most


def _shorten(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _join_first(faults: list[str]) -> str:
    return "; ".join(faults[:3])
