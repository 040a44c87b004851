"""What the offline model replies where ReasoningBank asks for items: what was done, or what the world refused."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from baselines.reasoning_bank.bank import MOST_ITEMS
from baselines.shared.lifting import list_refused, list_sentences, name_subject
from bench.protocols import OfflineRule
from bench.types import Message

__all__ = ["RULES", "DistillRule"]

_HEADER = Path(__file__).with_name("distill.txt").read_text(encoding="utf-8").split("\n", 1)[0]
_SECTION = re.compile(r"^# (?:Task|Attempt|Outcome)\n", re.MULTILINE)


class DistillRule:
    """Role ``distill`` with ReasoningBank's prompt."""

    role = "distill"
    header = _HEADER

    def reply(self, messages: Sequence[Message]) -> str:
        _, opening, attempt, outcome = _SECTION.split(messages[1].content, maxsplit=3)
        if "did not" in outcome:
            items = [
                {
                    "title": f"Not possible: {action}",
                    "description": "From a task that was not solved.",
                    "content": f'The action "{action}" had no effect.',
                }
                for action in list_refused(attempt)
            ]
        else:
            items = [
                {
                    "title": name_subject(sentence),
                    "description": "From a task that was solved.",
                    "content": sentence,
                }
                for sentence in list_sentences(opening, attempt)
            ]
        return json.dumps({"items": items[:MOST_ITEMS]}, ensure_ascii=False)


RULES: tuple[OfflineRule, ...] = (DistillRule(),)
"""What the offline model knows about this strategy."""
