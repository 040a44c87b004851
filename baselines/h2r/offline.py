"""What the offline model replies to H2R's calls in learning: sub-goals, parts, insights, choices. By plain rules.

Extractive, from the messages alone: a sub-goal is the last action of its stretch without numbers, a part ends where its
sub-goal's action took effect, an insight joins such actions. It knows English and nothing of any suite or task.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from baselines.h2r.offline_turn import PlanRule, SignalDialect
from baselines.shared.insight_calls import INSIGHTS_HEADING, list_shown
from baselines.shared.lists import read_numbered_lines
from baselines.shared.plain_steps import PlainStep, find_things, generalise, lift, read_steps, split_steps, state_task
from bench.protocols import OfflineDialect, OfflineRule
from bench.types import Message

__all__ = ["RULES", "GroundRule", "HighInsightRule", "InferRule", "LowInsightRule", "SegmentRule"]

_HERE = Path(__file__).parent
_MOST_CHOSEN, _SHARED_WORDS = 3, 2


def _read_header(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8").split("\n", 1)[0]


def _read_section(text: str, heading: str) -> str:
    """Return what stands below a heading, up to the next one."""
    return text.partition(f"{heading}\n")[2].partition("\n\n# ")[0]


class InferRule:
    """Role ``infer``: the actions that end the stretches of an attempt."""

    role = "infer"
    header = _read_header("infer.txt")

    def reply(self, messages: Sequence[Message]) -> str:
        task, _, attempt = messages[1].content.partition("\n\n# Attempt (")
        steps = read_steps(attempt)
        names = [lift(steps[end].action) for end in split_steps(task, steps)]
        return json.dumps({"subgoals": names or [state_task(task)]})


class SegmentRule:
    """Role ``segment``: each part ends with the first action that is its sub-goal; the last with the attempt."""

    role = "segment"
    header = _read_header("segment.txt")

    def reply(self, messages: Sequence[Message]) -> str:
        text = messages[1].content
        subgoals = read_numbered_lines(_read_section(text, "# Sub-goals"))
        steps = read_steps(text.partition("\n\n# Attempt (")[2])
        parts, first = [], 1
        for number, subgoal in enumerate(subgoals, start=1):
            last = len(steps) if number == len(subgoals) else _find_end(steps, first, subgoal)
            parts.append({"subgoal": number, "first": first, "last": last})
            first = last + 1
        return json.dumps({"parts": parts})


def _find_end(steps: Sequence[PlainStep], first: int, subgoal: str) -> int:
    """Return the number of the step that reached a sub-goal; of the first one where none did."""
    later = enumerate(steps[first - 1 :], start=first)
    return next((at for at, step in later if step.took_effect and lift(step.action) == subgoal), first)


class HighInsightRule:
    """Role ``insight`` for plans: the order of the sub-goals that solved the task."""

    role = "insight"
    header = _read_header("insight_high.txt")

    def reply(self, messages: Sequence[Message]) -> str:
        text = messages[1].content
        subgoals = read_numbered_lines(_read_section(text, "# Its sub-goals"))
        aim, order = generalise(_read_section(text, "# Task"), subgoals)
        return _write_operations(text, [f"For a task such as '{aim}': {', then '.join(order)}."])


class LowInsightRule:
    """Role ``insight`` for actions: what came right before the last action of a part, and what was refused."""

    role = "insight"
    header = _read_header("insight_low.txt")

    def reply(self, messages: Sequence[Message]) -> str:
        text = messages[1].content
        worked = [step for step in read_steps(_read_section(text, "# Its steps (reached)")) if step.took_effect]
        failed = read_steps(text.partition("\n\n# Attempt (not solved)\n")[2].partition(f"\n\n{INSIGHTS_HEADING}")[0])
        advice = []
        if len(worked) > 1:
            advice.append(f"To {lift(worked[-1].action)}, first {lift(worked[-2].action)}.")
        advice += [f"To {lift(step.action)} had no effect." for step in _find_refused(worked[-1:], failed)]
        return _write_operations(text, advice)


def _find_refused(worked: Sequence[PlainStep], failed: Iterable[PlainStep]) -> Iterator[PlainStep]:
    """Yield the first action of a failed attempt that was refused and has the verb of the one that worked."""
    for step in failed:
        if worked and not step.took_effect and step.action.split()[:1] == worked[0].action.split()[:1]:
            if lift(step.action) != lift(worked[0].action):
                yield step
            return


def _write_operations(text: str, advice: Iterable[str]) -> str:
    """Return an upvote for each sentence that the list holds already, an addition for the others."""
    known = {one: number for number, one in list_shown(text.partition(INSIGHTS_HEADING)[2]).items()}
    found = [{"op": "upvote", "id": known[one]} if one in known else {"op": "add", "text": one} for one in advice]
    return json.dumps({"operations": found})


class GroundRule:
    """Role ``ground``: the insights that share the most words with the piece."""

    role = "ground"
    header = _read_header("ground.txt")

    def reply(self, messages: Sequence[Message]) -> str:
        piece, _, insights = messages[1].content.partition("\n# Insights\n")
        words = find_things(f"do {piece}")
        shared = [(-len(words & find_things(f"do {one}")), number) for number, one in list_shown(insights).items()]
        chosen = [one for n, one in sorted(shared) if -n >= _SHARED_WORDS]
        return json.dumps({"insights": sorted(chosen[:_MOST_CHOSEN])})


RULES: tuple[OfflineRule | OfflineDialect, ...] = (
    InferRule(),
    SegmentRule(),
    HighInsightRule(),
    LowInsightRule(),
    GroundRule(),
    PlanRule(),
    SignalDialect(),
)
"""What the offline model knows about this strategy."""
