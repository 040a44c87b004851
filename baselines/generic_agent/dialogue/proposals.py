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
class _Said:
    word: str
    rest: str


def read_proposals(text: str) -> Proposals:
    """Return the facts and rules of a reply, with whatever places they cite."""
    facts, rules = list[Proposal](), list[Proposal]()
    for said in _said(text):
        parts = [part.strip() for part in said.rest.split("|")]
        if said.word == "fact" and len(parts) >= 3:
            facts.append(Proposal(parts[0], " ".join(parts[1:-1]), _places(parts[-1])))
        elif said.word == "fact" and parts[0]:
            facts.append(Proposal(parts[0], parts[-1], ()))  # cites nothing: to be refused and counted
        elif said.word == "rule" and parts[0]:
            cited = _places(parts[-1]) if len(parts) > 1 else ()
            rules.append(Proposal("", " ".join(parts[:-1] or parts), cited))
    return Proposals(tuple(facts), tuple(rules))


def read_drops(text: str) -> tuple[Drop, ...]:
    """Return which facts a reply wants dropped, each once."""
    found: dict[int, Drop] = {}
    for said in _said(text):
        pair = re.fullmatch(r"\W*(\d{1,9})\s*\|\s*(\d{1,9})\W*", said.rest)
        if said.word == "drop" and pair:
            found.setdefault(int(pair[1]), Drop(int(pair[1]), int(pair[2])))
    return tuple(found.values())


def read_route(text: str) -> Route:
    """Return what a reply asks to read."""
    topics, searches, places = list[str](), list[str](), list[str]()
    asks_sessions = is_done = False
    for said in _said(text):
        if said.word == "open":
            topics += [name.strip(" .`'\"") for name in said.rest.split(",")]
        elif said.word == "find" and said.rest:
            searches.append(said.rest)
        elif said.word == "turns":
            places += _places(said.rest)
        asks_sessions |= said.word == "sessions"
        is_done |= said.word == "done"
    return Route(_few(topics), _few(searches), _few(places), asks_sessions, is_done)


def _few(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, names)))[:_MOST_NAMES]


def _said(text: str) -> Iterator[_Said]:
    for line in text.splitlines()[:_MOST_LINES]:
        if found := _LINE.fullmatch(line):
            yield _Said(found["word"].lower(), (found["rest"] or "").removesuffix("**").strip(" `"))


def _places(text: str) -> tuple[str, ...]:
    """Return the places as written, without brackets; what is no place stays and will not be found."""
    return tuple(dict.fromkeys(piece for part in re.split(r"[,;\s]+", text) if (piece := part.strip("[]().`*"))))
