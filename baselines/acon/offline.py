"""What the offline model does with ACON's two prompts: it keeps sentences, the latest statement of each fact.

Guidelines are words for a language model; the rules do not follow them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from baselines.shared.extractive import PromptEvent, condense, read_events, read_limit
from bench.protocols import OfflineRule
from bench.types import Message

__all__ = ["RULES", "HistoryRule", "ObservationRule"]

_HERE = Path(__file__).parent
_HISTORY, _OBSERVATION = (
    (_HERE / f"compress_{kind}.txt").read_text(encoding="utf-8").split("\n", 1)[0]
    for kind in ("history", "observation")
)


class HistoryRule:
    """Role ``compress`` with the history compressor's prompt."""

    role = "compress"
    header = _HISTORY

    def reply(self, messages: Sequence[Message]) -> str:
        before, _, since = messages[-1].content.partition("# Events since\n")
        history = before.partition("# History so far\n")[2].strip()
        condensed = condense([*read_events(history), *read_events(since)], read_limit(messages[0].content))
        return condensed or "Nothing of note."


class ObservationRule:
    """Role ``compress`` with the observation compressor's prompt."""

    role = "compress"
    header = _OBSERVATION

    def reply(self, messages: Sequence[Message]) -> str:
        text = messages[-1].content.partition("# Text\n")[2]
        return condense([PromptEvent("Observation", text)], read_limit(messages[0].content)) or text


RULES: tuple[OfflineRule, ...] = (HistoryRule(), ObservationRule())
"""What the offline model knows about this strategy."""
