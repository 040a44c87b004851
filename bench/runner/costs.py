"""What an artifact took: gathering and learning, summed over the ledger, and as a fingerprint holds it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from bench.scoring.spending import score_ledger
from bench.types import Call, Trial

__all__ = ["Costs", "add_costs"]


@dataclass(frozen=True, slots=True)
class Costs:
    """What an artifact took; None = a usage or price is missing."""

    gather_tokens: float | None = 0.0
    learn_tokens: float | None = 0.0
    cost_usd: float | None = 0.0

    def describe(self, share: float = 1.0) -> dict[str, str]:
        """Return the entries of a fingerprint that say it (``bench.report.build_costs``), each times ``share``."""
        return {
            f"row.build_{name}": "unknown" if value is None else f"{value * share:.12g}"
            for name, value in asdict(self).items()
        }


def add_costs(trials: Iterable[Trial], calls: Sequence[Call]) -> Costs:
    """Return what gathering these trials and learning with these calls took."""
    gathered = [{score.name: score.value for score in score_ledger(trial.calls)} for trial in trials]
    learned = {score.name: score.value for score in score_ledger(calls)}
    return Costs(
        _add([scores["tokens_gather"] for scores in gathered]),
        learned["tokens_learn"],
        _add([learned["cost_usd"], *(scores["cost_usd"] for scores in gathered)]),
    )


def _add(values: Sequence[float | None]) -> float | None:
    """Return a sum, None if a part is unknown."""
    return None if None in values else float(sum(value or 0.0 for value in values))
