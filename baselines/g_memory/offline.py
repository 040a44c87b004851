"""What the offline model replies to G-Memory's calls: lifted advice of solved attempts, and a vote against doubles.

Extractive: the actions that end the stretches of an attempt, without numbers. It knows English and nothing of any suite
or task.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from baselines.shared.insight_calls import INSIGHTS_HEADING, list_shown
from baselines.shared.plain_steps import find_things, generalise, read_steps, split_steps
from bench.protocols import OfflineRule
from bench.types import Message

__all__ = ["RULES", "MergeRule", "ReflectRule"]

_HERE = Path(__file__).parent
_MOST = 4


def _read_header(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8").split("\n", 1)[0]


def _read_insights(text: str) -> list[tuple[int, str]]:
    return [*list_shown(text.partition(INSIGHTS_HEADING)[2]).items()]


class ReflectRule:
    """Role ``insight`` over some tasks: the order of what solved each."""

    role = "insight"
    header = _read_header("reflect.txt")

    def reply(self, messages: Sequence[Message]) -> str:
        text = messages[1].content
        known = {advice: number for number, advice in _read_insights(text)}
        found: list[dict[str, Any]] = []
        for part in text.partition(f"\n\n{INSIGHTS_HEADING}")[0].split("# Attempt (solved)\nTask: ")[1:]:
            task, _, rest = part.partition("\n")
            steps = read_steps(rest.partition("\n\n# ")[0])
            aim, actions = generalise(task, [steps[end].action for end in split_steps(task, steps)])
            advice = f"For a task such as '{aim}': {', then '.join(actions)}."
            found.append({"op": "upvote", "id": known[advice]} if advice in known else {"op": "add", "text": advice})
        distinct = [one for place, one in enumerate(found) if one not in found[:place]]
        return json.dumps({"operations": distinct[:_MOST]})


class MergeRule:
    """Role ``insight`` over the list: of insights that speak of the same, the later ones are voted against."""

    role = "insight"
    header = _read_header("merge.txt")

    def reply(self, messages: Sequence[Message]) -> str:
        seen: set[frozenset[str]] = set()
        doubles = list[int]()
        for number, advice in _read_insights(messages[1].content):
            things = find_things(advice)
            doubles += [number] * (things in seen)
            seen.add(things)
        return json.dumps({"operations": [{"op": "downvote", "id": number} for number in doubles[:_MOST]]})


RULES: tuple[OfflineRule, ...] = (ReflectRule(), MergeRule())
"""What the offline model knows about this strategy."""
