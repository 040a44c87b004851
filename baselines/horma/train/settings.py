"""How a navigator is trained: every number, with the reason for its default, read from a TOML file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, TypeVar

from baselines.horma.train.advantages import LossKind
from baselines.horma.train.environment import Penalties
from bench.errors import UsageError, unknown_name

__all__ = ["TrainSettings", "read_table"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TrainSettings:
    """The paper names GRPO and the reward and nothing else; the defaults here are ours."""

    updates: int = 60
    questions: int = 8
    """Of one update, drawn anew."""
    searches: int = 8
    """For each question: the group within which rewards are compared."""
    passes: int = 1
    """Steps of the optimizer on one batch; from the second on, the clip can bind."""
    learning_rate: float = 1e-5
    warmup: int = 0
    """Updates over which the learning rate rises."""
    max_grad_norm: float = 1.0
    clip_low: float = 0.2
    clip_high: float = 0.2
    loss: LossKind = LossKind.DAPO
    scale: bool = True
    """Divide advantages by the deviation of their group."""
    temperature: float = 1.0
    reply_tokens: int = 64
    """The most of one reply."""
    window: int = 4096
    """The most tokens of a whole search; one that would be longer is cut off, and counts with what it has selected."""
    rows: int = 0
    """Searches that go through the model at once; 0 = all of a batch."""
    invalid_penalty: float = 0.0
    length_penalty: float = 0.0
    seed: int = 0
    checkpoint_every: int = 10
    """Updates; what a kill loses at most."""

    def __post_init__(self) -> None:
        """Raises: UsageError for a number that cannot be meant."""
        least = {"updates": 1, "questions": 1, "searches": 2, "passes": 1, "reply_tokens": 1, "window": 16}
        least |= {"checkpoint_every": 1, "rows": 0, "warmup": 0, "clip_low": 0, "clip_high": 0}
        for name, minimum in least.items():
            if getattr(self, name) < minimum:
                raise UsageError(f"train: expected {name} of at least {minimum}, got {getattr(self, name)}; change it")
        if self.temperature <= 0 or self.learning_rate <= 0:
            raise UsageError(
                f"train: expected a temperature and a learning rate above 0, got {self.temperature} and "
                f"{self.learning_rate}; what is learned from must be sampled"
            )

    @property
    def penalties(self) -> Penalties:
        return Penalties(self.invalid_penalty, self.length_penalty)

    @property
    def digest(self) -> str:
        """16 hex digits over everything that changes the numbers of an update."""
        free = {"updates", "checkpoint_every"}
        said = {name: value for name, value in asdict(self).items() if name not in free}
        return hashlib.sha256(repr(sorted(said.items())).encode()).hexdigest()[:16]


def read_table(kind: type[T], given: Mapping[str, Any]) -> T:
    """Return a record of settings from a table of a file.

    Raises: UsageError for a table that is none, a name that is none, a value of another type, or one that is missing.
    """
    if not isinstance(given, Mapping):
        raise UsageError(f"train: expected a table of settings, got {given!r}; see docs/training.md")
    known = {one.name: one for one in fields(kind)}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            raise unknown_name("train", "a setting", name, known)
        default = known[name].default
        values[name] = _read_value(name, value, "" if default is MISSING else default)
    missing = [name for name, one in known.items() if one.default is MISSING and name not in values]
    if missing:
        raise UsageError(f"train: expected the setting {missing[0]}, got none; see docs/training.md")
    return kind(**values)


def _read_value(name: str, value: Any, default: Any) -> Any:
    if isinstance(default, LossKind):
        if value not in list(LossKind):
            raise unknown_name("train", "a loss", str(value), list(LossKind))
        return LossKind(value)
    kinds = (int, float) if isinstance(default, float) else (type(default),)
    if not isinstance(value, kinds) or (isinstance(value, bool) and not isinstance(default, bool)):
        raise UsageError(f"train: expected {name} as {type(default).__name__}, got {value!r}; change it")
    return float(value) if isinstance(default, float) else value
