"""One LongMemEval instance as it is used: records, and the label that can be read without its history.

Knows no file, no score and no prompt.
"""

from __future__ import annotations

from dataclasses import dataclass

from adapters.longmemeval.reading import Fields
from adapters.shared.turn_text import Repair

__all__ = ["ABSTAINS", "KINDS", "REPAIRS", "UNREADABLE", "Instance", "Label", "Repairs", "Turn", "read_label"]

KINDS = (
    "single-session-user",
    "single-session-assistant",
    "single-session-preference",
    "multi-session",
    "temporal-reasoning",
    "knowledge-update",
)
UNREADABLE = "unreadable"
ABSTAINS = "_abs"
"""What the id of a question without an answer contains."""


@dataclass(frozen=True, slots=True)
class Repairs:
    """Which repairs are made."""

    integers: bool = True
    empty: bool = True
    order: bool = True
    repeats: bool = False


REPAIRS = {
    "integers": "take an integer answer as text",
    "empty": "leave out a turn without text",
    "order": "sort sessions by date and clock; off leaves the order of the file",
    "repeats": "leave out a session whose id occurs earlier in the history",
}


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance, in one line. ``ref`` numbers sessions in the order of time and turns as in the file."""

    ref: str
    session: int
    day: str
    clock: str
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Label:
    """Name and type of an instance, read without its history."""

    name: str
    kind: str
    """A question type, or ``unreadable``."""
    abstains: bool
    """True if the right answer is a refusal."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One history and the question about it, after repairs."""

    label: Label
    question: str
    reference_answer: str
    day: str
    clock: str
    """Day and clock of the question."""
    turns: tuple[Turn, ...]
    evidence: tuple[str, ...]
    repairs: tuple[Repair, ...]
    raw_answer: str | int | float = ""
    """The reference answer as the file has it."""
    by_session: bool = False
    """True if no turn is marked, so that the evidence is all turns of the sessions that are named."""


def read_label(fields: Fields) -> Label:
    """Return the label of any row; errors are reported when the row is loaded."""
    if isinstance(fields, str):
        return Label(UNREADABLE, UNREADABLE, abstains=False)
    name, kind = fields.get("question_id"), fields.get("question_type")
    if not isinstance(name, str) or not name:
        return Label(UNREADABLE, UNREADABLE, abstains=False)
    return Label(name, kind if kind in KINDS else UNREADABLE, abstains=ABSTAINS in name)
