"""The three things that Mem0 asks a model for while it listens: facts, operations on memories, a rolling summary.

Each reply that cannot be used is asked for once more with the fault named; what is then still missing falls back to
the safe side (the message itself is the fact, the fact is added), and is counted. Knows no store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from baselines.mem0.replies import Facts, Operation, OperationKind, Operations, read_facts, read_operations
from baselines.mem0.store import Fact, Turn
from baselines.shared.summarizer import Summarizer, tell_limit
from bench.protocols import Kit
from bench.types import Message

__all__ = ["ExtractionInput", "Writer"]

_LIMIT_TOKENS = 2048
_SUMMARY_TOKENS = 250


def _text(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8").strip()


_EXTRACT, _ADDITIVE, _UPDATE, _SUMMARIZE, _RETRY = map(
    _text, ("extract.txt", "extract_additive.txt", "update.txt", "summarize.txt", "retry.txt")
)


@dataclass(frozen=True, slots=True)
class ExtractionInput:
    """What an extraction is shown: the new messages and what makes them clear."""

    new: tuple[Turn, ...]
    earlier: tuple[Turn, ...] = ()
    summary: str = ""
    known: tuple[str, ...] = ()
    """The memories nearest to the new messages, as lines: the additive variant's."""
    about: str = ""
    """The one person whose facts are wanted; empty = everybody's."""


class Writer:
    """Asks the model of the run, and counts what it could not use."""

    def __init__(self, kit: Kit, additive: bool):
        self._kit, self._additive = kit, additive
        self.summarizer = Summarizer(kit, "summarize", _SUMMARY_TOKENS)
        self.verbatim = 0
        """Messages that were stored as they were, since no reply about them could be read."""
        self.undecided = 0
        """Facts that were added since no reply said what to do with them."""

    def extract_facts(self, given: ExtractionInput) -> list[Fact]:
        """Return the facts of the new messages (role ``extract``)."""
        system = _ADDITIVE if self._additive else _EXTRACT
        messages = (Message("system", system), Message("user", _render_input(given)))
        reply = self._ask(messages, "extract")
        read = read_facts(reply, len(given.new))
        if read.fault:
            again = read_facts(self._ask(_build_retry(messages, reply, read.fault), "extract"), len(given.new))
            read = again if again.readable else read
        if not read.readable:
            turns = [turn for turn in given.new if turn.text and given.about in ("", turn.speaker)]
            self.verbatim += len(turns)
            return [_build_fact(f"{turn.speaker}: {turn.text}", [turn]) for turn in turns]
        return _attach_turns(read, given.new)

    def decide_operations(self, facts: Sequence[Fact], memories: Sequence[str]) -> list[Operation]:
        """Return what each fact does to the memories (role ``update``); every fact has at least one operation."""
        parts = (
            f"# Memories\n{_number_lines(memories)}",
            f"# New facts\n{_number_lines([fact.line for fact in facts])}",
        )
        messages = (Message("system", _UPDATE), Message("user", "\n\n".join(parts)))
        reply = self._ask(messages, "update")
        first = again = read_operations(reply, len(facts), len(memories))
        if first.fault:
            again = read_operations(
                self._ask(_build_retry(messages, reply, first.fault), "update"), len(facts), len(memories)
            )
        return self._merge_operations(first, again, len(facts))

    def update_summary(self, before: str, turns: Sequence[Turn]) -> str:
        """Return the rolling summary with what was said since (role ``summarize``)."""
        system = tell_limit(_SUMMARIZE, _SUMMARY_TOKENS)
        parts = [f"# Account so far\n{before}"] if before else []
        parts.append("# Said since\n" + "\n".join(turn.line for turn in turns))
        # A thought without an end, say, leaves nothing: then the account before it stays.
        return self.summarizer.ask((Message("system", system), Message("user", "\n\n".join(parts)))) or before

    def _merge_operations(self, first: Operations, again: Operations, facts: int) -> list[Operation]:
        """Join two replies: the second holds for each fact that it decides, the first for the others."""
        found = [one for one in first.found if one.fact not in again.decided_facts]
        found += again.found
        missing = [fact for fact in range(1, facts + 1) if fact not in {one.fact for one in found}]
        self.undecided += len(missing)
        found += [Operation(fact, OperationKind.ADD) for fact in missing]
        return sorted(found, key=lambda one: one.fact)

    def _ask(self, messages: Sequence[Message], role: str) -> str:
        return self._kit.model.chat(messages, role=role, max_tokens=_LIMIT_TOKENS).text


def _build_retry(messages: Sequence[Message], reply: str, fault: str) -> tuple[Message, ...]:
    return (*messages, Message("assistant", reply), Message("user", _RETRY.replace("{fault}", fault)))


def _render_input(given: ExtractionInput) -> str:
    parts: list[tuple[str, str]] = [
        ("About", given.about),
        ("Summary so far", given.summary),
        ("Memory", _number_lines(given.known)),
        ("Earlier messages", "\n".join(turn.line for turn in given.earlier)),
        ("New messages", _number_lines([turn.line for turn in given.new])),
    ]
    return "\n\n".join(f"# {heading}\n{text}" for heading, text in parts if text)


def _number_lines(lines: Sequence[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))


def _attach_turns(read: Facts, turns: Sequence[Turn]) -> list[Fact]:
    """Give each fact its messages; one that names none rests on all of them."""
    return [_build_fact(found.text, [turns[number - 1] for number in found.turns] or turns) for found in read.found]


def _build_fact(text: str, turns: Sequence[Turn]) -> Fact:
    last = turns[-1]
    speakers = dict.fromkeys(turn.speaker for turn in turns)
    return Fact(text, last.date, " and ".join(speakers), tuple(turn.ref for turn in turns), last.at)
