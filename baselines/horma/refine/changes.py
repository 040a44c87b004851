"""What a model may change of a skill list, and what a skill is: records alone, with the names of what is refused."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["MOST_CHARS", "MOST_OPERATIONS", "Cause", "Kind", "Operation", "Origin", "Reader", "Rejection", "Skill"]

MOST_OPERATIONS = 8
"""Operations of one call; what comes behind them is rejected."""
MOST_CHARS = 240
"""Of a skill."""


class Origin(StrEnum):
    """Which kind of contrast a skill comes from."""

    EXO = "exo"  # the whole past succeeded, the notes failed: what must not be dropped
    END = "end"  # the notes succeeded, the whole past failed: which structure helps


class Reader(StrEnum):
    """Whose prompt shows a skill."""

    ORGANISE = "organise"
    NAVIGATE = "navigate"


class Kind(StrEnum):
    """What an operation does, in the order in which those of one call are applied."""

    REMOVE = "remove"
    EDIT = "edit"
    ADD = "add"


class Rejection(StrEnum):
    """Why an operation, a part of one, or a whole reply was not applied."""

    NO_JSON = "no JSON"
    NOT_AN_OPERATION = "not an operation"
    UNKNOWN_ID = "unknown id"
    SECOND_ON_ID = "second operation on one id"
    EMPTY_TEXT = "empty text"
    TOO_LONG = f"more than {MOST_CHARS} characters"
    DUPLICATE = "says what another skill says"
    CONTRADICTION = "contradicts another skill"
    FULL = "list is full"
    UNKNOWN_FEEDBACK = "unknown feedback"  # the operation counts as based on the others it names, or on all
    TOO_MANY = f"more than {MOST_OPERATIONS} in a call"


@dataclass(frozen=True, slots=True)
class Cause:
    """What one feedback is about."""

    origin: Origin
    task: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One change that a model asks for."""

    kind: Kind
    id: int = 0
    """Of the skill; not used by ``add``."""
    text: str = ""
    """One line; used by ``add`` and ``edit`` alone."""
    reader: Reader = Reader.ORGANISE
    """Used by ``add`` alone."""
    causes: tuple[int, ...] = ()
    """Numbers of the feedbacks that it is based on, from 1; none = all of the call."""


@dataclass(frozen=True, slots=True)
class Skill:
    """One line. ``id`` counts from 1 and is never used again."""

    id: int
    text: str
    reader: Reader
    origins: tuple[Origin, ...]
    tasks: tuple[str, ...]
    """Those whose contrasts its text was written from, sorted."""
    round: int
    """In which its text was written."""
