"""The interfaces of a memory and an agent, what they are given, and the record of a strategy.

Nothing here does any work.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from bench.protocols.model import Embedder, Model
from bench.protocols.params import Param, Params
from bench.types import (
    BOTH,
    Artifact,
    Context,
    Decision,
    Event,
    Frame,
    Phase,
    Query,
    Shape,
    Stimulus,
    ThoughtRule,
    Trial,
)

__all__ = [
    "Agent",
    "Budget",
    "HasClose",
    "HasFiles",
    "HasReach",
    "HasThoughts",
    "Kit",
    "Memory",
    "Shapes",
    "Strategy",
    "Training",
    "TrainingQuestion",
    "TrainingTask",
    "count_words",
]


@runtime_checkable
class Memory(Protocol):
    """Stores every event, and returns a bounded part of them as the context of a prompt."""

    def observe(self, event: Event) -> None:
        """Take note of one event; called once for each, in order."""

    def recall(self, query: Query) -> Context:
        """Return what should stand in the prompt. Read-only: two equal queries in a row give equal contexts."""


@runtime_checkable
class HasReach(Protocol):
    """A memory that says which events it could still give; of one without it, every observed event is in reach.

    Asked by the harness alone, after a decision: a needed event out of reach was lost in construction; one in reach
    that was not recalled, in retrieval.
    """

    def reach(self) -> frozenset[str]:
        """Return the refs of the events that some query could still bring into a context, shown as they were or cited
        by what stands for them (a note, a fact, a summary). Read-only; calls no model and no embedder."""


@runtime_checkable
class Agent(Protocol):
    """Turns a stimulus into exactly one action or answer."""

    @property
    def memory(self) -> Memory: ...

    def decide(self, stimulus: Stimulus) -> Decision:
        """Return one action or answer; the driver has already shown every event so far to ``memory``."""


@runtime_checkable
class HasClose(Protocol):
    """An agent that holds something outside this process: it is closed at the end of its trial, however that ends."""

    def close(self) -> None: ...


@runtime_checkable
class HasThoughts(Protocol):
    """An agent that says by itself how thoughts are answered; without it the frame's rule holds."""

    @property
    def thoughts(self) -> ThoughtRule | None: ...


@runtime_checkable
class HasFiles(Protocol):
    """A memory that can show all it keeps as files, for a person to read."""

    def files(self) -> tuple[tuple[str, str], ...]:
        """Return each file as its path, relative and with ``/``, and its text; sorted by path."""


@dataclass(frozen=True, slots=True)
class TrainingQuestion:
    """One question as a memory is asked it, and the refs of the turns that the right answer is based on."""

    query: Query
    evidence: tuple[str, ...]
    group: str


@dataclass(frozen=True, slots=True)
class TrainingTask:
    """One conversation: the strategy's own memory of it, rebuilt from a recorded trial, and its questions."""

    name: str
    """Made up; the same task has the same one."""
    memory: Memory
    questions: tuple[TrainingQuestion, ...]


@dataclass(frozen=True, slots=True)
class Training:
    """What a strategy trains weights on, with which settings, and where they go."""

    tasks: tuple[TrainingTask, ...]
    """Of the training side alone."""
    settings: Mapping[str, Any]
    """A settings file, whose meaning is the strategy's."""
    folder: Path
    """For the weights, and for whatever lets a stopped training go on."""
    report: Callable[[str], None]
    """Tells the user how far it is, a line at a time."""


def count_words(text: str) -> int:
    """Count white-space separated words: the default counter, for tests and kits built by hand."""
    return len(text.split())


@dataclass(frozen=True, slots=True)
class Budget:
    """How long a context may be, and the counter of tokens. ``tokens`` None = no limit."""

    tokens: int | None = None
    count: Callable[[str], int] = count_words


@contextmanager
def _no_phase(_phase: Phase) -> Iterator[None]:
    yield


def _no_stop() -> None:
    pass


def _no_meter(model: Model) -> Model:
    return model


@dataclass(frozen=True)
class Kit:
    """Everything a strategy may use. Built again for each trial."""

    model: Model
    embedder: Embedder
    frame: Frame
    budget: Budget = Budget()
    params: Params = field(default_factory=lambda: Params(()))
    rng: random.Random = field(default_factory=lambda: random.Random(0))
    artifact: Artifact = Artifact()
    phase: Callable[[Phase], AbstractContextManager[None]] = _no_phase
    """``with kit.phase(Phase.READ):`` books the calls made inside under that phase of the ledger."""
    meter: Callable[[Model], Model] = _no_meter
    """``kit.meter(model)``: a model that the strategy brings itself, with its calls in the ledger like all others."""
    check_stop: Callable[[], None] = _no_stop
    """For a strategy that waits for something else than a model: raises Interrupted once the run is to stop."""
    ask_again: int = 1
    """How often a decision asks again where nothing can be made out in a reply."""
    evidence: Callable[[Query], tuple[str, ...]] | None = None
    """The refs that the right answer is based on: None unless the strategy declares that it is ``privileged``."""
    rehearse: Callable[[Artifact], Sequence[Trial]] | None = None
    """In ``learn``: plays the training tasks with an artifact, and returns the trials as ``learn`` gets them. Of an
    artifact a trial sees what it would see in evaluation. None where nothing can be played: in a stream, say."""


Shapes = frozenset[Shape]


@dataclass(frozen=True)
class Strategy:
    """A memory method: one line of a leaderboard.

    ``name`` carries a version (``window-v1``): a change of behaviour is a new version.
    """

    name: str
    build: Callable[[Kit], Agent]
    learn: Callable[[Sequence[Trial], Kit], Artifact] | None = None
    """Makes an artifact of recorded trials, once in a run: it is ``Kit.artifact`` in every trial of the evaluation. The
    trials hold texts and ends, no scores, and of a question whether its answer was right (``observation.won``);
    ``key.task`` is a made-up name, the same for all trials of a task."""
    update: Callable[[Trial, Kit], Artifact] | None = None
    """Makes the next artifact of one more trial and of ``Kit.artifact``, the one so far with its ``sources``; called
    after each attempt in the place of ``learn`` where a run asks for that (``--learn-every attempt``). None: it needs
    all trials at once."""
    reflect: Callable[[Trial, Kit], str] | None = None
    """Writes about a failed attempt before the next one begins (``--attempts``), with calls of role ``reflect``. The
    memory of the next attempt is shown the text as a FEEDBACK event. None: attempts are plain repetitions."""
    train: Callable[[Training], None] | None = None
    """Trains weights on its own memories of training tasks, whose evidence it is shown (``bench train``)."""
    inputs: Callable[[Params], Mapping[str, Path]] | None = None
    """The folders and files outside this package that its parameters name, by a word for each: their digests are part
    of a row's fingerprint. Raises: UsageError, before any work, for one that is missing or cannot be used."""
    serves: Shapes = BOTH
    params: tuple[Param, ...] = ()
    dialect: str = ""
    """Text added to the frame's instructions by a strategy that extends the reply grammar; its digest is recorded."""
    keeps_budget: bool = True
    """False: it shows all it has, and its trial fails where that is over the budget. True: its contexts always fit."""
    inner_calls: int = 4
    """The most model calls one decision may make, those of ``recall`` included; 0 = no limit, more is a StrategyError.
    The call that asks again where a reply could not be read (``Kit.ask_again``) is not counted."""
    needs: str = ""
    """A package, by the name it is imported under, that comes with an extra; empty = none."""
    privileged: bool = False
    """It gets the evidence of each question: an upper bound to compare with, never a competitor."""
    source: str = ""
    """Paper, section, deviations; one line."""
