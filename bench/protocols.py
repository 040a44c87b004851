"""What a part has to be able to do to be plugged in: memories, agents, environments, suites, models, embedders.

A leaderboard row is a ``Strategy``; a benchmark is a ``SuiteSpec``; what the offline model knows about one frame or
one role is an ``OfflineRule``. Nothing here does any work.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from bench.conversation import Conversation, ConversationSuite, Doubted, Evident, Judged, Question
from bench.params import Param, Params
from bench.types import (
    BOTH,
    Artifact,
    Context,
    Decision,
    Event,
    Fingerprint,
    Frame,
    Limits,
    Message,
    Observation,
    Opening,
    Phase,
    Query,
    Reply,
    Shape,
    Stimulus,
    Task,
    Trial,
)

__all__ = [
    "Agent",
    "Budget",
    "Conversation",
    "ConversationSuite",
    "DataProblem",
    "DataSource",
    "DataSpec",
    "Doubted",
    "Embedder",
    "Environment",
    "EpisodeSuite",
    "Evident",
    "Judged",
    "Kit",
    "Ledger",
    "Memory",
    "Model",
    "ModelSource",
    "OfflineDialect",
    "OfflineRule",
    "Param",
    "Params",
    "Question",
    "Strategy",
    "SuiteOptions",
    "SuiteSpec",
    "Vectors",
]

Vectors = npt.NDArray[np.float32]
"""Shape (n, d), one row a text, rows of unit length."""


@runtime_checkable
class Memory(Protocol):
    """Writes everything, says a bounded part of it."""

    def observe(self, event: Event) -> None:
        """Take note of one event; called once for each, in order."""

    def recall(self, query: Query) -> Context:
        """Return what should stand before the model. Read-only: two equal queries in a row give equal contexts."""


@runtime_checkable
class Agent(Protocol):
    """Turns a stimulus into exactly one action or answer."""

    @property
    def memory(self) -> Memory: ...

    def decide(self, stimulus: Stimulus) -> Decision:
        """Return one action or answer; the driver has already shown every event so far to ``memory``."""


class Environment(Protocol):
    """One episode of one task. Made for one task, reset once, closed once.

    Raises EnvError for a crash or hang, DataError for a task that cannot be played.
    """

    def reset(self) -> Opening: ...

    def step(self, action: str) -> Observation: ...

    def close(self) -> None: ...


class Model(Protocol):
    """A chat model. Raises ModelError when there is no usable reply after its own retries."""

    @property
    def name(self) -> str: ...

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply: ...


class ModelSource(Protocol):
    """Where the models of a run come from: one endpoint, shared by all its trials and safe to call from threads."""

    @property
    def name(self) -> str: ...

    @property
    def remote(self) -> bool:
        """True if a call waits for somebody else: such a run plays in many threads, not in one process a core."""

    @property
    def identity(self) -> str:
        """Everything but the messages that decides a reply, as text: model, address, sampling parameters."""

    def model(self, seed: int) -> Model:
        """Return the model for trials of this seed. Raises: UsageError for a missing key, before any work."""

    def close(self) -> None: ...


class Embedder(Protocol):
    """Texts to unit vectors."""

    @property
    def name(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return float32 unit rows, shape (len(texts), d). Raises ModelError."""


class Ledger(Protocol):
    """What a driver needs to know about the calls of a trial; the meter implements it."""

    def enter(self, phase: Phase, step: int) -> None:
        """From now on, book calls under ``phase`` at ``step``."""

    def model_s(self) -> float:
        """Wall seconds spent in models since the trial began."""

    def record_s(self) -> float:
        """Wall seconds spent on recording calls since the trial began."""

    def prompt_tokens(self) -> int | None:
        """Prompt tokens of chat calls since the trial began; None if any was not told."""

    def tokens(self) -> int:
        """Known prompt and completion tokens of all calls since the trial began."""


class OfflineRule(Protocol):
    """What the offline model does for one role under one frame, told from the messages of the call alone."""

    def matches(self, messages: Sequence[Message], role: str) -> bool:
        """True if this rule understands the call; must look at nothing but its arguments."""

    def reply(self, messages: Sequence[Message], role: str) -> str:
        """Return the reply text; a pure function of the messages."""


@runtime_checkable
class OfflineDialect(Protocol):
    """What a strategy's dialect adds to a suite's own acting: asks the suite's rule, and says more around its reply.

    Only one that extends the reply grammar (sub-goals, a branch) needs this; it too sees nothing but the messages.
    """

    def matches(self, messages: Sequence[Message], role: str) -> bool: ...

    def reply_with(self, messages: Sequence[Message], role: str, ask: Callable[[Sequence[Message]], str]) -> str:
        """Return the reply; ``ask`` gives the reply of the other rules to messages of this rule's making."""


def count_words(text: str) -> int:
    """Count white-space separated words: the counter of last resort, for tests and kits built by hand."""
    return len(text.split())


@dataclass(frozen=True, slots=True)
class Budget:
    """How long a context may be, and who counts. ``tokens`` None = no limit."""

    tokens: int | None = None
    count: Callable[[str], int] = count_words


@contextmanager
def _no_phase(_phase: Phase) -> Iterator[None]:
    yield


@dataclass(frozen=True)
class Kit:
    """Everything a strategy may use. Built anew for each trial."""

    model: Model
    embedder: Embedder
    frame: Frame
    budget: Budget = Budget()
    params: Params = field(default_factory=lambda: Params(()))
    rng: random.Random = field(default_factory=lambda: random.Random(0))
    artifact: Artifact = Artifact()
    phase: Callable[[Phase], AbstractContextManager[None]] = _no_phase
    """``with kit.phase(Phase.READ):`` books the calls made inside under that phase of the ledger."""
    evidence: Callable[[Query], tuple[str, ...]] | None = None
    """The refs on which the right answer rests: None but for a strategy that says it is ``privileged``."""


Shapes = frozenset[Shape]


@dataclass(frozen=True)
class Strategy:
    """A leaderboard row. ``name`` carries a version (``window-v1``): a change of behaviour is a new version."""

    name: str
    build: Callable[[Kit], Agent]
    learn: Callable[[Sequence[Trial], Kit], Artifact] | None = None
    serves: Shapes = BOTH
    params: tuple[Param, ...] = ()
    dialect: str = ""
    """Text added to the frame's instructions by a strategy that extends the reply grammar; its digest is in the row."""
    inner_calls: int = 4
    """The most model calls one decision may make; more is a StrategyError."""
    needs: str = ""
    """A package, by the name it is imported under, that comes with an extra; empty = none."""
    privileged: bool = False
    """It is told the evidence of each question: an upper bound to compare with, never a competitor."""
    source: str = ""
    """Paper, section, deviations; one line."""


@dataclass(frozen=True, slots=True)
class SuiteOptions:
    """What a run fixes for a suite."""

    split: str
    params: Params
    data_root: Path
    step_cap: int = 0
    """0 = the suite's own default."""


class EpisodeSuite(Protocol):
    """Tasks of one split, and a world for each."""

    def tasks(self) -> Sequence[Task]:
        """Return every task of the split, sorted by id. Raises DataError naming the file and how to get it."""

    def open(self, task: Task) -> Environment:
        """Return a fresh environment. Raises DataError if this one task's data is broken; others are not affected."""

    def limits(self) -> Limits: ...

    def fingerprint(self) -> Fingerprint:
        """Everything about the environment that moves scores: versions, grammar, data digest, caps, switches."""

    def close(self) -> None:
        """Release workers; called once after the last task."""


class DataProblem(Protocol):
    """One file that is missing or altered."""

    @property
    def path(self) -> str:
        """Relative to the data root."""

    @property
    def problem(self) -> str: ...


@dataclass(frozen=True, slots=True)
class DataSource:
    """One official download: a plain file, or a zip or tar archive of which one folder is taken."""

    url: str
    to: str
    """Where it goes, relative to the data root: the file itself, or the folder that ``inside`` becomes."""
    inside: str = ""
    """The folder within an archive whose content is taken; empty = the download is the file."""
    sha256: str = ""
    """Of the download; empty where the suite's check knows the digest of every file inside instead."""


@dataclass(frozen=True)
class DataSpec:
    """What a suite needs on disk."""

    folder: str
    """Relative to the data root."""
    sources: tuple[DataSource, ...]
    check: Callable[[Path], Sequence[DataProblem]]
    """Given the data root, every file that is missing or altered."""
    licence: str


@dataclass(frozen=True)
class SuiteSpec:
    """A benchmark as the registry knows it. ``name`` carries a version (``alfworld-v1``)."""

    name: str
    build: Callable[[SuiteOptions], Any]
    """Returns an EpisodeSuite (shape EPISODE) or a ConversationSuite (shape CONVERSATION)."""
    shape: Shape
    splits: tuple[str, ...]
    default_split: str
    offline_splits: tuple[str, ...] = ()
    """Splits that need no download."""
    params: tuple[Param, ...] = ()
    data: DataSpec | None = None
    workers: str | Callable[[Params], str] = "thread"
    """``thread``: the world waits elsewhere (a process, a server). ``process``: pure Python, one process a worker.
    A function where that depends on a parameter."""
    source: str = ""
