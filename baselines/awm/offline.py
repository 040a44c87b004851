"""What the offline model replies to AWM's call: of each solved task its telling actions, with placeholders.

Extractive: the last action of each stretch, without numbers; a word of the task is a placeholder, and so is where a
thing happened to be. It knows English and nothing of any suite or task.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from baselines.shared.plain_steps import generalise, read_steps, split_steps
from bench.protocols import OfflineRule
from bench.types import Message

__all__ = ["RULES", "InduceRule"]

_HEADER = Path(__file__).with_name("induce.txt").read_text(encoding="utf-8").split("\n", 1)[0]


class InduceRule:
    """Role ``distill`` with AWM's prompt."""

    role = "distill"
    header = _HEADER

    def reply(self, messages: Sequence[Message]) -> str:
        found: dict[tuple[str, ...], str] = {}
        for part in messages[1].content.split("# Solved task\n")[1:]:
            task, _, steps_text = part.partition("\n")
            if steps := read_steps(steps_text):
                actions = [steps[end].action for end in split_steps(task, steps)]
                title, workflow = generalise(task, actions, "{{{}}}")
                found.setdefault(workflow, title)
        return json.dumps({"workflows": [{"title": title, "steps": steps} for steps, title in found.items()]})


RULES: tuple[OfflineRule, ...] = (InduceRule(),)
"""What the offline model knows about this strategy."""
