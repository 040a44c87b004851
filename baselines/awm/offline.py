"""What the offline model replies to AWM's call: of each solved task its telling actions, with placeholders.

Extractive: the last action of each stretch, without numbers; a word of the task is a placeholder, and so is where a
thing happened to be. It knows English and nothing of any suite or task.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from baselines.shared.extractive import SMALL_WORDS
from baselines.shared.plain_steps import PlainStep, find_things, lift, read_steps, split_steps, state_task
from bench.protocols import OfflineRule
from bench.types import Message

__all__ = ["RULES", "InduceRule"]

_HEADER = Path(__file__).with_name("induce.txt").read_text(encoding="utf-8").split("\n", 1)[0]
_PLACEHOLDERS = ("thing", "place", "other")
_FROM = re.compile(r"\bfrom [\w ]+$")
_WORD = re.compile(r"[^\W\d_]{2,}")


class InduceRule:
    """Role ``distill`` with AWM's prompt."""

    role = "distill"
    header = _HEADER

    def reply(self, messages: Sequence[Message]) -> str:
        found: dict[tuple[str, ...], str] = {}
        for part in messages[1].content.split("# Solved task\n")[1:]:
            task, _, steps_text = part.partition("\n")
            steps = read_steps(steps_text)
            if steps:
                title, workflow = _write_workflow(lift(state_task(task)).rstrip(" ."), steps, task)
                found.setdefault(workflow, title)
        return json.dumps({"workflows": [{"title": title, "steps": steps} for steps, title in found.items()]})


def _write_workflow(goal: str, steps: Sequence[PlainStep], task: str) -> tuple[str, tuple[str, ...]]:
    actions = [lift(steps[end].action) for end in split_steps(task, steps)]
    used = frozenset[str]().union(*map(find_things, actions))
    shared = [
        word for word in _WORD.findall(goal.lower()) if word not in SMALL_WORDS and find_things(f"do {word}") & used
    ]
    names = dict(zip(dict.fromkeys(shared), _PLACEHOLDERS, strict=False))
    return _fill(goal, names), tuple(_FROM.sub("from {somewhere}", _fill(action, names)) for action in actions)


def _fill(text: str, names: dict[str, str]) -> str:
    return _WORD.sub(lambda word: f"{{{names[word[0].lower()]}}}" if word[0].lower() in names else word[0], text)


RULES: tuple[OfflineRule, ...] = (InduceRule(),)
"""What the offline model knows about this strategy."""
