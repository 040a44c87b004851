"""A rolling summary of what is older, and the most recent steps or turns as they were. Knows no suite.

Source: the "summary" rows of memory papers (rolling summary with recent turns); trigger, length and prompt are
published nowhere. When the context fills ``trigger`` of its room, everything but the last ``recent`` steps is folded
into the summary. The room is the run's budget, or ``tokens`` where a run has none. The summariser is the acting
model; it sees the former summary and what is folded, not the task, and may use ``share`` of the room; a longer
summary is cut at a word, an empty one, or one that is no shorter than what it replaces, is refused, and after a
refusal nothing is asked until what is kept has grown by a quarter. The current observation has its fixed place in the
prompt and is not folded. Where the recent steps alone are too long, the oldest of them are not shown.
"""

from __future__ import annotations

from baselines.summary.memory import RollingSummary
from bench.agents import default_agent
from bench.protocols import Param, Strategy

__all__ = ["STRATEGY"]


STRATEGY = Strategy(
    name="summary-v1",
    build=default_agent(RollingSummary),
    params=(
        Param("tokens", 2200, "room for the context where the run has no --budget-tokens", minimum=1),
        Param("trigger", 0.9, "share of the room at which what is older is folded", minimum=0),
        Param("share", 0.5, "share of the room that the summary may take", minimum=0),
        Param("recent", 3, "how many of the last steps (episode) or turns (conversation) stay as they were", minimum=1),
    ),
    source="rolling summary with recent turns (no settings published); trigger and length follow the shared budget",
)
"""The row."""
