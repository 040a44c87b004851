"""What a run asks of its model's endpoint: where it is, how it samples, what may go wrong silently (nothing)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["ModelOptions"]


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Sampling and address. None = not sent, so the provider's own default holds."""

    base_url: str = ""
    """Empty = the provider's own address."""
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    """Sent as this plus the trial's seed, so that repeats are other samples; None = not sent."""
    allow_unsupported: bool = False
    """True: a parameter that the provider does not know is left out, and said once; False: it is an error."""
    endpoint: Path | None = None
    """A TOML file with limits and dated prices; None = the defaults."""
    replay_only: bool = False
    """True: nothing is going to be called (replies come from a cache), so that no key is needed."""
    concurrency: int = 0
    """The most calls at once; 0 = as many as the endpoint file says."""
