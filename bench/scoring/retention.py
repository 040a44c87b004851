"""Retention: does a context still state what the reference answer states? Pure functions of texts.

A context can be based on every turn and yet have lost the fact, as a summary of everything does. Evidence recall does
not see that; retention does.

What an answer needs is found in three steps:

1. The facts of the reference answer (``stated``: dates, numbers, words), without those of the question.
2. Of these, the facts that the evidence turns state, in their text, speaker or date. What they do not state has to be
   inferred (yes and no, a count over sessions, a state for a city), and no context is expected to hold it.
3. A date that they do not state is reckoned from the day of a turn ("yesterday"): that day will do in its place.

``retention`` is the share of the needed facts that the context states, anywhere in its text; ``retained`` is its yes or
no: 1 if all needed dates and numbers and at least two thirds of the needed words are there. By construction both are 1
for a context that shows all evidence turns in full.

Not defined, and unscored with the reason, where it would count noise: a question without a reference answer or without
evidence, advice ("prefers ..."), a reference answer that states nothing but yes or no, and one of which the evidence
states less than half, so that the answer has to be inferred.

Hazards: another turn may state the same word, number or day (true of single short words most of all), so a context can
score by chance; a synonym counts as lost. It compares memories on the same questions and is no grade of one context.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.scoring.stated import Date, Stated, read_stated
from bench.types import Context, Event, JudgeCase, Score

__all__ = ["Needed", "find_needed", "score_retention"]

_STATED_SHARE = 1 / 2
_WORD_SHARE = 2 / 3
_OPEN = {"preference": "advice, no fact", "abstention": "no answer to retain"}


@dataclass(frozen=True, slots=True)
class Needed:
    """What a context has to state. Of each group of dates one will do."""

    dates: tuple[frozenset[Date], ...] = ()
    numbers: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.dates) + len(self.numbers) + len(self.words)


def find_needed(question: str, reference_answer: str, evidence: Sequence[Event]) -> tuple[Needed, str]:
    """Return what of a reference answer a context has to state, and why nothing can be asked of it; one is empty."""
    facts = read_stated(reference_answer) - read_stated(question)
    if not len(facts):
        return Needed(), "states no fact"
    if not evidence:
        return Needed(), "no evidence"
    said, days = Stated(), frozenset[Date]()
    for event in evidence:
        day = read_stated(event.time)
        said, days = said | day | read_stated(f"{event.speaker}: {event.text}"), days | day.dates
    stated = facts & said
    dates = tuple(
        frozenset((date,)) if said.says(date) else days | {date}
        for date in sorted(facts.dates)
        if days or said.says(date)
    )
    needed = Needed(dates, stated.numbers, stated.words)
    return (needed, "") if len(needed) >= _STATED_SHARE * len(facts) else (Needed(), "has to be inferred")


def score_retention(context: Context, case: JudgeCase | None, evidence: Sequence[Event]) -> tuple[Score, Score]:
    """Return retention and retained of the context of one question; ``evidence``: the turns it rests on."""
    needed, reason = Needed(), "no reference answer"
    if case is not None:
        reason = _OPEN.get(case.rubric, "")
        if not reason:
            needed, reason = find_needed(case.question, case.reference_answer, evidence)
    if reason:
        return Score("retention", None, reason), Score("retained", None, reason)
    held = read_stated(context.text)
    dates = sum(any(held.says(date) for date in group) for group in needed.dates)
    numbers, words = len(needed.numbers & held.numbers), len(needed.words & held.words)
    complete = dates == len(needed.dates) and numbers == len(needed.numbers)
    retained = complete and words >= _WORD_SHARE * len(needed.words)
    return Score("retention", (dates + numbers + words) / len(needed)), Score("retained", float(retained))
