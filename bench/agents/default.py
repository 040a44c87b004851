"""What an agent asks of its memory, and the default agent: recall, compose, ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bench.agents.asking import ask_plain
from bench.agents.prompt import compose
from bench.errors import StrategyError, boundary
from bench.protocols import Agent, Budget, Kit, Memory
from bench.types import Context, Decision, Phase, Query, Stimulus, ThoughtRule

__all__ = ["DefaultAgent", "default_agent", "recall", "recall_with_notice"]


def recall(kit: Kit, memory: Memory, stimulus: Stimulus) -> Context:
    """Ask a memory for the context of one decision, book its calls as reads, and check its length against the budget.

    Raises: StrategyError if the memory raises or the context is over budget (never a silent cut).
    """
    budget = kit.budget
    query = Query(stimulus.text, stimulus.goal, stimulus.step, stimulus.shape, budget.tokens, stimulus.ref)
    with kit.phase(Phase.READ), boundary(StrategyError, "recall"):
        context = memory.recall(query)
    if budget.tokens is not None and (used := budget.count(context.text)) > budget.tokens:
        raise StrategyError(f"recall: expected at most {budget.tokens} context tokens, got {used}; shorten the context")
    return context


def recall_with_notice(kit: Kit, memory: Memory, stimulus: Stimulus, notice: str) -> Context:
    """Recall with room for a notice below, which counts as context; one that does not fit is left out.

    Raises: as ``recall``; StrategyError if the two together are over the budget.
    """
    tokens, count = kit.budget.tokens, kit.budget.count
    if not notice or (tokens is not None and count(f"\n{notice}") >= tokens):
        return recall(kit, memory, stimulus)
    room = None if tokens is None else tokens - count(f"\n{notice}") - 1
    context = recall(replace(kit, budget=Budget(room, count)), memory, stimulus)
    context = replace(context, text=f"{context.text}\n{notice}" if context.text else notice)
    if tokens is not None and (used := count(context.text)) > tokens:
        raise StrategyError(
            f"recall: expected at most {tokens} context tokens with the notice, got {used}; raise --budget-tokens"
        )
    return context


def take_no_notes(_stimulus: Stimulus) -> tuple[str, ...]:
    """Return no notes: for an agent that writes none."""
    return ()


class DefaultAgent:
    """The default agent: one recall and one model call per decision. Serves both shapes."""

    def __init__(
        self,
        memory: Memory,
        kit: Kit,
        dialect: str = "",
        notes: Callable[[Stimulus], tuple[str, ...]] = take_no_notes,
    ):
        """``notes``: returns what the agent notes after a decision."""
        self._memory = memory
        self._kit = kit
        self._dialect = dialect
        self._notes = notes

    @property
    def memory(self) -> Memory:
        return self._memory

    @property
    def thoughts(self) -> ThoughtRule | None:
        return self._kit.frame.thoughts

    def decide(self, stimulus: Stimulus) -> Decision:
        """Return the first action or answer of the model's reply.

        Raises: StrategyError from the memory, ModelError from the model.
        """
        kit, frame = self._kit, self._kit.frame
        context = recall(kit, self._memory, stimulus)
        messages = compose(frame, stimulus, context.text, dialect=self._dialect)
        value, log = ask_plain(kit, messages, stimulus.shape)
        return Decision(value, log.text, context, self._notes(stimulus), log.close(value))


def default_agent(memory: Callable[[Kit], Memory]) -> Callable[[Kit], Agent]:
    """Return a ``Strategy.build`` for a strategy that is only a memory: ``build=default_agent(MyMemory)``."""

    def build(kit: Kit) -> Agent:
        return DefaultAgent(memory(kit), kit)

    return build
