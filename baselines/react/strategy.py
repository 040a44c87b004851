"""ReAct: the full history, and a thought as a further kind of action.

Source: ReAct (arXiv 2210.03629, sec. 2): the space of actions is extended by language, which changes nothing outside.

Paper step -> function:

* the context is everything so far, thoughts included -> ``FullHistory`` of the same kind as the strategy full-history
* a thought is no action of the world and gets no observation but "OK." -> ``ThoughtRule``, answered by the driver

Differences from the paper:

* The model is told in words how to think; the paper shows it by examples of thoughts. A suite's protocol that shows
  them (``alfworld:protocol=react``) allows thoughts itself: there this strategy adds nothing, and is full-history.
* ``thought=free`` is ExpeL's rule (arXiv 2308.10144): thoughts take no step, and at most ``most`` come in a row.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from baselines.shared.history import FullHistory
from bench.agents import DefaultAgent
from bench.protocols import Kit, Param, Params, Strategy
from bench.types import Shape, ThoughtRule

__all__ = ["STRATEGY", "build"]

_DIALECT = (Path(__file__).parent / "dialect.txt").read_text(encoding="utf-8").strip()
_FREE_IN_ROW = 2
"""ExpeL's limit, where ``most`` names none."""


def _read_rule(params: Params) -> ThoughtRule:
    costs_step, most = params.text("thought") == "step", params.integer("most")
    return ThoughtRule(costs_step=costs_step, most=most or (0 if costs_step else _FREE_IN_ROW))


def _write_dialect(rule: ThoughtRule) -> str:
    cost = (
        "It takes a step like any action."
        if rule.costs_step
        else "It takes no step, though it has a number in your memory."
    )
    limit = f" After {rule.most} thoughts in a row, act: one more wastes a step." if rule.most else ""
    return _DIALECT.replace("{cost}", cost + limit)


def build(kit: Kit) -> DefaultAgent:
    """Return an agent that may think, under the frame's rule where that has one, else under the parameters'."""
    memory = FullHistory(kit)
    if kit.frame.thoughts:
        return DefaultAgent(memory, kit)
    rule = _read_rule(kit.params)
    return DefaultAgent(memory, replace(kit, frame=replace(kit.frame, thoughts=rule)), _write_dialect(rule))


STRATEGY = Strategy(
    name="react-v2",
    build=build,
    keeps_budget=False,
    serves=frozenset({Shape.EPISODE}),
    params=(
        Param("thought", "step", "what a thought takes: a step, or none (free)", ("step", "free")),
        Param("most", 0, "thoughts in a row that are answered; 0 = no limit, of free ones 2", minimum=0),
    ),
    dialect=_write_dialect(ThoughtRule(most=1)),  # the longest
    source="ReAct (arXiv 2210.03629): full history and thoughts; told in words, on the suite's own prompt",
)
"""The strategy."""
