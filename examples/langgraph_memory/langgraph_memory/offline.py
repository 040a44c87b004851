"""What the offline model writes as a summary: every line that it is shown, each once. It sees the messages alone."""

from __future__ import annotations

from collections.abc import Sequence

from bench.types import Message, Role
from langgraph_memory.graph import PROMPT

__all__ = ["RULES"]


class SummaryRule:
    """The reply to the graph's one call."""

    role, header = Role.SUMMARIZE, PROMPT.partition("\n")[0]

    def reply(self, messages: Sequence[Message]) -> str:
        facts = (line for line in messages[-1].content.splitlines() if line and not line.startswith("# "))
        return "\n".join(dict.fromkeys(line for line in facts if line != "None."))


RULES = (SummaryRule(),)
