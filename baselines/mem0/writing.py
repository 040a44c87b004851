"""The three things that Mem0 asks a model for while it listens: facts, operations on memories, a rolling summary.

Each reply that cannot be used is asked for once more with the fault named; what is then still missing falls back to
the safe side (the message itself is the fact, the fact is added), and is counted. Knows no store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from baselines.mem0.replies import Facts, Operation, Operations, What, read_facts, read_operations
from baselines.mem0.store import Fact, Turn
from bench.agents import within
from bench.protocols import Kit
from bench.types import Message

__all__ = ["Listening", "Writer"]

_LIMIT_TOKENS = 2048
_SUMMARY_TOKENS = 250


def _text(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8").strip()


_EXTRACT, _ADDITIVE, _UPDATE, _SUMMARIZE, _RETRY = map(
    _text, ("extract.txt", "extract_additive.txt", "update.txt", "summarize.txt", "retry.txt")
)


@dataclass(frozen=True, slots=True)
class Listening:
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
        self.verbatim = 0
        """Messages that were stored as they were, since no reply about them could be read."""
        self.undecided = 0
        """Facts that were added since no reply said what to do with them."""

    def facts(self, heard: Listening) -> list[Fact]:
        """Return the facts of the new messages (role ``extract``)."""
        system = _ADDITIVE if self._additive else _EXTRACT
        asked = (Message("system", system), Message("user", _shown(heard)))
        said = self._ask(asked, "extract")
        read = read_facts(said, len(heard.new))
        if read.fault:
            again = read_facts(self._ask(_again(asked, said, read.fault), "extract"), len(heard.new))
            read = again if again.readable else read
        if not read.readable:
            worded = [turn for turn in heard.new if turn.text and heard.about in ("", turn.speaker)]
            self.verbatim += len(worded)
            return [_fact(f"{turn.speaker}: {turn.text}", [turn]) for turn in worded]
        return _facts(read, heard.new)

    def operations(self, facts: Sequence[Fact], memories: Sequence[str]) -> list[Operation]:
        """Return what each fact does to the memories (role ``update``); every fact has at least one operation."""
        parts = (f"# Memories\n{_numbered(memories)}", f"# New facts\n{_numbered([fact.line for fact in facts])}")
        asked = (Message("system", _UPDATE), Message("user", "\n\n".join(parts)))
        said = self._ask(asked, "update")
        first = again = read_operations(said, len(facts), len(memories))
        if first.fault:
            again = read_operations(self._ask(_again(asked, said, first.fault), "update"), len(facts), len(memories))
        return self._decided(first, again, len(facts))

    def summary(self, before: str, turns: Sequence[Turn]) -> str:
        """Return the rolling summary with what was said since (role ``summarize``)."""
        system = _SUMMARIZE.replace("{limit}", str(_SUMMARY_TOKENS))
        parts = [f"# Account so far\n{before}"] if before else []
        parts.append("# Said since\n" + "\n".join(turn.line for turn in turns))
        asked = (Message("system", system), Message("user", "\n\n".join(parts)))
        said = self._kit.model.chat(asked, role="summarize", max_tokens=_SUMMARY_TOKENS).text.strip()
        return within(said, _SUMMARY_TOKENS, self._kit.budget.count)

    def _decided(self, first: Operations, again: Operations, facts: int) -> list[Operation]:
        """Join two replies: the second holds for each fact that it decides, the first for the others."""
        found = [one for one in first.found if one.fact not in again.decided]
        found += again.found
        missing = [fact for fact in range(1, facts + 1) if fact not in {one.fact for one in found}]
        self.undecided += len(missing)
        found += [Operation(fact, What.ADD) for fact in missing]
        return sorted(found, key=lambda one: one.fact)

    def _ask(self, messages: Sequence[Message], role: str) -> str:
        return self._kit.model.chat(messages, role=role, max_tokens=_LIMIT_TOKENS).text


def _again(asked: Sequence[Message], said: str, fault: str) -> tuple[Message, ...]:
    return (*asked, Message("assistant", said), Message("user", _RETRY.replace("{fault}", fault)))


def _shown(heard: Listening) -> str:
    parts: list[tuple[str, str]] = [
        ("About", heard.about),
        ("Summary so far", heard.summary),
        ("Memory", _numbered(heard.known)),
        ("Earlier messages", "\n".join(turn.line for turn in heard.earlier)),
        ("New messages", _numbered([turn.line for turn in heard.new])),
    ]
    return "\n\n".join(f"# {heading}\n{text}" for heading, text in parts if text)


def _numbered(lines: Sequence[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))


def _facts(read: Facts, turns: Sequence[Turn]) -> list[Fact]:
    """Give each fact its messages; one that names none rests on all of them."""
    return [_fact(found.text, [turns[number - 1] for number in found.turns] or turns) for found in read.found]


def _fact(text: str, turns: Sequence[Turn]) -> Fact:
    last = turns[-1]
    speakers = dict.fromkeys(turn.speaker for turn in turns)
    return Fact(text, last.date, " and ".join(speakers), tuple(turn.ref for turn in turns), last.at)
