"""A transformer of some ten thousand weights, which learns to copy from its prompt within seconds on a CPU.

Its keys are smeared: each is mixed with the key of the token before, so that a single layer can look for what stands
behind a word. Without that a model of this size takes thousands of steps to find out how to copy.
Source: smeared keys, "In-context learning and induction heads" (Olsson et al. 2022, section "Argument 2"); rotary
positions (arXiv 2104.09864).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn import functional

__all__ = ["Shape", "TinyModel", "TinyOutput"]

_BASE = 1000.0
"""Of the rotary wave lengths: searches have hundreds of tokens, not thousands."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How large the model is."""

    vocabulary: int
    width: int = 64
    heads: int = 4
    layers: int = 2


@dataclass(slots=True)
class TinyOutput:
    """Logits (rows, length or what was to be kept, vocabulary), and what the next call may continue from."""

    logits: Any
    cache: list[tuple[Any, Any, Any]]


class TinyModel(nn.Module):  # type: ignore[misc]
    """Called like a causal model of the library ``transformers``."""

    def __init__(self, shape: Shape):
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(shape.vocabulary, shape.width)
        self.blocks = nn.ModuleList(_Block(shape.width, shape.heads) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(shape.width)
        nn.init.normal_(self.words.weight, std=0.02 * shape.width**0.5)

    def forward(
        self,
        input_ids: Any,
        attention_mask: Any,
        position_ids: Any = None,
        cache: list[tuple[Any, Any, Any]] | None = None,
        use_cache: bool = False,
        logits_to_keep: int = 0,
    ) -> TinyOutput:
        """``attention_mask`` (rows, cached length + length): 0 = padding."""
        new = input_ids.shape[1]
        if position_ids is None:
            position_ids = (attention_mask.cumsum(-1) - 1).clamp(min=0)[:, -new:]
        seen = attention_mask.bool()
        total = seen.shape[1]
        causal = torch.ones(new, total, dtype=torch.bool, device=seen.device).tril(total - new)
        # A row of padding sees itself: a softmax over nothing is no number.
        own = torch.eye(new, total, dtype=torch.bool, device=seen.device).roll(total - new, dims=1)
        visible = ((causal & seen[:, None, :]) | own)[:, None]
        x, wave = self.words(input_ids), _turn(position_ids, self.shape.width // self.shape.heads)
        states = []
        for at, block in enumerate(self.blocks):
            x, state = block(x, visible, seen[:, -new:], wave, cache[at] if cache else None)
            states.append(state)
        return TinyOutput(functional.linear(self.norm(x[:, -logits_to_keep:]), self.words.weight), states)


class _Block(nn.Module):  # type: ignore[misc]
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.RMSNorm(width), nn.RMSNorm(width)
        self.mix = nn.Linear(width, 3 * width, bias=False)
        self.smear = nn.Parameter(torch.linspace(-2.0, 2.0, heads))
        self.out = nn.Linear(width, width, bias=False)
        self.think = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x: Any, visible: Any, real: Any, wave: Any, before: Any) -> tuple[Any, Any]:
        rows, length, width = x.shape
        mixed = self.mix(self.before(x)).view(rows, length, 3, self.heads, width // self.heads)
        queries, raw, values = mixed.permute(2, 0, 3, 1, 4)
        raw = raw * real[:, None, :, None]
        last = before[2] if before else torch.zeros_like(raw[:, :, :1])
        share = torch.sigmoid(self.smear)[None, :, None, None]
        keys = _rotate(share * raw + (1 - share) * torch.cat([last, raw[:, :, :-1]], dim=2), wave)
        if before:
            keys, values = torch.cat([before[0], keys], dim=2), torch.cat([before[1], values], dim=2)
        found = functional.scaled_dot_product_attention(_rotate(queries, wave), keys, values, attn_mask=visible)
        x = x + self.out(found.transpose(1, 2).reshape(rows, length, width))
        return x + self.think(self.between(x)), (keys, values, raw[:, :, -1:])


def _turn(places: Any, size: int) -> tuple[Any, Any]:
    """Return the rotary sine and cosine of positions: (rows, 1, length, size / 2) each."""
    rates = _BASE ** (-torch.arange(0, size, 2, device=places.device) / size)
    angles = places[:, None, :, None] * rates
    return angles.sin(), angles.cos()


def _rotate(x: Any, wave: tuple[Any, Any]) -> Any:
    first, second = x.chunk(2, dim=-1)
    sine, cosine = wave
    return torch.cat([first * cosine - second * sine, second * cosine + first * sine], dim=-1)
