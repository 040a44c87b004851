"""GenericAgent over a conversation: an index in view, facts with their turns and raw sessions read on demand.

Source: GenericAgent, Technical Report V1.0 (layers L1 to L4), adapted to dialogue: "no execution, no memory" becomes
"an entry cites raw turns that exist". The report's own LoCoMo prompts are not published.

Paper step -> function:

* L4, raw sessions -> ``archive.Archive``
* L2, verified facts -> ``memory.DialogueMemory._extract``, ``facts.Facts.admit``; facts that no longer hold ->
  ``_drop_earlier``
* L3, procedures -> ``facts.Facts.admit_rule``: rules for looking things up
* L1, an index that says what is known and where -> ``pointers.build_index``
* routing from L1 to the other layers -> ``navigation.Navigator.read``

Differences from the report:

* L3 holds what the turns show about looking things up, and may be empty.
* There is no anchor and no compression: between questions no work is in progress.
* Reading is a search before the answer, in a prompt of its own (see ``navigation``).
* It is a strategy of its own. With ``generic_agent.trial`` it shares the bounds of the index and the cutting of texts,
  and no parameter, dialect or call.

The notes of each decision count the tokens that are always in view and those read for the question
(``always_on_tokens: 412``, ...).
"""

from __future__ import annotations

from dataclasses import dataclass

from baselines.generic_agent.dialogue.memory import DialogueMemory, Reading
from bench.agents import ask_plain, compose, recall
from bench.protocols import Kit, Memory, Param, Strategy
from bench.types import Context, Decision, Event, Query, Shape, Stimulus

__all__ = ["MOST_ROUNDS", "STRATEGY", "DialogueAgent"]

MOST_ROUNDS = 5


@dataclass(slots=True)
class _Reader:
    """The memory as one decision sees it: reads afresh, and remembers what the reading was made of."""

    memory: DialogueMemory
    reading: Reading | None = None

    def observe(self, event: Event) -> None:
        self.memory.observe(event)

    def recall(self, query: Query) -> Context:
        self.reading = self.memory.read(query)
        return self.reading.context


class DialogueAgent:
    """Reads for a question, then answers it."""

    def __init__(self, kit: Kit):
        self._kit = kit
        self._memory = DialogueMemory(kit)

    @property
    def memory(self) -> Memory:
        return self._memory

    def decide(self, stimulus: Stimulus) -> Decision:
        """Return one answer; the notes count the tokens that are always on and those read for this question.

        Raises: StrategyError from the memory, ModelError from the model.
        """
        kit, frame = self._kit, self._kit.frame
        reader = _Reader(self._memory)
        context = recall(kit, reader, stimulus)
        messages = compose(frame, stimulus, context.text)
        value, log = ask_plain(kit, messages, stimulus.shape)
        return Decision(value, log.text, context, self._build_notes(reader.reading), log.close(value))

    def _build_notes(self, reading: Reading | None) -> tuple[str, ...]:
        if reading is None:
            return ()
        facts = self._memory.facts
        return (
            f"always_on_tokens: {reading.always_on_tokens}",
            f"on_demand_tokens: {reading.on_demand_tokens}",
            f"facts_held: {facts.count_topics().total()}",
            f"facts_refused: {facts.refused}",
            *(f"navigate: {asked}" for asked in reading.trail),
        )


STRATEGY = Strategy(
    name="generic-agent-dialogue-v4",
    build=DialogueAgent,
    serves=frozenset({Shape.CONVERSATION}),
    params=(
        Param("layers", "1234", "which layers there are: l1 the index, l2 facts, l3 rules, l4 raw sessions",
              choices=("1", "12", "123", "1234")),
        Param("rounds", 2, "most calls that look for something, for one question", minimum=0, maximum=MOST_ROUNDS),
        Param("k", 10, "most raw turns that are shown for one question", minimum=0),
        Param("facts", 10, "most facts that are shown for one question", minimum=0),
    ),
    inner_calls=1 + MOST_ROUNDS,
    source="GenericAgent (Technical Report V1.0): L1-L4 for dialogue; a fact cites raw turns; bounds and ranking ours",
)  # fmt: skip
"""The strategy."""
