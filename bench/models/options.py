"""The settings of a run's model: its address, its sampling, its limits; and which models need none of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["OFFLINE_NOVICE", "OFFLINE_READER", "ModelOptions", "is_offline"]

OFFLINE_READER, OFFLINE_NOVICE = "offline/reader", "offline/novice"
_PROVIDERS = "the provider's"


def is_offline(name: str) -> bool:
    """True for a model made of rules: its calls cost nothing, and nothing about it is sampled."""
    return name.partition(":")[0] in (OFFLINE_READER, OFFLINE_NOVICE)


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Sampling and address. None = not sent: the provider's default."""

    base_url: str = ""
    """Empty = the provider's own address."""
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    """Sent plus the trial's seed, so that repeats are other samples; None = not sent."""
    allow_unsupported: bool = False
    """True: a parameter that the provider does not know is not sent, with one warning; False: it is an error."""
    endpoint: Path | None = None
    """A TOML file with limits and dated prices; None = the defaults."""
    table: str = ""
    """The table below ``models`` that holds, by its name; empty = what stands at the top of the file."""
    replay_only: bool = False
    """True: no call will be made (replies come from a cache), so no key is needed."""
    concurrency: int = 0
    """The most calls at once; 0 = the endpoint file's limit."""

    def describe_sampling(self) -> str:
        """Return one line: ``temperature 0, top_p the provider's, seed not sent``."""
        temperature = _PROVIDERS if self.temperature is None else f"{self.temperature:g}"
        top_p = _PROVIDERS if self.top_p is None else f"{self.top_p:g}"
        seed = "not sent" if self.seed is None else f"{self.seed} plus the trial's"
        return f"temperature {temperature}, top_p {top_p}, seed {seed}"
