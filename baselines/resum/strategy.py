"""ReSum: when the context is nearly full, all of it becomes a summary and the history starts again. Knows no suite.

Source: ReSum (arXiv 2509.13313) and its code, without the trained weights (ReSum-GRPO).

Paper step -> function (``memory.ReSum``):

* trigger at 0.9 of the room, or every N rounds -> ``_summarize``
* summary of the task, the former summary and what happened since -> ``_ask_summary``
* the context becomes that summary alone -> ``recall``; an empty summary keeps the history; at most 60 summaries

Differences from the paper:

* The room is the run's budget, which is without the fixed prompt already, or ``tokens`` where a run has none.
* The acting model writes the summary. It may take ``share`` of the room (there 4,096 tokens of 32 k); a longer one is
  asked for once more, then trimmed at the end of a sentence; both are noted.
* A summary no shorter than what it replaces is refused. After a refusal there is no new call until the context has
  grown by a quarter.
* The current observation has its fixed place and is not summarised, nor is the action that led to it.
* Where a history is still over the limit, its oldest events are not shown. The original forces a final answer, which a
  world does not have.
* In a conversation no question is known while it is summarised.
"""

from __future__ import annotations

from baselines.resum.memory import ReSum
from baselines.shared.summarizer import describe_lengths
from bench.agents import DefaultAgent
from bench.protocols import Agent, Kit, Param, Strategy

__all__ = ["STRATEGY"]


def _build(kit: Kit) -> Agent:
    memory = ReSum(kit)
    return DefaultAgent(memory, kit, notes=lambda _stimulus: describe_lengths(memory.summarizer))


STRATEGY = Strategy(
    name="resum-v4",
    build=_build,
    params=(
        Param("tokens", 2200, "room for the context where the run has no --budget-tokens", minimum=1),
        Param("trigger", 0.9, "share of the room at which everything is summarised", minimum=0),
        Param("share", 0.5, "share of the room that a summary may take", minimum=0),
        Param("rounds", 0, "summarise after this many observations or turns too; 0 = off", minimum=0),
    ),
    source="ReSum (arXiv 2509.13313) without its training; trigger and summary length follow the shared budget",
)
"""The strategy."""
