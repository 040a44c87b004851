"""What a model says in the dialogue's three grammars: what to keep, what to drop, where to look.

The lines are read by ``bench.replies``; a line that is not of the grammar is nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from baselines.generic_agent.dialogue.facts import Proposal
from bench.replies import read_commands

__all__ = ["Drop", "Proposals", "Route", "read_drops", "read_proposals", "read_route"]

_QUOTES = re.compile(r"[`\"“”]")
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


def read_proposals(text: str) -> Proposals:
    """Return the facts and rules of a reply, with whatever places they cite."""
    facts, rules = list[Proposal](), list[Proposal]()
    for line in read_commands(text, ("fact", "rule"))[:_MOST_LINES]:
        parts = [part.strip() for part in line.text.split("|")]
        if line.name == "fact" and len(parts) >= 3:
            facts.append(Proposal(parts[0], " ".join(parts[1:-1]), _read_places(parts[-1])))
        elif line.name == "fact" and parts[0]:
            facts.append(Proposal(parts[0], parts[-1], ()))  # cites nothing: to be refused and counted
        elif line.name == "rule" and parts[0]:
            cited = _read_places(parts[-1]) if len(parts) > 1 else ()
            rules.append(Proposal("", " ".join(parts[:-1] or parts), cited))
    return Proposals(tuple(facts), tuple(rules))


def read_drops(text: str) -> tuple[Drop, ...]:
    """Return which facts a reply wants dropped, each once."""
    found: dict[int, Drop] = {}
    for line in read_commands(text, ("drop",))[:_MOST_LINES]:
        if pair := re.fullmatch(r"\W*(\d{1,9})\s*\|\s*(\d{1,9})\W*", line.text):
            found.setdefault(int(pair[1]), Drop(int(pair[1]), int(pair[2])))
    return tuple(found.values())


def read_route(text: str) -> Route:
    """Return what a reply asks to read."""
    topics, searches, places = list[str](), list[str](), list[str]()
    asks_sessions = is_done = False
    for line in read_commands(text, ("open", "find", "turns", "sessions", "done"))[:_MOST_LINES]:
        if line.name == "open":
            topics += [_QUOTES.sub("", name).strip(" .'") for name in line.text.split(",")]
        elif line.name == "find" and line.words:
            searches.append(" ".join(line.words))
        elif line.name == "turns":
            places += _read_places(line.text)
        asks_sessions |= line.name == "sessions"
        is_done |= line.name == "done"
    return Route(_limit_names(topics), _limit_names(searches), _limit_names(places), asks_sessions, is_done)


def _limit_names(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, names)))[:_MOST_NAMES]


def _read_places(text: str) -> tuple[str, ...]:
    """Return the places as written, without brackets; what is no place stays and will not be found."""
    return tuple(dict.fromkeys(piece for part in re.split(r"[,;\s]+", text) if (piece := part.strip("[]().`*"))))
