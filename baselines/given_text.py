"""A text of the suite, then everything that happened: what is a memory worth that somebody else has filled?

Source: the memory ablation of GenericAgent (Technical Report V1.0, Table 5), which shows one agent several texts about
the same task as its memory. Knows no suite: the suite offers its texts by name (``Frame.given``).

Paper step -> function:

* show a fixed text as the memory, above the history -> ``GivenText.recall``

Differences from the paper:

* The agent is the default one, with its full history, and not GenericAgent.
* In a suite that offers no text it is ``full-history``. A text that the suite does not offer is a StrategyError.
"""

from __future__ import annotations

from dataclasses import replace

from baselines.shared.history import FullHistory
from bench.agents import PRESENT_HEADING, default_agent
from bench.errors import StrategyError
from bench.protocols import Kit, Param, Strategy
from bench.types import Context, Query

__all__ = ["STRATEGY", "GivenText"]

_HEADING = "## Given for tasks of this kind"


class GivenText(FullHistory):
    """The full history below one text."""

    def __init__(self, kit: Kit):
        """Raises: StrategyError if the suite does not offer the text."""
        super().__init__(kit)
        offered, name = dict(kit.frame.given), kit.params.text("text")
        if name and name not in offered:
            known = ", ".join(offered) or "none"
            raise StrategyError(f"given-text: expected a text that the suite offers ({known}), got text={name}")
        self._given = offered[name] if name else next(iter(offered.values()), "")

    def recall(self, query: Query) -> Context:
        """Return the text and the history without the current observation. Read-only; may be over budget."""
        history = super().recall(query)
        if not self._given:
            return history
        present = f"\n\n{PRESENT_HEADING}\n{history.text}" if history.text else ""
        return replace(history, text=f"{_HEADING}\n{self._given}{present}")


STRATEGY = Strategy(
    name="given-text-v1",
    build=default_agent(GivenText),
    params=(Param("text", "", "the suite's text to show, by its name; without it the first, if there is one"),),
    keeps_budget=False,
    source="memory ablation of GenericAgent (Technical Report V1.0, Table 5), with the default agent",
)
"""The strategy."""
