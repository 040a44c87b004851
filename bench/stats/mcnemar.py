"""McNemar's test for paired successes: exact, and with the mid-p correction. Knows only counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from scipy import stats

from bench.stats.interval import Interval

__all__ = ["McNemar", "mcnemar"]


@dataclass(frozen=True, slots=True)
class McNemar:
    """Result of the two-sided test. ``wins`` and ``losses`` are the discordant pairs, usually called b and c."""

    n: int
    wins: int
    losses: int
    p: float
    """Exact; the one to report."""
    p_mid: float
    """Less conservative; not exact."""
    difference: float
    """Success rate of the first minus that of the second."""
    interval: Interval

    @property
    def discordance(self) -> float:
        return (self.wins + self.losses) / self.n if self.n else 0.0


def mcnemar(wins: int, losses: int, ties: int, confidence: float = 0.95) -> McNemar:
    """Test whether the discordant pairs fall to both sides alike.

    The interval of the difference is Bonett and Price's adjusted Wald interval for paired proportions (2012).
    """
    if min(wins, losses, ties) < 0:
        raise ValueError(f"mcnemar: expected counts >= 0, got {wins}, {losses}, {ties}; count pairs")
    n, m = wins + losses + ties, wins + losses
    fewer = min(wins, losses)
    below = float(stats.binom.cdf(fewer, m, 0.5)) if m else 1.0
    at = float(stats.binom.pmf(fewer, m, 0.5)) if m else 1.0
    p = min(1.0, 2 * below)
    p_mid = min(1.0, 2 * (below - at / 2)) if m else 1.0
    return McNemar(n, wins, losses, p, p_mid, (wins - losses) / n if n else 0.0, _interval(wins, losses, n, confidence))


def _interval(wins: int, losses: int, n: int, confidence: float) -> Interval:
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    up, down = (wins + 1) / (n + 2), (losses + 1) / (n + 2)
    gap = up - down
    half = z * math.sqrt(max(0.0, up + down - gap * gap) / (n + 2))
    return Interval(max(-1.0, gap - half), min(1.0, gap + half), confidence, "bonett-price", n)
