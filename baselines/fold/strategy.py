"""Context folding: the model works on parts of the task in branches; of a closed branch only its message stays.

Source: Context-Folding (arXiv 2510.11967) and its evaluation code, without the training (FoldGRPO).

Paper step -> function:

* ``branch`` opens a part that sees the main line -> ``memory.FoldMemory.open``
* ``return`` closes it and leaves description and message -> ``FoldMemory.close``
* at most ten branches, none inside another -> ``Fold._follow``
* a branch that has filled its share of the room must return a report -> ``FoldMemory.is_full``, ``Fold.decide``

Differences from the paper:

* The room is the run's budget, or ``tokens`` where a run has none; branch and message take shares of it.
* Commands are lines of the reply, not tool calls, and an action may follow in the same reply. ``branch`` has one
  argument.
* A branch is full when a step like its last would not fit. One that does not return then is closed with its last
  observation; a closed branch that was full is shown as such, and the open one shows how full it is.
* The model is told lengths in words, three for four tokens: it cannot count tokens.
* A main line longer than its room loses its oldest parts from view, and says so; the original ends the run.
* A command that cannot be followed is answered once with a notice; then the environment gets an empty action. Commands
  never reach it. A message has to fit the reply limit that holds for all strategies.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from baselines.fold.memory import FoldMemory
from baselines.fold.reply import Command, ParsedReply, read_reply
from baselines.shared.grammar import read_notices
from baselines.shared.summarizer import count_words
from bench.agents import ReadingLog, ask, compose, recall_with_notice
from bench.protocols import Kit, Memory, Param, Strategy
from bench.types import Context, Decision, Shape, Stimulus

__all__ = ["STRATEGY", "Fold"]

_HERE = Path(__file__).parent
_SWITCHES = 2
"""The most replies without an action that open or close a branch before one action."""


def _read_text(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8").strip()


@dataclass(slots=True)
class _Turn:
    """One decision in progress: the calls left, the notice for the model, the notes of the decision."""

    stimulus: Stimulus
    switches: int = _SWITCHES
    refusals: int = 1
    notice: str = ""
    context: Context = Context()
    notes: list[str] = field(default_factory=list)
    log: ReadingLog = field(default_factory=ReadingLog)


class Fold:
    """The agent: asks until it has an action, at most five times."""

    def __init__(self, kit: Kit):
        self._kit = kit
        self._memory = FoldMemory(kit)
        self._most = kit.params.integer("branches")
        room = {"{branch_words}": self._memory.branch_tokens, "{message_words}": self._memory.message_tokens}
        self._dialect = _read_text("dialect.txt")
        for name, tokens in room.items():
            self._dialect = self._dialect.replace(name, str(count_words(tokens)))
        self._notices = read_notices(_HERE / "notices.txt")

    @property
    def memory(self) -> Memory:
        return self._memory

    def decide(self, stimulus: Stimulus) -> Decision:
        """Return one action; empty if the model gave none when asked again. Notes: branches and returns.

        Raises: StrategyError from the memory, ModelError from the model.
        """
        turn = _Turn(stimulus)
        if self._memory.is_full:
            turn.notice = "full"
            parsed = self._ask(turn)
            if not any(command.name == "return" for command in parsed.commands):
                parsed = ParsedReply((Command("return", ""),), parsed.reply)
        else:
            parsed = self._ask(turn)
        while True:
            turn.notice = self._follow(parsed.commands, turn)
            if parsed.reply.value or not parsed.commands or not self._has_call_left(turn):
                action = parsed.reply.value
                return Decision(action, turn.log.text, turn.context, tuple(turn.notes), turn.log.close(action))
            parsed = self._ask(turn)

    def _ask(self, turn: _Turn) -> ParsedReply:
        kit, frame = self._kit, self._kit.frame
        turn.context = recall_with_notice(self._kit, self._memory, turn.stimulus, self._notices.get(turn.notice, ""))
        messages = compose(frame, turn.stimulus, turn.context.text, dialect=self._dialect)
        return ask(kit, messages, turn.stimulus.shape, lambda text: read_reply(text, frame), turn.log)

    def _follow(self, commands: tuple[Command, ...], turn: _Turn) -> str:
        """Open and close branches; return the name of the notice for the model."""
        outcome = "act"
        for command in commands:
            is_open = self._memory.branch is not None
            if command.name == "return":
                outcome = "closed" if is_open else "none"
            else:
                outcome = "nested" if is_open else "spent" if self._memory.n_opened >= self._most else "opened"
            if outcome == "closed":
                turn.notes += ["trimmed: returned message"] * self._memory.close(command.text)
                turn.notes.append(f"return: {command.text}")
            elif outcome == "opened":
                self._memory.open(command.text[:200])
                turn.notes.append(f"branch: {command.text[:200]}")
            else:
                turn.notes.append(f"refused: {command.name}, {outcome}")
                turn.log.dialect.append("refused")
        return outcome

    @staticmethod
    def _has_call_left(turn: _Turn) -> bool:
        """Take one call for a reply of commands alone; False if none is left."""
        if turn.notice in ("opened", "closed") and turn.switches:
            turn.switches -= 1
            return True
        turn.refusals -= 1
        return turn.refusals >= 0


STRATEGY = Strategy(
    name="fold-v4",
    build=Fold,
    serves=frozenset({Shape.EPISODE}),
    params=(
        Param("tokens", 2200, "room for the context where the run has no --budget-tokens", minimum=1),
        Param("branch", 0.5, "share of the room at which a branch must return", minimum=0),
        Param("message", 0.25, "share of the room that a returned message may take", minimum=0),
        Param("branches", 10, "the most branches of an episode", minimum=0),
    ),
    dialect=_read_text("dialect.txt"),
    inner_calls=3 + _SWITCHES,  # the reply, switches, one refusal, one that is asked for again
    source="Context-Folding (arXiv 2510.11967) without its training; limits follow the shared budget, own prompts",
)
"""The strategy."""
