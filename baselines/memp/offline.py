"""What the offline model replies to MemP's calls: the telling actions in order, and what a failed attempt was refused.

Extractive: the last action of each stretch, without numbers. It knows English and nothing of any suite or task.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from baselines.shared.lists import read_numbered_lines
from baselines.shared.plain_steps import lift, read_steps, split_steps
from bench.protocols import OfflineRule
from bench.types import Message

__all__ = ["RULES", "CorrectRule", "ScriptRule"]

_HERE = Path(__file__).parent


def _read_header(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8").split("\n", 1)[0]


class ScriptRule:
    """Role ``distill`` with MemP's prompt."""

    role = "distill"
    header = _read_header("script.txt")

    def reply(self, messages: Sequence[Message]) -> str:
        task, _, text = messages[1].content.partition("\n\n# Steps (solved)\n")
        steps = read_steps(text)
        return json.dumps({"script": [lift(steps[end].action) for end in split_steps(task, steps)]})


class CorrectRule:
    """Role ``update`` with MemP's prompt: the script, and the first refused action that it does not ask for."""

    role = "update"
    header = _read_header("correct.txt")

    def reply(self, messages: Sequence[Message]) -> str:
        above, _, failed = messages[1].content.partition("\n\n# Steps (not solved)\n")
        script = read_numbered_lines(above.partition("# Script\n")[2])
        refused = (lift(step.action) for step in read_steps(failed) if not step.took_effect)
        wrong = next((action for action in refused if action and action not in script), "")
        return json.dumps({"script": [*script, *([f"To {wrong} had no effect."] if wrong else [])]})


RULES: tuple[OfflineRule, ...] = (ScriptRule(), CorrectRule())
"""What the offline model knows about this strategy."""
