"""A control: every question of a conversation gets the same refusal, and no model is called. Knows no suite.

Source: ours. By LoCoMo's official rule an adversarial question is right if the answer holds one of two phrases, so a
strategy that reads nothing scores 446 of 1,986 questions, 22.5 %. A memory has to score more than this one.

Step -> function:

* the refusal -> ``Refuser.decide``; the context stays empty (``_Nothing``)

Notes:

* The answer is the official phrase "not mentioned" and no more: each further word could be a word of some reference
  answer (in LoCoMo "not" is, 13 times).
* It is an agent of its own, because no model is called, and it serves conversations alone: in a world there is nothing
  to refuse.
"""

from __future__ import annotations

from bench.protocols import Kit, Memory, Strategy
from bench.types import Context, Decision, Event, Query, Shape, Stimulus

__all__ = ["ANSWER", "STRATEGY", "Refuser"]

ANSWER = "Not mentioned."


class _Nothing:
    """A memory that hears everything and says nothing."""

    def observe(self, event: Event) -> None:
        """Forget the event."""

    def recall(self, query: Query) -> Context:
        """Return the empty context, whatever the query."""
        return Context()

    def reach(self) -> frozenset[str]:
        """Return nothing."""
        return frozenset()


class Refuser:
    """An agent with one answer."""

    def __init__(self, kit: Kit):
        del kit  # every agent is built from a kit; this one needs nothing in it
        self._memory = _Nothing()

    @property
    def memory(self) -> Memory:
        return self._memory

    def decide(self, stimulus: Stimulus) -> Decision:
        """Return the refusal, whatever the question."""
        return Decision(ANSWER)


STRATEGY = Strategy(
    name="always-refuse-v1",
    build=Refuser,
    serves=frozenset({Shape.CONVERSATION}),
    source="control: one refusal for every question, no model call; what refusing alone scores",
)
"""The strategy."""
