"""What passes between an environment or a conversation, a memory and an agent, one turn at a time.

This file knows no suite, strategy, model or database. Every record is immutable; a collection inside one is a tuple.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256

__all__ = [
    "BOTH", "Context", "Decision", "Event", "EventKind", "Fingerprint", "Frame", "Observation",
    "Opening", "Query", "Reading", "Shape", "Stimulus", "ThoughtRule",
]  # fmt: skip


class Shape(StrEnum):
    """What a suite asks for: one action at a time in a world, or answers about a long conversation."""

    EPISODE = "episode"
    CONVERSATION = "conversation"


BOTH = frozenset(Shape)


class EventKind(StrEnum):
    """What happened. A memory may treat kinds differently, and must accept all of them."""

    GOAL = "goal"  # the opening text of an episode: the task, and the first observation unless it is an event
    OBSERVATION = "observation"  # what the environment returned after an action
    ACTION = "action"  # what the agent did
    TURN = "turn"  # one utterance of a conversation
    NOTE = "note"  # what the agent wrote to itself: a thought, a subgoal
    FEEDBACK = "feedback"  # what an agent wrote to itself about an earlier attempt at the task
    SESSION_END = "session-end"  # the end of a conversation session


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
    """What a memory is queried with: the text it should help with, and how long its context may be."""

    text: str
    """The current observation, or the question."""
    goal: str
    """The fixed opening text of the episode, or the question with its date: shown to the model anyway."""
    step: int = 0
    """Episode: the step about to be taken, from 1. Conversation: the number of the question, from 1."""
    shape: Shape = Shape.EPISODE
    budget_tokens: int | None = None
    """The most the context may be long; None = no limit."""
    ref: str = ""
    """The event that holds ``text`` and is shown to the model anyway; a context leaves it out. Empty = none."""


@dataclass(frozen=True, slots=True)
class Context:
    """What a memory puts into the prompt: the text, and the refs of the events it is based on."""

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
    """The current observation (empty where ``goal`` holds it), or the question as a memory gets it."""
    goal: str
    """The opening text of the episode, or the question as the prompt shows it, with its date."""
    step: int = 0
    """The step, or the number of the question, from 1."""
    ref: str = ""
    """The event that holds ``text``; empty for a question."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How the replies of one decision were read."""

    asked_again: int = 0
    """Further calls because nothing could be made out in a reply."""
    unreadable: bool = False
    """Nothing could be made out even then: ``text`` is empty."""
    cut: bool = False
    """A reply ended at its token limit."""
    repairs: tuple[str, ...] = ()
    """What had to be forgiven, each once: ``bold``, ``fence``, ``next-line``, ... (see ``bench.replies``)."""
    dialect: tuple[str, ...] = ()
    """Lines of the strategy's own reply grammar, in order: ``subgoal``, ``branch``, ``refused``, ..."""
    thought: str = ""
    """The decision is a thought, which never reached the environment, and what it cost: ``step`` or ``free``."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Exactly one environment action, or one answer, and how it came about."""

    text: str
    """The action or the answer; empty if the model gave none."""
    reply: str = ""
    """The reply of the model that ``text`` was read from, or why there is none."""
    context: Context = Context()
    notes: tuple[str, ...] = ()
    """What the agent reports of itself, as ``kind: text`` (``subgoal: find a mug``); counted as ``notes_<kind>``."""
    reading: Reading = Reading()


@dataclass(frozen=True, slots=True)
class ThoughtRule:
    """How an agent may think instead of acting: by a reply ``think: ...``, which the driver answers itself.

    Source: ReAct (arXiv 2210.03629), where a thought takes a step, and ExpeL (arXiv 2308.10144), where it does not.
    """

    prefix: str = "think:"
    costs_step: bool = True
    most: int = 0
    """Thoughts in a row that are answered; one more wastes a step. 0 = no limit, where a thought takes a step."""
    answer: str = "OK."

    def __post_init__(self) -> None:
        if not self.costs_step and self.most < 1:
            raise ValueError(f"thought rule: expected a limit for thoughts that are free, got most={self.most}")

    def matches(self, action: str) -> bool:
        """True if an action is a thought."""
        return action.lower().startswith(self.prefix)

    @property
    def label(self) -> str:
        """The rule as a fingerprint holds it: ``think: step, most 0, OK.``"""
        return f"{self.prefix} {'step' if self.costs_step else 'free'}, most {self.most}, {self.answer}"


@dataclass(frozen=True, slots=True)
class Frame:
    """What a suite fixes in every prompt of every strategy: instructions, examples, answer format.

    Pure data, so that its digest can stand in a fingerprint. ``bench.replies`` reads what stands behind ``label``.
    """

    id: str
    instructions: str
    """Without the answer format, if that has a field of its own."""
    examples: str = ""
    label: str = "Action:"
    stimulus_label: str = "Observation:"
    stop: tuple[str, ...] = ()
    """Texts at which the model stops, where the strategy extends no reply."""
    max_tokens: int = 512
    """The most tokens of a reply: the same in every suite; a run may set another limit."""
    answer_format: str = ""
    """What a reply looks like; the format of a strategy that extends it stands in its place."""
    thoughts: ThoughtRule | None = None
    """None = a thought is no reply that can be given."""
    cue: str = ""
    """The last line of a prompt, where it is not the label."""
    given: tuple[tuple[str, str], ...] = ()
    """Texts that a strategy may show as its memory, by name; no prompt shows them by itself."""

    @property
    def rules(self) -> dict[str, str]:
        """What a fingerprint holds of it beside the texts, by name; nothing that is as usual."""
        thoughts, stop = self.thoughts and self.thoughts.label, self.stop and repr(self.stop)
        given = ", ".join(f"{name} {sha256(text.encode()).hexdigest()[:16]}" for name, text in self.given)
        return {
            n: text for n, text in (("thoughts", thoughts), ("stop", stop), ("cue", self.cue), ("given", given)) if text
        }


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Named digests and versions, sorted by name; trials whose ``env.*`` entries differ never share a table;
    ``row.*`` entries describe the strategy."""

    entries: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, **entries: str) -> Fingerprint:
        """Return a fingerprint with these entries."""
        return cls(tuple(sorted(entries.items())))

    def join(self, other: Fingerprint) -> Fingerprint:
        """Return the union; the other's value wins where both name a field."""
        return Fingerprint(tuple(sorted({**dict(self.entries), **dict(other.entries)}.items())))


@dataclass(frozen=True, slots=True)
class Opening:
    """What an environment returns first. ``goal`` is the whole opening text; it holds the first observation unless
    ``observation`` gives one separately."""

    goal: str
    frame: Frame
    observation: str = ""
    fingerprint: Fingerprint = field(default_factory=lambda: Fingerprint())
    """What only a reset can tell (the grammar that was probed, say); joined to the suite's own fingerprint."""
    feedback: tuple[str, ...] = ()
    """What ``Strategy.reflect`` wrote about each earlier attempt, in order. Set by the harness alone."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What an environment returns after one action. After an answer it is empty, and ``executed`` is the answer."""

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
    """Empty if valid; else e.g. ``unreadable`` (no action in the reply), ``unparsable``, ``precondition``."""
