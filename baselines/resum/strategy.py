"""ReSum: when the context is nearly full, all of it becomes a summary and the history starts anew. Knows no suite.

Source: ReSum (arXiv 2509.13313) and its code: on trigger a summariser gets the task, its former summary and what
happened since; the context becomes that summary alone. The trigger is 0.9 of the room for the context: the run's
budget, which is already without the fixed prompt, or ``tokens`` where a run has none. An empty summary keeps the
history; at most 60 summaries are asked for.
Differs in: the summariser is the acting model; a summary may take ``share`` of the room (4 096 tokens of 32 k there);
a longer one is cut at a word, as its token limit would, one that is no shorter than what it replaces is refused, and
after a refusal nothing is asked until what is kept has grown by a quarter; the current observation has its fixed
place and is not summarised; where a history is over the hard limit all the same, its oldest events are not shown (the
original forces a final answer, which a world does not have); in a conversation no question is known while it is
summarised. Trained weights (ReSum-GRPO) are not part of this row.
"""

from __future__ import annotations

from baselines.resum.memory import ReSum
from bench.agents import default_agent
from bench.protocols import Param, Strategy

__all__ = ["STRATEGY"]


STRATEGY = Strategy(
    name="resum-v1",
    build=default_agent(ReSum),
    params=(
        Param("tokens", 2200, "room for the context where the run has no --budget-tokens", minimum=1),
        Param("trigger", 0.9, "share of the room at which everything is summarised", minimum=0),
        Param("share", 0.5, "share of the room that a summary may take", minimum=0),
        Param("rounds", 0, "summarise after this many observations or turns too; 0 = off", minimum=0),
    ),
    source="ReSum (arXiv 2509.13313) without its training; trigger and summary length follow the shared budget",
)
"""The row."""
