"""What the model's replies mean: facts with the numbers of their messages, and operations on numbered memories.

The JSON is read by ``bench.replies``. What is wrong is named by its path, so that the model can be asked once more; the
rest is used: one entry that cannot be read does not discard the others. Knows no prompt and no store.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from bench.replies import JsonNode, ReplyError, read_json

__all__ = ["Facts", "Operation", "OperationKind", "Operations", "ReadFact", "read_facts", "read_operations"]

T = TypeVar("T")


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
    """Read the facts of a reply about ``turns`` messages; numbers of messages that do not exist are left out."""
    faults: list[str] = []

    def read_fact(entry: JsonNode) -> ReadFact:
        bare = isinstance(entry.value, str)
        fact_text = _read_text(entry if bare else entry["text"])
        numbers: tuple[int, ...] = ()
        try:
            cited = entry["turns"]
            one = cited if not isinstance(cited.value, list) else None
            numbers, wrong = ((one.number(1, turns),), ()) if one else cited.each(lambda turn: turn.number(1, turns))
            if not numbers:
                raise cited.error("at least one number of a message") if not wrong else ReplyError(wrong[0])
        except ReplyError as fault:
            faults.append(str(fault))
        return ReadFact(fact_text, tuple(sorted(set(numbers))))

    try:
        found, wrong = _read_entries(text, "facts", read_fact)
    except ReplyError as fault:
        return Facts(fault=str(fault), readable=False)
    return Facts(found, _join_first([*wrong, *faults]))


def read_operations(text: str, facts: int, memories: int) -> Operations:
    """Read the operations of a reply about so many facts and memories."""
    try:
        found, wrong = _read_entries(text, "operations", lambda entry: _read_operation(entry, facts, memories))
    except ReplyError as fault:
        return Operations(fault=str(fault))
    faults, decided = list(wrong), Operations(found).decided_facts
    left_out = [str(fact) for fact in range(1, facts + 1) if fact not in decided]
    if left_out and not faults:
        faults.append(f"operations: expected one for every fact, got none for {', '.join(left_out)}")
    # Where every fact has a usable operation, what else is wrong is worth no second call.
    return Operations(found, _join_first(faults) if left_out else "")


def _read_operation(entry: JsonNode, facts: int, memories: int) -> Operation:
    """Raises: ReplyError that names what is wrong."""
    fact = entry["fact"].number(1, facts)
    kind = OperationKind(entry["event"].choice(list(OperationKind)))
    if kind is OperationKind.ADD:
        return Operation(fact, kind)
    try:
        memory = entry["id"].number(1, memories)
    except ReplyError:
        if kind is not OperationKind.NOOP:
            raise
        return Operation(fact, kind)  # it changes nothing, whatever it names: another new fact, say
    return Operation(fact, kind, memory, _read_text(entry["text"]) if kind is OperationKind.UPDATE else "")


def _read_text(node: JsonNode) -> str:
    if not (text := node.text()):
        raise node.error("a text")
    return text


def _read_entries(text: str, name: str, read: Callable[[JsonNode], T]) -> tuple[tuple[T, ...], tuple[str, ...]]:
    """Return what can be read of a list and what is wrong with the rest; the list itself may be the reply."""
    reply = read_json(text, arrays=True)
    entries = reply if isinstance(reply.value, list) else reply[name]
    found, faults = entries.each(read)
    cut = ("reply: expected complete JSON, got one that is cut off",) if "cut-off" in reply.repairs else ()
    return found, (*cut, *faults)


def _join_first(faults: list[str]) -> str:
    return "; ".join(faults[:3])
