"""A rolling summary of what is older, and the most recent steps or turns as they were. Knows no suite.

Source: the "summary" baselines of memory papers (rolling summary with recent turns). Trigger, length and prompt are
published nowhere.

Step -> function (``memory.RollingSummary``):

* when the context fills ``trigger`` of the room, all but the last ``recent`` steps are summarised -> ``_fold``,
  ``_select_older``
* the model sees the former summary and the older events -> ``_ask_summary``
* summary and recent steps are shown -> ``recall``

Choices of ours:

* The room is the run's budget, or ``tokens`` where a run has none.
* The acting model writes the summary and does not see the task. A summary may take ``share`` of the room, which it is
  told in words; a longer one is asked for once more, then trimmed at the end of a sentence; both are noted.
* A summary that is empty or no shorter than what it replaces is refused. After a refusal there is no new call until the
  context has grown by a quarter.
* The current observation has its fixed place in the prompt and is not summarised.
* Where the recent steps alone are too long, the oldest of them are not shown.
"""

from __future__ import annotations

from baselines.shared.summarizer import describe_lengths
from baselines.summary.memory import RollingSummary
from bench.agents import DefaultAgent
from bench.protocols import Agent, Kit, Param, Strategy

__all__ = ["STRATEGY"]


def _build(kit: Kit) -> Agent:
    memory = RollingSummary(kit)
    return DefaultAgent(memory, kit, notes=lambda _stimulus: describe_lengths(memory.summarizer))


STRATEGY = Strategy(
    name="summary-v4",
    build=_build,
    params=(
        Param("tokens", 2200, "room for the context where the run has no --budget-tokens", minimum=1),
        Param("trigger", 0.9, "share of the room at which what is older is folded", minimum=0),
        Param("share", 0.5, "share of the room that the summary may take", minimum=0),
        Param("recent", 3, "how many of the last steps (episode) or turns (conversation) stay as they were", minimum=1),
    ),
    source="rolling summary with recent turns (no settings published); trigger and length follow the shared budget",
)
"""The strategy."""
