"""What the offline model knows about this strategy."""

from __future__ import annotations

from baselines.horma.offline.augment import AugmentRule
from baselines.horma.offline.feedback import FeedbackRule
from baselines.horma.offline.manager import OrganiseRule
from baselines.horma.offline.navigator import NavigateRule
from bench.protocols import OfflineRule

__all__ = ["RULES"]

RULES: tuple[OfflineRule, ...] = (OrganiseRule(), NavigateRule(), FeedbackRule(), AugmentRule())
"""One rule for each role of its calls."""
