"""What one trial is made of: the job, the parts it is built from, and where its calls go. Does no work."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from bench.models.cache.key import ScopedCache
from bench.models.ledger.meter import Release
from bench.protocols import Budget, ConversationSuite, Embedder, EpisodeSuite, Estimate, Model, Params, Strategy
from bench.runner.artifacts import LearnedArtifact
from bench.types import Call, Fingerprint, Limits, Shape, Task, Trial, TrialKey

__all__ = ["Job", "Parts", "Recorder", "RoleModel", "seed_of"]


class Recorder(Protocol):
    """Where the calls of a trial go: the store, or a pipe to the process that owns it."""

    def commit_call(self, key: TrialKey, call: Call) -> None: ...

    def supersede(self, key: TrialKey) -> None: ...

    def reserve(self, estimate: Estimate) -> Release:
        """Wait until the limits of the run allow one more try at a call. Raises: BudgetStop, Interrupted."""


@dataclass(frozen=True, slots=True)
class Job:
    """One trial to be run, and the calls of it that are already paid for."""

    key: TrialKey
    task: Task
    committed: tuple[Call, ...] = ()
    previous: Trial | None = None
    """The attempt before this one, for a strategy that reflects on it."""


@dataclass(frozen=True)
class RoleModel:
    """A model that is called in the place of the acting one, and its cache."""

    model: Model
    cached: ScopedCache | None = None


@dataclass(frozen=True)
class Parts:
    """Everything one trial is built from."""

    shape: Shape
    suite: EpisodeSuite | ConversationSuite
    strategy: Strategy
    params: Params
    model: Model
    embedder: Embedder
    budget: Budget
    limits: Limits
    reply_tokens: int = 0
    """The most tokens of a reply that acts or answers; 0 = the frame says."""
    ask_again: int = 1
    cached: ScopedCache | None = None
    fingerprint: Fingerprint = Fingerprint()
    judge: Model | None = None
    """Grades answers in addition to the suite's own score; None = no judge."""
    judge_cached: ScopedCache | None = None
    learned: LearnedArtifact | None = None
    """What the strategy learned before; None = nothing."""
    with_twins: bool = False
    """It may see what comes from twins of its task."""
    role_models: Mapping[str, RoleModel] = field(default_factory=dict)
    """By role; all other calls go to the acting model."""
    gathers: bool = False
    """The trial is experience for learners: its calls are booked as such."""


def seed_of(key: TrialKey) -> int:
    """Return the seed of a trial: a hash of its key, so that it never depends on order, time or process."""
    return int.from_bytes(hashlib.sha256(str(key).encode()).digest()[:8], "big")
