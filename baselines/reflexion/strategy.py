"""Reflexion: full history within an attempt; after a failed one the model writes why, and the next begins with that.

Source: Reflexion (NeurIPS 2023, arXiv 2303.11366, sec. 4.1, ALFWorld). It needs ``--attempts``: with one attempt it is
full history with two ways to give up.

Paper step -> function:

* act with the whole attempt and the last ``memory`` reflections in the prompt -> ``memory.ReflexionMemory.recall``
* end an attempt that repeats itself or is too long (heuristic evaluator) -> ``Reflexion.decide``
* after a failed attempt, one self-reflection -> ``reflect``

Differences from the paper, and faults of its published code that are not repeated:

* The prompt is our own, with one worked example instead of two, and asks for facts before a plan.
* The loop rule is the paper's (the same action with the same answer more than three times in a row); the code stops at
  the first repeated action. The limit of 30 actions is the paper's, not the 49 of the code; ``actions=0`` lifts it.
* The acting model reflects; the code always calls text-davinci-003.
* The reflector sees the same last ``memory`` reflections that the actor saw.
* A task that is won is not tried again.
"""

from __future__ import annotations

from pathlib import Path

from baselines.reflexion.memory import ReflexionMemory
from baselines.shared.summarizer import Summarizer, tell_limit
from baselines.shared.trajectory import describe_end, render_trajectory
from bench.agents import DefaultAgent
from bench.errors import GaveUp
from bench.protocols import Agent, Kit, Param, Strategy
from bench.types import Decision, Message, Role, Shape, Stimulus, Trial

__all__ = ["STRATEGY", "Reflexion", "reflect"]

_PROMPT = Path(__file__).with_name("reflect.txt").read_text(encoding="utf-8").strip()


class Reflexion(DefaultAgent):
    """Acts on the whole attempt and the reflections, and gives up an attempt that gets nowhere."""

    def __init__(self, memory: ReflexionMemory, kit: Kit):
        super().__init__(memory, kit)
        self._attempt = memory
        self._most_repeats, self._most_actions = kit.params.integer("repeats"), kit.params.integer("actions")

    def decide(self, stimulus: Stimulus) -> Decision:
        """Return the next action. Raises: GaveUp where the attempt repeats itself or is too long."""
        if self._most_repeats and self._attempt.repeats > self._most_repeats:
            raise GaveUp(f"reflexion: the same action with the same answer more than {self._most_repeats} times")
        if self._most_actions and stimulus.step > self._most_actions:
            raise GaveUp(f"reflexion: more than {self._most_actions} actions")
        return super().decide(stimulus)


def _build(kit: Kit) -> Agent:
    return Reflexion(ReflexionMemory(kit), kit)


def reflect(trial: Trial, kit: Kit) -> str:
    """Return what the model writes about a failed attempt (one call)."""
    writer = Summarizer(kit, Role.REFLECT, kit.params.integer("tokens"))
    shown = kit.params.integer("memory")
    said = "\n\n".join(list(filter(None, trial.feedback))[-shown:])
    parts = [
        f"# Task\n{trial.opening}",
        f"# Written after earlier attempts\n{said}" if said else "",
        f"# The failed attempt\n{render_trajectory(trial)}",
        f"# End\nThe task was not solved. {describe_end(trial)}",
    ]
    request = "\n\n".join(filter(None, parts))
    system = tell_limit(_PROMPT, writer.limit_tokens).replace("{memory}", str(shown))
    return writer.ask((Message("system", system), Message("user", request)))


STRATEGY = Strategy(
    name="reflexion-v2",
    build=_build,
    keeps_budget=False,
    reflect=reflect,
    serves=frozenset({Shape.EPISODE}),
    params=(
        Param("memory", 3, "how many of the last reflections are shown", minimum=1),
        Param("tokens", 200, "most tokens of a reflection", minimum=1),
        Param("repeats", 3, "end an attempt after more of the same action and answer in a row; 0 = never", minimum=0),
        Param("actions", 30, "end an attempt after more actions; 0 = never", minimum=0),
    ),
    source="Reflexion (NeurIPS 2023, arXiv 2303.11366); own prompt; tries again with --attempts",
)
"""The strategy."""
