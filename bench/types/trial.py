"""The record of a trial: the task, each step, its scores, how it ended.

Every record is immutable; a collection inside one is a tuple. Units stand in the names: ``_s`` seconds, ``_tokens``
tokens by the run's tokenizer, ``_usd`` US dollars.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bench.types.call import Call
from bench.types.event import Decision, Fingerprint, Observation, Stimulus
from bench.types.evidence import Evidence
from bench.types.latency import Latency

__all__ = [
    "NOTICES",
    "ROLE_MODEL",
    "Artifact",
    "EndReason",
    "Item",
    "JudgeCase",
    "Limits",
    "Score",
    "Status",
    "Step",
    "Task",
    "Timings",
    "Trial",
    "TrialKey",
    "read_role_models",
]

ROLE_MODEL = "row.model."
"""What the fields of a fingerprint begin with that name the models of single roles."""


NOTICES = "env.notices"
"""The field of a fingerprint with what a user must be told of the data, a line each."""


class Status(StrEnum):
    """How a trial stands. The four infrastructure errors are unscored and are retried on resume."""

    DONE = "done"
    STRATEGY_ERROR = "strategy-error"  # scored, as a failure
    MODEL_ERROR = "model-error"
    ENV_ERROR = "env-error"
    JUDGE_ERROR = "judge-error"
    DATA_ERROR = "data-error"

    @property
    def scored(self) -> bool:
        """True if the trial counts in a rate (a strategy's own failure does, an outage does not)."""
        return self in (Status.DONE, Status.STRATEGY_ERROR)


class EndReason(StrEnum):
    """Why an episode stopped. Only ``won`` is success; an environment's own ``done`` is not."""

    WON = "won"
    STEP_CAP = "step-cap"
    TOKEN_CAP = "token-cap"
    LOOP_CAP = "loop-cap"
    GAVE_UP = "gave-up"  # the agent ended its attempt itself
    LOST = "lost"  # the environment ended the episode without success (a death, a dead end)
    REFUSED = "refused"
    ANSWERED = "answered"  # a conversation: every question got its answer
    LEARNED = "learned"  # the record of a learning stage
    CALIBRATED = "calibrated"  # the record of a judge's calibration
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Timings:
    """Where wall time went, in seconds."""

    model_s: float = 0.0
    env_s: float = 0.0
    memory_s: float = 0.0

    @classmethod
    def total(cls, parts: Iterable[Timings]) -> Timings:
        """Return the sums."""
        all_parts = tuple(parts)
        return cls(*(sum(getattr(part, name) for part in all_parts) for name in ("model_s", "env_s", "memory_s")))


@dataclass(frozen=True, slots=True)
class Step:
    """One turn of an episode, or one question of a conversation. ``index`` counts from 1."""

    index: int
    stimulus: Stimulus
    decision: Decision
    observation: Observation
    context_tokens: int = 0
    prompt_tokens: int | None = None
    """Tokens of the whole prompt of the deciding calls; None where a usage is missing."""
    timings: Timings = Timings()
    evidence: Evidence | None = None
    """None where nothing that was observed is needed, or nothing is known about it."""
    latency: Latency | None = None
    """None where it was not measured."""

    @property
    def counts(self) -> bool:
        """False for a thought that is free: it is recorded, and no step of the episode."""
        return self.decision.reading.thought != "free"


@dataclass(frozen=True, slots=True)
class Score:
    """A named number about one item; ``value`` None = unscored, with the reason."""

    name: str
    value: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class JudgeCase:
    """One question as a judge sees it; the answer to grade comes separately."""

    rubric: str
    """Which rule decides: ``answer``, ``date``, ``temporal``, ``update``, ``preference`` or ``abstention``."""
    question: str
    reference_answer: str
    """The right answer; ``preference``: what a good answer has to respect; ``abstention``: why there is none."""
    adversarial: bool = False
    """The question has no answer as it is put: its verdict has a column of its own and is in no overall rate."""


@dataclass(frozen=True, slots=True)
class Item:
    """What is scored: an episode, or one question of a conversation."""

    id: str
    group: str
    cluster: str
    scores: tuple[Score, ...] = ()
    """Of a question, the suite's main score comes first."""


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to be solved. ``source`` and ``payload`` are for its suite alone; no strategy ever sees a task."""

    id: str
    suite: str
    """Name with version, such as ``locomo-v1``."""
    split: str
    group: str
    """Task type (ALFWorld), domain (PDDL), question category: how tables split a strategy's results."""
    cluster: str
    """Tasks of one cluster are not independent (statistics resample clusters)."""
    source: str = ""
    """Where the task comes from: a path relative to the data root, or a generator's seed."""
    payload: str = ""
    """The task itself where it has no file."""
    digest: str = ""
    """SHA-256 of what defines the task (file bytes, or payload)."""
    optimal_steps: int | None = None
    """Actions of a shortest solution; None = not known."""
    spec: str = ""
    """What twins have in common, whatever the start: type, thing, place and room, or domain and size. Empty = the task
    is like no other."""
    room: str = ""
    """The scene that it plays in; part of ``spec``, at its end after a hyphen."""
    difficulty: str = ""
    """easy or hard, by the benchmark's own label; empty = none."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When an episode is cut. 0 = no such limit."""

    step_cap: int = 50
    loop_cap: int = 0
    """Number of identical actions one after the other that ends an episode."""
    token_cap: int = 0
    """Prompt plus completion tokens of all the calls of one trial."""
    task_wall_s: float = 0.0
    """Wall seconds of one trial; beyond them it is unscored."""


@dataclass(frozen=True, slots=True)
class TrialKey:
    """What makes a trial itself; everything random is seeded from it."""

    suite: str
    """With the parameters that differ from the defaults: ``locomo:ask=20``."""
    split: str
    task: str
    strategy: str
    """With the parameters that differ from the defaults: ``window:k=3``."""
    model: str
    seed: int = 0
    attempt: int = 1
    """The number of the try at the task, from 1: a run may try a task again until it is won. 0 = no task: learning."""

    def __str__(self) -> str:
        return "|".join(
            (self.suite, self.split, self.task, self.strategy, self.model, str(self.seed), str(self.attempt))
        )


@dataclass(frozen=True, slots=True)
class Trial:
    """One task played once by one strategy: the unit of a run's record."""

    key: TrialKey
    status: Status
    end: EndReason
    items: tuple[Item, ...] = ()
    steps: tuple[Step, ...] = ()
    calls: tuple[Call, ...] = ()
    error: str = ""
    """Why the trial could not go on, empty if it could."""
    opening: str = ""
    """The goal text of an episode; empty for a conversation."""
    fingerprint: Fingerprint = Fingerprint()
    wall_s: float = 0.0
    timings: Timings = Timings()
    feedback: tuple[str, ...] = ()
    """What was said about each earlier attempt, in order, and shown before the first decision of this one."""


def read_role_models(fields: Mapping[str, str]) -> dict[str, str]:
    """Return the models of a row that are called in the place of the acting one, by role. ``fields``: a fingerprint."""
    return {name.removeprefix(ROLE_MODEL): model for name, model in fields.items() if name.startswith(ROLE_MODEL)}


@dataclass(frozen=True, slots=True)
class Artifact:
    """What a strategy learned: text files by name, and the tasks they came from.

    A strategy knows tasks by made-up names only (``Trial.key.task`` of what it learns from).
    """

    files: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The tasks that a file is based on; one that is not named here is based on all of them. In evaluation a file is
    left out whose sources are all twins of the present task, or that task itself."""
    tasks: tuple[str, ...] = ()
    """Every task that it was learned from; filled in by the harness."""
