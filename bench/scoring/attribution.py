"""Why a decision failed: the first of three things that went wrong. Pure functions, knowing no suite and no strategy.

==================  ================  ====================  ============  =====================================
needed: in reach    needed: recalled  answer retained       error         what happened
==================  ================  ====================  ============  =====================================
not all             (not all)         any                   construction  the memory has let go of what it needs
all                 not all           any                   retrieval     it could give it and did not
all                 all               no                    construction  it cites it, and has lost the fact
all                 all               yes, or not defined   reasoning     it was there, and was not used
==================  ================  ====================  ============  =====================================

Needed are the refs of the evidence. In reach is what the memory could still give (``HasReach``; of a memory that does
not say, everything it observed) and whatever it recalled. Recalled is what the context cites. Retained is defined in
``retention``. All evidence counts as needed: where one of two turns would do, a memory that recalls that one and fails
is said to have failed in retrieval.

A question has failed if the judge graded it WRONG, or without a judge if its main score is below 0.5. No error is
named, with the reason, for a question without evidence, for one that a refusal answers (a refusal rests on no fact),
for one that has no main score, for one that got no answer, and for a strategy that shows a text and cites nothing.

A decision of an episode has failed if the needed facts were told and its action is not what they call for
(``HasNeededFacts``). One whose facts are not told yet has no evidence and counts in no share.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from enum import StrEnum

from bench.types import Context, Evidence, Score

__all__ = ["Cause", "attribute", "cites_nothing", "name_error", "score_error"]


class Cause(StrEnum):
    """What went wrong first."""

    CONSTRUCTION = "construction"
    RETRIEVAL = "retrieval"
    REASONING = "reasoning"


def name_error(cause: Cause) -> str:
    """Return the name of the score that counts a cause."""
    return f"error_{cause}"


def attribute(evidence: Evidence, cited: Collection[str], retained: float | None) -> Cause:
    """Return the cause of a failure; ``retained`` None = not defined."""
    needed = set(evidence.needed)
    if not needed <= {*evidence.reached, *cited}:
        return Cause.CONSTRUCTION
    if not needed <= set(cited):
        return Cause.RETRIEVAL
    return Cause.CONSTRUCTION if retained == 0 else Cause.REASONING


def score_error(cause: Cause | None, reason: str = "") -> Iterator[Score]:
    """Yield one score a cause: 1 for the one that it was, 0 for the others; all 0 for a success (None).

    With a ``reason`` why no error can be named, none has a value.
    """
    for one in Cause:
        yield Score(name_error(one), None if reason else float(one is cause), reason)


def cites_nothing(context: Context) -> bool:
    """True for a context that shows something and does not say of what."""
    return bool(context.text.strip()) and not context.refs
