"""What the decisions of an episode rested on, where its environment knows what they need: means over those decisions.

The unit is the step: a context that cites an action or its observation cites that step. What the prompt shows anyway
(the opening, the current observation) is never needed, and a decision that needs nothing else, or needs what nobody has
told yet, is left out. ``retention`` is the share of the needed facts whose names stand together on one line of the
context, ``retained`` is 1 if all do; hazard: a line may name both and say something else. Pure functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bench.scoring.attribution import Cause, attribute, cites_nothing, name_error, score_error
from bench.scoring.evidence import jaccard, precision, recall
from bench.scoring.readings import average_steps
from bench.types import Context, Evidence, Score, Step

__all__ = ["list_units", "score_decisions"]

_STEP = re.compile(r"[ao](\d+)")


def score_decisions(steps: Sequence[Step]) -> tuple[Score, ...]:
    """Return the evidence scores of an episode; none where nothing is known about what its decisions needed."""
    known = [(step.decision.context, step.evidence) for step in steps if step.evidence is not None]
    if not known:
        return ()
    pairs = [(list_units(context.refs), evidence.needed) for context, evidence in known]
    retention = [_measure_retention(context, evidence) for context, evidence in known]
    return (
        average_steps("evidence_recall", [recall(cited, needed) for cited, needed in pairs]),
        average_steps("evidence_precision", [precision(cited, needed) for cited, needed in pairs]),
        average_steps("evidence_jaccard", [jaccard(cited, needed) for cited, needed in pairs]),
        average_steps("retention", retention),
        average_steps("retained", [float(one == 1) for one in retention]),
        Score("evidence_decisions", float(len(known))),
        *_average_errors(known, retention),
    )


def list_units(refs: Sequence[str]) -> tuple[str, ...]:
    """Return the observations of the steps that refs belong to; goal, feedback and opening belong to none."""
    found = (_STEP.fullmatch(ref) for ref in refs)
    return tuple(dict.fromkeys(f"o{match[1]}" for match in found if match and match[1] != "0"))


def _measure_retention(context: Context, evidence: Evidence) -> float:
    lines = context.text.splitlines()
    held = [any(all(_names(line, name) for name in fact) for line in lines) for fact in evidence.facts]
    return sum(held) / len(held) if held else 1.0


def _names(line: str, name: str) -> bool:
    """True if a line holds a name, and not as the beginning of another: ``mug 1`` is not in ``mug 12``."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line) is not None


def _average_errors(known: Sequence[tuple[Context, Evidence]], retention: Sequence[float]) -> Iterator[Score]:
    """Yield the share of the decisions that failed for each cause."""
    if any(cites_nothing(context) for context, _ in known):
        yield from score_error(None, "cites no events")
        return
    causes = [_find_cause(context, evidence, held) for (context, evidence), held in zip(known, retention, strict=True)]
    for cause in Cause:
        yield average_steps(name_error(cause), [float(one is cause) for one in causes])


def _find_cause(context: Context, evidence: Evidence, retention: float) -> Cause | None:
    if not evidence.missed:
        return None
    return attribute(evidence, list_units(context.refs), float(retention == 1))
