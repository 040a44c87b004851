"""The loss of GRPO over the tokens that the model wrote, in torch.

Source: GRPO (arXiv 2402.03300, equation 3), PPO's clipped surrogate (arXiv 1707.06347, section 3) with DAPO's separate
upper bound (arXiv 2503.14476, section 3.1). No reference model: the weight of the KL term is 0, TRL's default too.
"""

from __future__ import annotations

import torch

__all__ = ["clipped_loss", "pick_logprobs"]


def pick_logprobs(logits: torch.Tensor, ids: torch.Tensor, by_model: torch.Tensor, temperature: float) -> torch.Tensor:
    """Return the log-probabilities of the model's own tokens: one row after the other, flat.

    ``logits``: (rows, length, vocabulary), ``ids`` and ``by_model``: (rows, length). The logits at a position are about
    the token after it, so those before a token that was only shown are never picked: their gradient is exactly 0.
    """
    marks = by_model[:, 1:]
    picked = logits[:, :-1][marks].float() / temperature
    return torch.log_softmax(picked, dim=-1).gather(-1, ids[:, 1:][marks].unsqueeze(-1)).squeeze(-1)


def clipped_loss(
    new: torch.Tensor, old: torch.Tensor, advantages: torch.Tensor, weights: torch.Tensor, clip: tuple[float, float]
) -> torch.Tensor:
    """Return minus the weighted sum of min(ratio A, clipped ratio A), a scalar.

    All tensors are flat, one value a token: its log-probability now and when it was sampled, the advantage of its
    search, its weight. ``clip``: how far below and above 1 the ratio counts.
    """
    ratio = torch.exp(new - old)
    clipped = torch.clamp(ratio, 1 - clip[0], 1 + clip[1])
    return -(weights * torch.minimum(ratio * advantages, clipped * advantages)).sum()
