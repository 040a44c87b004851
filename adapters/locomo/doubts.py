"""Questions of the released file with a doubtful reference answer or doubtful evidence, listed in ``doubtful.txt``.

The list has ids and kinds only, no text of the data. A wrong citation does not affect the reference answer. Knows no
score: callers decide whether such questions count.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["CITATION", "Doubt", "find_doubt"]

CITATION = "citation"
# Recorded as the reason of a score that does not count: the texts are part of stored runs.
_MEANINGS = {
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
        return f"{_MEANINGS[self.kind]} ({self.kind}; {self.source})"


@cache
def _load_doubts() -> dict[str, Doubt]:
    lines = (Path(__file__).parent / "doubtful.txt").read_text(encoding="utf-8").splitlines()
    rows = [Doubt(*line.split()) for line in lines if line and not line.startswith("#")]
    return {row.question: row for row in rows}


def find_doubt(question: str) -> Doubt | None:
    """Return what is known to be wrong with a question, named ``<conversation>/<index>``; None = nothing."""
    return _load_doubts().get(question)
