"""The interface of every engine, and the state that it returns: text, end, and facts.

Facts have TextWorld's predicate names in lower case and display names as arguments ("mug 1"). Knows no engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

__all__ = ["FACTS", "NOTHING", "Engine", "Engines", "Fact", "World"]

NOTHING = "Nothing happens."

FACTS = frozenset(
    {
        "atlocation",  # (agent, location)
        "holds",  # (agent, object)
        "inreceptacle",  # (object, place)
        "isclean",  # (object), and so are the next three
        "ishot",
        "iscool",
        "istoggled",
        "objecttype",  # (object, "mugtype")
        "openable",  # (place)
        "opened",  # (place)
        "receptacleatlocation",  # (place, location)
        "receptacletype",  # (place, "shelftype")
    }
)
"""The predicates of a ``World``; an engine leaves out all others."""


class Fact(NamedTuple):
    """One ground fact: ``Fact("inreceptacle", ("mug 1", "shelf 2"))``."""

    name: str
    args: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class World:
    """The state after a reset or a step."""

    feedback: str
    """The game's own text, unstripped; exactly ``Nothing happens.`` for a command that is not admissible."""
    won: bool
    done: bool
    facts: frozenset[Fact]


class Engine(Protocol):
    """Plays one game at a time. Raises EnvError for a crash or a hang, DataError for a game it cannot load."""

    def start(self, game: bytes) -> World:
        """Load a game file's bytes and return its opening."""

    def step(self, command: str) -> World: ...

    def admissible(self) -> Sequence[str]:
        """Return the commands that would have an effect now, sorted. Never part of a prompt."""

    def close(self) -> None:
        """Return the engine to its pool; it must not be used afterwards."""


class Engines(Protocol):
    """Creates engines for one suite. Safe to call from several threads."""

    @property
    def name(self) -> str: ...

    def take(self) -> Engine: ...

    def close(self) -> None: ...
