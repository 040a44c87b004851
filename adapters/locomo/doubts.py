"""Which questions of the released file have a doubtful gold or doubtful evidence, by id: the list beside this file.

The list holds ids and kinds only, no text of the data. A wrong citation says nothing against the reference answer. This
file knows no score: it says what is known, and leaves to others whether such questions are counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["CITATION", "Doubt", "doubts"]

CITATION = "citation"
_SAID = {
    "hallucination": "the gold holds what nobody said",
    "temporal": "a date or duration in the question or the gold is wrong",
    "attribution": "the wrong speaker is credited",
    "incomplete": "the gold leaves out what was said",
    "ambiguous": "the gold is debatable",
    "answerable": "the conversation does answer it",
    CITATION: "the evidence is not where the gold comes from",
}


@dataclass(frozen=True, slots=True)
class Doubt:
    """What is wrong with one question, and who found it."""

    question: str
    kind: str
    source: str

    def __str__(self) -> str:
        return f"{_SAID[self.kind]} ({self.kind}; {self.source})"


@cache
def _known() -> dict[str, Doubt]:
    lines = (Path(__file__).parent / "doubtful.txt").read_text(encoding="utf-8").splitlines()
    rows = [Doubt(*line.split()) for line in lines if line and not line.startswith("#")]
    return {row.question: row for row in rows}


def doubts(question: str) -> Doubt | None:
    """Return what is known to be wrong with a question, named ``<conversation>/<index>``; None = nothing."""
    return _known().get(question)
