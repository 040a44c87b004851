"""Everything that happened, in order and in full: the most that a memory can know, and the cost it has to beat.

Source: STANDARD in HiAgent (arXiv 2408.09559, sec. 3): m_t = (o_0, a_0, ..., o_t). Knows no suite.

Paper step -> function:

* keep each observation and action -> ``shared.history.FullHistory.observe``
* show all of them -> ``FullHistory.recall``

Differences from the paper:

* The goal with its opening text and the current observation have fixed places in the prompt, so the context leaves them
  out.
* A history longer than the budget is a StrategyError (the common rule of ``bench.agents.recall``). A history that was
  cut would be another strategy (``truncation``).
"""

from __future__ import annotations

from baselines.shared.history import FullHistory
from bench.agents import default_agent
from bench.protocols import Strategy

__all__ = ["STRATEGY"]

STRATEGY = Strategy(
    name="full-history-v1",
    build=default_agent(FullHistory),
    keeps_budget=False,
    source="STANDARD of HiAgent (arXiv 2408.09559, sec. 3); goal and current observation in their fixed places",
)
"""The strategy."""
