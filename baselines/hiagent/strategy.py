"""HiAgent: the model names sub-goals as it goes; closed ones are folded to a line and can be shown again in full.

Source: HiAgent (arXiv 2408.09559, sec. 3). Its ablations are parameters: ``summary=last`` is w/o OS, ``retrieve=off``
w/o TR, ``hide=off`` w. TD.

Paper step -> function:

* one call gives an action, or a new sub-goal with its first action, or asks to see closed ones -> ``HiAgent.decide``,
  ``reply.read_reply``
* opening a sub-goal closes the one before, met or not -> ``memory.HiAgentMemory.declare``, ``observe``
* observation summary of a closed sub-goal (OS) -> ``summaries.Summaries.summarize``
* trajectory retrieval (TR) -> ``HiAgent._expand``, ``HiAgentMemory.expand``; it lasts until the next sub-goal, as in
  the published code (``expand=until-next-subgoal``)

Differences from the paper, and faults of its published code that are not repeated:

* A summary is made once for each closed sub-goal and cached; the code makes all of them again for every prompt.
* A retrieval is answered in the same step, at most twice. In the code the call itself reaches the environment, costs a
  step and may recurse without end.
* Numbers belong to sub-goals, are always shown and never shift. ``retrieve(1,2)`` is read with any spacing; an unknown
  number is answered with a notice, where the code ignores it.
* A sub-goal without an action is asked about once more; then the environment gets an empty action.
* Replies are read by ``bench.replies``; the code looks for the word "Subgoal" anywhere. The same sub-goal again is no
  new one.
* What a closed sub-goal left is an "Outcome", where the code shows it as an observation. The summariser sees the
  outcome before it; a summary that is too long is asked for once more, then trimmed at the end of a
  sentence; both are noted.
* Nothing depends on the name of the task (see ``summaries``).
* Listings of valid actions stay in what is summarised: a strategy does not know which commands those are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from baselines.hiagent.memory import HiAgentMemory
from baselines.hiagent.reply import ParsedReply, read_reply
from baselines.shared.grammar import read_notices
from bench.agents import ReadingLog, ask, compose, recall_with_notice
from bench.protocols import Kit, Memory, Param, Strategy
from bench.types import Decision, Shape, Stimulus

__all__ = ["STRATEGY", "HiAgent"]

_HERE = Path(__file__).parent
_RETRIEVALS = 2
"""The most retrievals that are answered before one action."""


def _read_text(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8").strip()


def _join_numbers(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


@dataclass(slots=True)
class _Turn:
    """One decision in progress: the calls left, the notice for the model, the notes of the decision."""

    retrievals: int
    follow_ups: int = 1
    notice: str = ""
    notes: list[str] = field(default_factory=list)
    log: ReadingLog = field(default_factory=ReadingLog)


class HiAgent:
    """The agent: asks until it has an action, at most five times."""

    def __init__(self, kit: Kit):
        self._kit = kit
        self._memory = HiAgentMemory(kit)
        self._hide = kit.params.flag("hide")
        self._retrieve = self._hide and kit.params.flag("retrieve")
        self._fold_each_step = kit.params.text("expand") == "step"
        parts = ["dialect.txt"] + ["hidden.txt"] * self._hide + ["retrieve.txt"] * self._retrieve
        self._dialect = "\n".join(map(_read_text, parts))
        self._notices = read_notices(_HERE / "notices.txt")

    @property
    def memory(self) -> Memory:
        return self._memory

    def decide(self, stimulus: Stimulus) -> Decision:
        """Return one action; empty if the model gave none when asked again. Notes: sub-goal and retrievals.

        Raises: StrategyError from the memory, ModelError from the model.
        """
        turn = _Turn(_RETRIEVALS if self._retrieve else 0, notes=list(self._memory.describe_lengths()))
        while True:
            context = recall_with_notice(self._kit, self._memory, stimulus, turn.notice)
            messages = compose(self._kit.frame, stimulus, context.text, dialect=self._dialect)
            parsed = ask(self._kit, messages, stimulus.shape, self._read, turn.log)
            if parsed.subgoal:
                self._memory.declare(parsed.subgoal)
            if not self._follow_up(parsed, turn):
                break
        action = parsed.reply.value
        if self._fold_each_step:
            self._memory.fold()
        if not action:
            self._memory.withdraw()
        elif self._memory.next_subgoal:
            turn.notes.append(f"subgoal: {self._memory.next_subgoal}")
        return Decision(action, turn.log.text, context, tuple(turn.notes), turn.log.close(action))

    def _read(self, text: str) -> ParsedReply:
        return read_reply(text, self._kit.frame, may_retrieve=self._retrieve)

    def _follow_up(self, parsed: ParsedReply, turn: _Turn) -> bool:
        """Prepare a further call: answer a retrieval, or ask for the action of a sub-goal. False if none is due."""
        if parsed.retrieve is not None and turn.retrievals:
            turn.retrievals -= 1
            turn.notice = self._expand(parsed.retrieve, turn)
            turn.notes.append(f"retrieve: {_join_numbers(parsed.retrieve)}")
            return True
        if parsed.reply.value or not parsed.dialect or not turn.follow_ups:
            return False
        turn.follow_ups -= 1
        name = "opened" if parsed.retrieve is None else "enough"
        turn.notice = self._notices[name].replace("{subgoal}", self._memory.next_subgoal or parsed.subgoal)
        return True

    def _expand(self, ids: tuple[int, ...], turn: _Turn) -> str:
        """Expand what can be; return the notice about it."""
        unknown = self._memory.expand(ids)
        turn.log.dialect += ["refused"] * bool(unknown or not ids)
        found = [one for one in ids if one not in unknown]
        lines = [self._notices["shown"].replace("{ids}", _join_numbers(found))] if found else []
        if self._memory.next_subgoal:
            lines.append(self._notices["opens"].replace("{subgoal}", self._memory.next_subgoal))
        if unknown or not ids:
            notice = self._notices["unknown"].replace("{ids}", _join_numbers(unknown) or "without a number")
            lines.append(notice.replace("{known}", _join_numbers(self._memory.closed_ids) or "none"))
        return "\n".join(lines)


STRATEGY = Strategy(
    name="hiagent-v4",
    build=HiAgent,
    serves=frozenset({Shape.EPISODE}),
    params=(
        Param("summary", "llm", "what a closed sub-goal leaves; last = w/o OS", choices=("none", "last", "llm")),
        Param("retrieve", True, "the model may ask to see closed sub-goals in full; off = w/o TR"),
        Param("hide", True, "closed sub-goals are folded; off = w. TD (task decomposition only)"),
        Param("expand", "until-next-subgoal", "how long a retrieval lasts", choices=("step", "until-next-subgoal")),
        Param("variant", "paper", "code = no model summary where observations tell all", choices=("paper", "code")),
        Param("summary_tokens", 200, "most tokens of a summary", minimum=1),
    ),
    dialect="\n".join(map(_read_text, ("dialect.txt", "hidden.txt", "retrieve.txt"))),
    inner_calls=3 + _RETRIEVALS,  # the reply, retrievals, one follow-up, one that is asked for again
    source="HiAgent (arXiv 2408.09559, sec. 3); summaries once per chunk, retrieval costs no step, own prompts",
)
"""The strategy."""
