"""The line below a step: what it needed of the past, how much of that was recalled, what failed."""

from __future__ import annotations

from bench.scoring.attribution import Cause, name_error
from bench.scoring.decisions import list_units, score_decisions
from bench.types import Item, Step

__all__ = ["describe_evidence"]


def describe_evidence(step: Step, item: Item | None) -> str:
    """Return the line; empty where nothing is known. ``item``: the question, None for a step of an episode."""
    evidence = step.evidence
    if evidence is None:
        return ""
    refs = step.decision.context.refs
    cited = set(refs if item else list_units(refs))
    scores = {score.name: score.value for score in (item.scores if item else score_decisions([step]))}
    cause = next((cause for cause in Cause if scores.get(name_error(cause)) == 1), "")
    gone = [ref for ref in evidence.needed if ref not in evidence.reached]
    missing = [ref for ref in evidence.needed if ref not in cited and ref not in gone]
    parts = [
        f"needs {', '.join(evidence.needed)}",
        "" if gone or missing else "all recalled",
        f"out of reach {', '.join(gone)}" if gone else "",
        f"not recalled {', '.join(missing)}" if missing else "",
        "not in the text" if scores.get("retained") == 0 and not (gone or missing) else "",
        f"error: {cause}" if cause else "",
    ]
    return "; ".join(filter(None, parts))
