"""What the offline model does with the rolling summary: sentences of the summary and what follows, each fact once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from baselines.shared.extractive import condense, read_events, read_limit
from bench.protocols import OfflineRule
from bench.types import Message

__all__ = ["RULES", "RollingRule"]

_HEADER = Path(__file__).with_name("summarize.txt").read_text(encoding="utf-8").split("\n", 1)[0]


class RollingRule:
    """Role ``summarize`` with the rolling summary's prompt."""

    role = "summarize"
    header = _HEADER

    def reply(self, messages: Sequence[Message]) -> str:
        request = messages[1].content
        before, _, following = request.partition("# Next part\n")
        summary = before.partition("# Summary so far\n")[2].strip()
        condensed = condense([*read_events(summary), *read_events(following)], read_limit(messages[0].content))
        return condensed or "Nothing has happened yet."


RULES: tuple[OfflineRule, ...] = (RollingRule(),)
"""What the offline model knows about this strategy."""
