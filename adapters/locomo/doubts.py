"""Questions of the released file with a doubtful reference answer or doubtful evidence, listed in ``doubtful.txt``.

The list has ids, kinds and digests only, no text of the data. A question is known by its digest: where its text or its
answer (of a wrong citation, also its evidence) is another than in the released file, nothing is known about it. A wrong
citation does not affect the reference answer. Knows no score: callers decide whether such questions count.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["CITATION", "Doubt", "find_doubt", "find_doubts"]

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
    digest: str

    def __str__(self) -> str:
        return f"{_MEANINGS[self.kind]} ({self.kind}; {self.source})"


@cache
def _load_doubts() -> dict[str, Doubt]:
    lines = (Path(__file__).parent / "doubtful.txt").read_text(encoding="utf-8").splitlines()
    rows = [Doubt(*line.split()) for line in lines if line and not line.startswith("#")]
    return {row.digest: row for row in rows}


def find_doubt(entry: object) -> Doubt | None:
    """Return what is known to be wrong with a question as the file has it; None = nothing, or it is another one."""
    if not isinstance(entry, Mapping):
        return None
    said = [entry.get("question"), entry.get("answer")]
    known = _load_doubts()
    return known.get(_hash(said)) or known.get(_hash([*said, entry.get("evidence")]))


def find_doubts(questions: object) -> dict[int, Doubt]:
    """Return the doubts about the questions of a conversation, ``qa`` in the file, by their place there."""
    entries = enumerate(questions if isinstance(questions, list) else [])
    return {place: found for place, entry in entries if (found := find_doubt(entry))}


def _hash(parts: list[object]) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
