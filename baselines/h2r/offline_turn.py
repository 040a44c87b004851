"""What the offline model does with H2R's prompts in an episode: sub-goals from a shown unit, signals around acting.

From the messages alone. The planner takes the nearest solved task's sub-goals one after the other, with the words put
in by which the two tasks differ. The executor acts by the suite's own rule, which gets the prompt without the dialect;
the sub-goal stands there among what is only shown to learn from. Knows nothing of any suite or task.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from baselines.h2r.reply import DONE, INVALID
from baselines.shared.extractive import is_refusal
from baselines.shared.lists import read_numbered_lines
from baselines.shared.plain_steps import PlainStep, find_things, lift, read_steps, replace_things, state_task
from bench.agents import CONTEXT_HEADING, EXPERIENCE_HEADING, NOW_HEADING, PRESENT_HEADING
from bench.types import Message

__all__ = ["PlanRule", "SignalDialect"]

_HERE = Path(__file__).parent
_PLAN, _DIALECT = ((_HERE / name).read_text(encoding="utf-8").strip() for name in ("plan.txt", "dialect.txt"))
_UNIT = re.compile(r"Task \(solved\): (?P<task>.+)\nIts sub-goals, in order:\n(?P<subgoals>(?:\d+\. .+\n?)+)")
_SUBGOAL = re.compile(r"(?m)^Subgoal: (?P<text>.+) \(from step (?P<first>\d+)\)(?:\n|$)")
_NOTICE = re.compile(r"(?m)^Notice: .*\n?")
_PATIENCE = 12
"""Actions for one sub-goal after which it is given up."""


class PlanRule:
    """Role ``plan``: the next sub-goal of the nearest unit; the task where there is none left."""

    role = "plan"
    header = _PLAN.split("\n", 1)[0]

    def reply(self, messages: Sequence[Message]) -> str:
        text = messages[1].content
        opening = text.partition("# Task\n")[2].partition("\n\n# ")[0].partition("\n\nSub-goals so far:")[0]
        task = state_task(opening)
        before = read_numbered_lines(text.partition("Sub-goals so far:\n")[2].partition("\n\n")[0])
        units = list(_UNIT.finditer(text))
        if units:  # the nearest stands last
            subgoals = read_numbered_lines(units[-1]["subgoals"])[len(before) :]
            theirs = lift(state_task(units[-1]["task"]))
            if subgoals:
                return f"Subgoal: {replace_things(subgoals[0], theirs, lift(task))}"
        return f"Subgoal: {task}"


@dataclass(frozen=True, slots=True)
class _ActPrompt:
    """The parts of an acting prompt in this dialect."""

    subgoal: str
    steps: tuple[PlainStep, ...]
    """Those taken for the sub-goal."""
    may_signal: bool
    task: str


def _read_prompt(text: str) -> _ActPrompt:
    present = text.rpartition(f"{PRESENT_HEADING}\n")[2] if PRESENT_HEADING in text else text
    found = _SUBGOAL.search(present)
    history = read_steps(present.partition(f"{NOW_HEADING}\n")[0])
    steps = [step for step in history if found and step.number >= int(found["first"])]
    now = text.rpartition(f"{NOW_HEADING}\n")[2].partition(": ")[2]
    if steps and not steps[-1].observation:
        steps[-1].observation = now
    subgoal = found["text"] if found else ""
    return _ActPrompt(subgoal, tuple(steps), not _NOTICE.search(text), text.partition(f"{CONTEXT_HEADING}\n")[0])


class SignalDialect:
    """Role ``act`` in H2R's dialect."""

    role = "act"
    block = _DIALECT

    def reply_with(self, messages: Sequence[Message], ask: Callable[[Sequence[Message]], str]) -> str:
        """Return a signal where one is due, else the suite's action."""
        prompt = _read_prompt(messages[-1].content)
        if prompt.may_signal and (signal := _find_signal(prompt)):
            return f"Signal: {signal}"
        return ask([_strip_dialect(message, prompt.subgoal) for message in messages])


def _find_signal(prompt: _ActPrompt) -> str:
    if not prompt.steps or prompt.subgoal in " ".join(prompt.task.split()):  # the task itself is over when it is won
        return ""
    last, things = prompt.steps[-1], find_things(prompt.subgoal)
    same_verb = last.action.lower().split()[:1] == prompt.subgoal.lower().split()[:1]
    if last.took_effect and same_verb and things <= find_things(lift(last.action)):
        return DONE
    return INVALID if len(prompt.steps) >= _PATIENCE or _is_stuck(prompt.steps) else ""


def _is_stuck(steps: Sequence[PlainStep]) -> bool:
    return len(steps) > 1 and all(is_refusal(step.observation) for step in steps[-2:])


def _strip_dialect(message: Message, subgoal: str) -> Message:
    """Return a message as the suite's rule knows it: the dialect gone, the sub-goal among the experience."""
    if message.role == "system":
        return replace(message, content=message.content.replace(f"\n\n{_DIALECT}", ""))
    text = _NOTICE.sub("", _SUBGOAL.sub("", message.content))
    if not subgoal:
        return replace(message, content=text)
    heading = f"{CONTEXT_HEADING}\n"
    if heading not in text:
        return replace(message, content=text)
    advice = f"{EXPERIENCE_HEADING}\nSub-goal: {subgoal}"
    if f"{heading}{EXPERIENCE_HEADING}\n" in text:
        return replace(message, content=text.replace(f"{heading}{EXPERIENCE_HEADING}", f"{heading}{advice}\n", 1))
    return replace(message, content=text.replace(heading, f"{heading}{advice}\n\n{PRESENT_HEADING}\n", 1))
