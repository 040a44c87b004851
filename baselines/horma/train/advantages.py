"""Advantages within a group, the searches for one question, and the weight of each token of a batch in the loss.

Plain numbers, no tensors.

Source: GRPO (arXiv 2402.03300, section 4.1), with the scale std + 1e-4 of TRL 1.16; DAPO (arXiv 2503.14476, section
3.3) and Dr. GRPO (arXiv 2503.20783, section 3.2) for the other two normalisers.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from statistics import fmean, stdev

__all__ = ["STD_FLOOR", "LossKind", "compute_advantages", "weigh_tokens"]

STD_FLOOR = 1e-4
"""Added to the deviation of a group: one whose rewards are all equal has advantages of exactly 0."""


class LossKind(StrEnum):
    """Over what a sum of token losses is divided."""

    GRPO = "grpo"
    """The tokens of each search, then the rollouts: every search weighs the same."""
    DAPO = "dapo"
    """The model's tokens of the batch: every token weighs the same."""
    DR_GRPO = "dr_grpo"
    """Searches times the most tokens a search may have: a constant."""


def compute_advantages(rewards: Sequence[float], group_size: int, *, scale: bool = True) -> list[float]:
    """Return (reward - mean of its group) / (deviation of its group + 1e-4), one a reward.

    ``rewards``: group after group, ``group_size`` of each. The deviation is the sample's (n - 1), as in TRL. Without
    ``scale`` nothing is divided, as Dr. GRPO advises. Raises: ValueError for groups that are not full or of one.
    """
    if group_size < 2 or len(rewards) % group_size:
        raise ValueError(f"advantages: expected full groups of at least 2, got {len(rewards)} rewards by {group_size}")
    advantages: list[float] = []
    for start in range(0, len(rewards), group_size):
        group = rewards[start : start + group_size]
        mean, spread = fmean(group), (stdev(group) + STD_FLOOR if scale else 1.0)
        # All equal is exactly nothing to learn: a mean that was rounded must not become a gradient.
        equal = min(group) == max(group)
        advantages += [0.0 if equal else (reward - mean) / spread for reward in group]
    return advantages


def weigh_tokens(counts: Sequence[int], kind: LossKind, most_tokens: int) -> list[float]:
    """Return the weight in the loss of each token of each search, from how many tokens the model wrote in it.

    ``most_tokens``: the most that the model may write in a search. A search without tokens weighs nothing.
    """
    if kind is LossKind.GRPO:
        return [1 / (count * len(counts)) if count else 0.0 for count in counts]
    whole = max(1, sum(counts)) if kind is LossKind.DAPO else len(counts) * most_tokens
    return [1 / whole] * len(counts)
