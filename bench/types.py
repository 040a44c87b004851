"""Frozen records that travel between the parts: what happened, what was asked, what was decided, what it cost.

This file knows no suite, strategy, model or database. Every record is immutable; a collection inside one is a tuple.
Units stand in the names: ``_s`` seconds, ``_tokens`` tokens by the run's tokenizer, ``_usd`` US dollars.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bench.calls import Attempt, Call, Message, Phase, Reply, Usage, UsageSource

__all__ = [
    "BOTH",
    "Artifact",
    "Attempt",
    "Call",
    "Context",
    "Decision",
    "EndReason",
    "Event",
    "EventKind",
    "Exhibit",
    "Fingerprint",
    "Frame",
    "Item",
    "Limits",
    "Message",
    "Observation",
    "Opening",
    "Phase",
    "Query",
    "Reply",
    "Score",
    "Shape",
    "Status",
    "Step",
    "Stimulus",
    "Task",
    "Trial",
    "TrialKey",
    "Usage",
    "UsageSource",
    "Walls",
]


class Shape(StrEnum):
    """What a suite asks for: one action at a time in a world, or answers about a long conversation."""

    EPISODE = "episode"
    CONVERSATION = "conversation"


BOTH = frozenset(Shape)


class EventKind(StrEnum):
    """What happened. A memory may treat kinds differently, and must accept all of them."""

    GOAL = "goal"  # the opening text of an episode: task and first observation
    OBSERVATION = "observation"  # what the environment said after an action
    ACTION = "action"  # what the agent did
    TURN = "turn"  # one utterance of a conversation
    NOTE = "note"  # what the agent wrote to itself: a thought, a subgoal
    FEEDBACK = "feedback"  # what an outside judge told the agent between attempts
    MARK = "mark"  # the end of a conversation session


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
    LOST = "lost"  # the environment ended the episode without success (a death, a dead end)
    REFUSED = "refused"
    ANSWERED = "answered"  # a conversation: every question got its answer
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened, in order. ``ref`` is unique within a trial and is what a context cites."""

    ref: str
    kind: EventKind
    text: str
    step: int = 0
    """Episode: the environment step (0 = opening; action i has observation i). Conversation: the session."""
    speaker: str = ""
    time: str = ""
    """The date as the suite shows it, empty where there is none."""


@dataclass(frozen=True, slots=True)
class Query:
    """What a memory is asked for: the text it should help with, and how much it may say."""

    text: str
    """The current observation, or the question."""
    goal: str
    """The fixed opening text of the episode, or the question with its date: shown to the model anyway."""
    step: int = 0
    """The step about to be taken, from 1; 0 in a conversation."""
    shape: Shape = Shape.EPISODE
    budget_tokens: int | None = None
    """The most the context may be long; None = no limit."""
    ref: str = ""
    """The event that holds ``text`` and is shown to the model anyway; a context leaves it out. Empty = none."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a memory puts before the model: the text, and the refs of the events it rests on."""

    text: str = ""
    refs: tuple[str, ...] = ()
    truncated: bool = False
    """True if something that could have been shown was left out for lack of budget."""
    ranking: tuple[str, ...] = ()
    """Refs of events, best first, as far as the memory ranked them: about 50, whether shown or not. Empty = it ranks
    nothing. Where it ranks longer pieces, the refs of each piece in order."""


@dataclass(frozen=True, slots=True)
class Stimulus:
    """What an agent has to react to: the current observation of an episode, or one question."""

    shape: Shape
    text: str
    goal: str
    step: int = 0
    ref: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """Exactly one environment action, or one answer, and how it came about."""

    text: str
    reply: str = ""
    context: Context = Context()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """What a suite fixes in every prompt of every row: instructions, examples, answer format.

    Pure data, so that its digest can stand in a row. The reply's action is what follows ``label`` on the first
    line that starts with it, else the first line that is not empty.
    """

    id: str
    instructions: str
    examples: str = ""
    label: str = "Action:"
    stimulus_label: str = "Observation:"
    stop: tuple[str, ...] = ()
    max_tokens: int = 100


@dataclass(frozen=True, slots=True)
class Opening:
    """What an environment says first. ``goal`` is the whole opening text; it holds the first observation unless
    ``observation`` gives one apart."""

    goal: str
    frame: Frame
    observation: str = ""
    fingerprint: Fingerprint = field(default_factory=lambda: Fingerprint())
    """What only a reset can tell (the grammar that was probed, say); joined to the suite's own fingerprint."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What an environment says after one action."""

    text: str
    done: bool = False
    won: bool = False
    progress: float = 0.0
    """Running maximum in 0..1; 1.0 only when won."""
    valid: bool = True
    """The action was understood and took effect (executability, AgentBoard's grounding); helper commands are valid."""
    executed: str = ""
    """The action as the environment took it, after repairs."""
    repairs: tuple[str, ...] = ()
    """Names of the action normaliser's repairs, in order."""
    helper: bool = False
    invalid_reason: str = ""
    """Empty if valid; else e.g. ``unparsable``, ``precondition``, ``no-effect``."""


@dataclass(frozen=True, slots=True)
class Walls:
    """Where wall time went, in seconds."""

    model_s: float = 0.0
    env_s: float = 0.0
    memory_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Step:
    """One turn of an episode, or one question of a conversation. ``index`` counts from 1."""

    index: int
    stimulus: Stimulus
    decision: Decision
    observation: Observation
    context_tokens: int = 0
    prompt_tokens: int | None = None
    """Tokens of the whole prompt of the deciding calls; None where no usage was given."""
    walls: Walls = Walls()


@dataclass(frozen=True, slots=True)
class Score:
    """A named number about one item; ``value`` None = unscored, with the reason."""

    name: str
    value: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One question as a judge sees it; the answer is put beside it."""

    rubric: str
    """Which rule decides: ``answer``, ``date``, ``temporal``, ``update``, ``preference`` or ``abstention``."""
    question: str
    gold: str
    """The right answer; for ``preference`` what a good answer has to heed, for ``abstention`` why none can be given."""
    trap: bool = False
    """The question lays a trap: its verdict stands in a column of its own and in no overall."""


@dataclass(frozen=True, slots=True)
class Item:
    """What is scored: an episode, or one question of a conversation."""

    id: str
    group: str
    cluster: str
    scores: tuple[Score, ...] = ()


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Named digests and versions, sorted by name; rows whose fingerprints differ never share a table."""

    entries: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, **entries: str) -> Fingerprint:
        """Build from keyword arguments."""
        return cls(tuple(sorted(entries.items())))

    def joined(self, other: Fingerprint) -> Fingerprint:
        """Return the union; the other's value wins where both name a field."""
        return Fingerprint(tuple(sorted({**dict(self.entries), **dict(other.entries)}.items())))


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to be solved. ``source`` and ``payload`` are for its suite alone; no strategy ever sees a task."""

    id: str
    suite: str
    split: str
    group: str
    """Task type (ALFWorld), domain (PDDL), question category: how tables split a row."""
    cluster: str
    """Tasks of one cluster are not independent (statistics resample clusters)."""
    source: str = ""
    """Where the task comes from: a path relative to the data root, or a generator's seed."""
    payload: str = ""
    """The task itself where it has no file."""
    digest: str = ""
    """SHA-256 of what defines the task (file bytes, or payload)."""
    optimal_steps: int | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """When an episode is cut. 0 = no such limit."""

    step_cap: int = 50
    loop_cap: int = 0
    """Identical actions in a row that end an episode."""
    token_cap: int = 0
    """Prompt plus completion tokens of all the calls of one trial."""
    task_wall_s: float = 0.0


@dataclass(frozen=True, slots=True)
class TrialKey:
    """What makes a trial itself; everything random is seeded from it."""

    suite: str
    split: str
    task: str
    strategy: str
    model: str
    seed: int = 0
    attempt: int = 1

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
    opening: str = ""
    fingerprint: Fingerprint = Fingerprint()
    wall_s: float = 0.0
    walls: Walls = Walls()


@dataclass(frozen=True, slots=True)
class Artifact:
    """What a strategy learned: text files by name, and the tasks they came from."""

    files: Mapping[str, str] = field(default_factory=dict)
    tasks: tuple[str, ...] = ()
