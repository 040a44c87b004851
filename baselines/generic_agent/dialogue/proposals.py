"""Reads what a model says in the dialogue's three grammars: what to keep, what to drop, where to look.

Strict and by lines: a line that is not of the grammar is nothing. Only bullets, backquotes and bold marks around a line
are forgiven, which chat models add unasked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from baselines.generic_agent.dialogue.facts import Proposal

__all__ = ["Drop", "Proposals", "Route", "read_drops", "read_proposals", "read_route"]

_LINE = re.compile(
    r"[\s>*`-]*(?P<word>fact|rule|drop|open|find|turns|sessions|done)\b[*`]*\s*(?::\**\s*(?P<rest>.*))?", re.I
)
_MOST_LINES = 200
_MOST_NAMES = 12
"""Names after one command: a reply that lists the whole index opens no more than this."""


@dataclass(frozen=True, slots=True)
class Proposals:
    """One reply to ``extract``."""

    facts: tuple[Proposal, ...] = ()
    rules: tuple[Proposal, ...] = ()


@dataclass(frozen=True, slots=True)
class Drop:
    """An earlier fact and the newer one that takes its place, by their numbers."""

    earlier: int
    newer: int


@dataclass(frozen=True, slots=True)
class Route:
    """One reply to ``navigate``: what to read next, in the order it was asked for."""

    topics: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    """``3:12`` is a turn, ``3`` a session."""
    asks_sessions: bool = False
    is_done: bool = False

    @property
    def asks(self) -> bool:
        return bool(self.topics or self.searches or self.places or self.asks_sessions)


@dataclass(frozen=True, slots=True)
class _CommandLine:
    word: str
    rest: str


def read_proposals(text: str) -> Proposals:
    """Return the facts and rules of a reply, with whatever places they cite."""
    facts, rules = list[Proposal](), list[Proposal]()
    for line in _read_lines(text):
        parts = [part.strip() for part in line.rest.split("|")]
        if line.word == "fact" and len(parts) >= 3:
            facts.append(Proposal(parts[0], " ".join(parts[1:-1]), _read_places(parts[-1])))
        elif line.word == "fact" and parts[0]:
            facts.append(Proposal(parts[0], parts[-1], ()))  # cites nothing: to be refused and counted
        elif line.word == "rule" and parts[0]:
            cited = _read_places(parts[-1]) if len(parts) > 1 else ()
            rules.append(Proposal("", " ".join(parts[:-1] or parts), cited))
    return Proposals(tuple(facts), tuple(rules))


def read_drops(text: str) -> tuple[Drop, ...]:
    """Return which facts a reply wants dropped, each once."""
    found: dict[int, Drop] = {}
    for line in _read_lines(text):
        pair = re.fullmatch(r"\W*(\d{1,9})\s*\|\s*(\d{1,9})\W*", line.rest)
        if line.word == "drop" and pair:
            found.setdefault(int(pair[1]), Drop(int(pair[1]), int(pair[2])))
    return tuple(found.values())


def read_route(text: str) -> Route:
    """Return what a reply asks to read."""
    topics, searches, places = list[str](), list[str](), list[str]()
    asks_sessions = is_done = False
    for line in _read_lines(text):
        if line.word == "open":
            topics += [name.strip(" .`'\"") for name in line.rest.split(",")]
        elif line.word == "find" and line.rest:
            searches.append(line.rest)
        elif line.word == "turns":
            places += _read_places(line.rest)
        asks_sessions |= line.word == "sessions"
        is_done |= line.word == "done"
    return Route(_limit_names(topics), _limit_names(searches), _limit_names(places), asks_sessions, is_done)


def _limit_names(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, names)))[:_MOST_NAMES]


def _read_lines(text: str) -> Iterator[_CommandLine]:
    for line in text.splitlines()[:_MOST_LINES]:
        if found := _LINE.fullmatch(line):
            yield _CommandLine(found["word"].lower(), (found["rest"] or "").removesuffix("**").strip(" `"))


def _read_places(text: str) -> tuple[str, ...]:
    """Return the places as written, without brackets; what is no place stays and will not be found."""
    return tuple(dict.fromkeys(piece for part in re.split(r"[,;\s]+", text) if (piece := part.strip("[]().`*"))))
