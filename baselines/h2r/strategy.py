"""H2R: a planner gives one sub-goal at a time, an executor acts towards it; each has a memory of its own grain.

Source: H2R, Hierarchical Hindsight Reflection (arXiv 2509.12810). It has no official code; prompts, k, pool size and
number of retries are not published. Knows no suite; needs a learning stage.

Paper step -> function:

* gather with the task itself as the only sub-goal, retry on failure -> an ordinary collector, ``reflexion``
* Algorithm 1 -> ``learning.learn``: sub-goals ``_infer``, high-level reflection ``_reflect_high``, sub-trajectories
  ``_cut``, low-level reflection ``_reflect_low``, grounding after all pairs ``_ground``
* planner: one new sub-goal from task, history and units for whole tasks -> ``H2R._plan``, ``H2RMemory.render_plan``
* executor: an action, or the signal that a sub-goal is done or invalid -> ``H2R.decide``, ``H2RMemory.recall``
* units by the similarity of tasks, and of sub-goals -> ``baselines.shared.nearest``

Differences from the paper, and readings of what it leaves open:

* A unit for the executor holds the sub-trajectory (the prose), not the whole one (the listing).
* A task solved at once has no failed attempt to compare with; it makes units all the same, and is counted.
* One unit for each solved attempt that differs; insights for each pair of it with a failed one. The last failed attempt
  is what its parts are compared with.
* Parts that leave gaps, overlap or do not fit are asked for once more, then the whole attempt is one unit; counted.
* A signal costs no step. After three without an action, and after ``subgoals`` of them, the task itself is the sub-goal
  and no signal is taken; each time is noted. A planner without a readable sub-goal is asked once more, then the same.
* Units of the task at hand or its twins, and insights from it, are left out by the harness.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from baselines.h2r.learning import learn
from baselines.h2r.memory import H2RMemory
from baselines.h2r.reply import read_reply, read_subgoal
from baselines.shared.grammar import read_notices
from bench.agents import CONTEXT_HEADING, GOAL_HEADING, NOW_HEADING, ReadingLog, ask, compose, recall_with_notice
from bench.protocols import Kit, Memory, Param, Strategy
from bench.types import Decision, Message, Role, Shape, Stimulus

__all__ = ["H2R", "STRATEGY"]

_HERE = Path(__file__).parent
_PLAN, _DIALECT = ((_HERE / name).read_text(encoding="utf-8").strip() for name in ("plan.txt", "dialect.txt"))
_ACT = read_notices(_HERE / "notices.txt")["act"]
_AGAIN = "No sub-goal could be made out in that reply. Reply with one line that begins with `Subgoal:`."
_SIGNALS = 3
"""The most signals that are taken before one action."""
_MOST_CHARACTERS = 4000


@dataclass(slots=True)
class _Turn:
    """One decision in progress."""

    signals: int = 0
    notes: list[str] = field(default_factory=list)
    log: ReadingLog = field(default_factory=ReadingLog)


class H2R:
    """The agent: plans where no sub-goal is open, and asks the executor until it acts."""

    def __init__(self, kit: Kit):
        self._kit = kit
        self._memory = H2RMemory(kit)
        self._left = kit.params.integer("subgoals")
        self._is_flat = False
        """The planner has given all its sub-goals."""

    @property
    def memory(self) -> Memory:
        return self._memory

    def decide(self, stimulus: Stimulus) -> Decision:
        """Return one action; empty if the model gave none when asked again. Notes: sub-goals, signals, guards.

        Raises: StrategyError from the memory, ModelError from the model.
        """
        turn = _Turn()
        while True:
            if not self._memory.subgoal:
                self._plan(stimulus, turn)
            may_signal = turn.signals < _SIGNALS and not self._is_flat
            context = recall_with_notice(self._kit, self._memory, stimulus, "" if may_signal else _ACT)
            messages = compose(self._kit.frame, stimulus, context.text, dialect=_DIALECT)
            read = partial(read_reply, frame=self._kit.frame, may_signal=may_signal)
            parsed = ask(self._kit, messages, stimulus.shape, read, turn.log)
            if not parsed.signal:
                action = parsed.reply.value
                return Decision(action, turn.log.text, context, tuple(turn.notes), turn.log.close(action))
            self._memory.close(parsed.signal)
            turn.signals += 1
            turn.notes.append(f"signal: {parsed.signal}")

    def _plan(self, stimulus: Stimulus, turn: _Turn) -> None:
        """Open the next sub-goal: the planner's, or the task itself where a guard says so."""
        guard = "signals" if turn.signals >= _SIGNALS else "" if self._left else "subgoals"
        subgoal = "" if guard else self._ask_planner(stimulus, turn)
        self._left -= not guard
        if guard == "subgoals":
            self._is_flat = True
        turn.notes.append(f"guard: {guard}" if guard else f"subgoal: {subgoal or self._memory.task}")
        self._memory.open(subgoal or self._memory.task or "the task")

    def _ask_planner(self, stimulus: Stimulus, turn: _Turn) -> str:
        """Return the planner's sub-goal; empty if none can be made out in two replies."""
        kit = self._kit
        parts = [
            f"# World\n{kit.frame.instructions}",
            f"{GOAL_HEADING}\n{stimulus.goal}",
            f"{CONTEXT_HEADING}\n{self._memory.render_plan(stimulus.ref)}",
            f"{NOW_HEADING}\n{kit.frame.stimulus_label} {stimulus.text}" if stimulus.text else "",
        ]
        request = "\n\n".join(filter(None, parts))
        messages: tuple[Message, ...] = (Message("system", _PLAN), Message("user", request))
        for _ in range(2):
            reply = kit.model.chat(messages, role=Role.PLAN, max_tokens=kit.frame.max_tokens).text
            if subgoal := read_subgoal(reply):
                turn.log.dialect.append("subgoal")
                return subgoal
            messages = (*messages, Message("assistant", reply[:_MOST_CHARACTERS]), Message("user", _AGAIN))
        turn.notes.append("fallback: plan")
        return ""


STRATEGY = Strategy(
    name="h2r-v2",
    build=H2R,
    keeps_budget=False,
    learn=learn,
    serves=frozenset({Shape.EPISODE}),
    params=(
        Param("high", True, "the planner sees units for whole tasks; off = w/o high-level memory"),
        Param("low", True, "the executor sees units for sub-goals; off = w/o low-level memory"),
        Param("k_high", 2, "how many units the planner sees", minimum=1),
        Param("k_low", 3, "how many units the executor sees", minimum=1),
        Param("insights", 15, "most insights in each of the two pools", minimum=1),
        Param("subgoals", 25, "most sub-goals in an episode: half of the usual step cap", minimum=1),
    ),
    dialect=_DIALECT,
    inner_calls=3 * (2 + 1) + 1,  # for each signal a plan, asked for twice, and the signal; then the action
    source="H2R (arXiv 2509.12810); no official code: own prompts, k and pool size; learned on a training side",
)
"""The strategy."""
