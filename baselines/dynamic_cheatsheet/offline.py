"""What the offline model replies where Dynamic Cheatsheet asks for a new cheatsheet: the old lines and what was new.

A solved attempt adds what it did, another what the world refused. Where room is short, the oldest lines go.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from baselines.shared.extractive import read_limit
from baselines.shared.lifting import list_refused, list_sentences
from bench.protocols import OfflineRule
from bench.types import Message

__all__ = ["RULES", "CurateRule"]

_HEADER = Path(__file__).with_name("curate.txt").read_text(encoding="utf-8").split("\n", 1)[0]
_SECTION = re.compile(r"^# (?:Cheatsheet so far|Task|Attempt|Outcome)\n", re.MULTILINE)
_EMPTY = "(empty)"
_WORDS_A_TOKEN = 0.7


class CurateRule:
    """Role ``distill`` with Dynamic Cheatsheet's prompt."""

    role = "distill"
    header = _HEADER

    def reply(self, messages: Sequence[Message]) -> str:
        _, sheet, opening, attempt, outcome = _SECTION.split(messages[1].content, maxsplit=4)
        if "did not" in outcome:
            new = [f'"{action}" had no effect.' for action in list_refused(attempt)]
        else:
            new = list_sentences(opening, attempt)
        old = [line for line in sheet.splitlines() if line.strip() and line != _EMPTY]
        lines = list(dict.fromkeys([*new, *old]))
        room = int((read_limit(messages[0].content) or 1000) * _WORDS_A_TOKEN)
        while lines and sum(len(line.split()) for line in lines) > room:
            lines.pop()
        return "\n".join(lines) or _EMPTY


RULES: tuple[OfflineRule, ...] = (CurateRule(),)
"""What the offline model knows about this strategy."""
