"""H2R's two kinds of memory units, as records and as text files. A unit names insights by their ids.

What a unit was found in is its file's source; an insight has a file and sources of its own, so that one which comes
from the task at hand is left out wherever it is named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bench.types import Artifact

__all__ = ["HIGH", "LOW", "HighUnit", "LowUnit", "read_high", "read_low", "render_high", "render_low"]

HIGH, LOW = "high/", "low/"
"""The folders of the two kinds."""
_TASK, _SUBGOAL, _SUBGOALS, _INSIGHTS, _STEPS = (
    "# Task\n",
    "# Sub-goal\n",
    "\n\n# Sub-goals\n",
    "\n\n# Insights\n",
    "\n\n# Steps\n",
)
_NUMBERED = re.compile(r"\d+\. (?P<text>.+)")


@dataclass(frozen=True, slots=True)
class HighUnit:
    """A solved task and the sub-goals that it went through, in order: for the planner."""

    task: str
    subgoals: tuple[str, ...]
    insights: tuple[int, ...] = ()
    """Ids."""

    def write(self) -> str:
        """Return it as the text of its file."""
        return f"{_TASK}{self.task}{_SUBGOALS}{_number(self.subgoals)}{_INSIGHTS}{_join(self.insights)}\n"


@dataclass(frozen=True, slots=True)
class LowUnit:
    """A sub-goal and the steps that reached it: for the executor."""

    subgoal: str
    steps: str
    insights: tuple[int, ...] = ()
    """Ids."""

    def write(self) -> str:
        """Return it as the text of its file."""
        return f"{_SUBGOAL}{self.subgoal}{_INSIGHTS}{_join(self.insights)}{_STEPS}{self.steps}\n"


def _number(texts: tuple[str, ...]) -> str:
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, start=1))


def _join(ids: tuple[int, ...]) -> str:
    return ", ".join(map(str, ids)) or "none"


def _read_ids(text: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", text)))


def read_high(artifact: Artifact) -> dict[str, HighUnit]:
    """Return the units for the planner by the names of their files, in order."""
    units: dict[str, HighUnit] = {}
    for name, text in _list_files(artifact, HIGH):
        task, _, rest = text.removeprefix(_TASK).partition(_SUBGOALS)
        subgoals, _, ids = rest.partition(_INSIGHTS)
        found = (match["text"] for match in map(_NUMBERED.fullmatch, subgoals.splitlines()) if match)
        units[name] = HighUnit(task.strip(), tuple(found), _read_ids(ids))
    return units


def read_low(artifact: Artifact) -> dict[str, LowUnit]:
    """Return the units for the executor by the names of their files, in order."""
    units: dict[str, LowUnit] = {}
    for name, text in _list_files(artifact, LOW):
        subgoal, _, rest = text.removeprefix(_SUBGOAL).partition(_INSIGHTS)
        ids, _, steps = rest.partition(_STEPS)
        units[name] = LowUnit(subgoal.strip(), steps.strip(), _read_ids(ids))
    return units


def _list_files(artifact: Artifact, folder: str) -> list[tuple[str, str]]:
    return sorted((name, text) for name, text in artifact.files.items() if name.startswith(folder))


def render_high(unit: HighUnit, insights: Mapping[int, str]) -> str:
    """Return a unit as the planner's prompt shows it; ``insights``: the texts that are at hand, by id."""
    parts = (f"Task (solved): {unit.task}", "Its sub-goals, in order:", _number(unit.subgoals))
    return "\n".join([*parts, *_list_insights(unit.insights, insights)])


def render_low(unit: LowUnit, insights: Mapping[int, str]) -> str:
    """Return a unit as the executor's prompt shows it."""
    return "\n".join([f"Sub-goal (reached): {unit.subgoal}", unit.steps, *_list_insights(unit.insights, insights)])


def _list_insights(ids: tuple[int, ...], insights: Mapping[int, str]) -> list[str]:
    return [f"Insight: {insights[one]}" for one in ids if one in insights]
