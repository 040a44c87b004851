"""H2R's two kinds of memory units, as records and as text files. A unit names insights by their ids.

What a unit was found in is its file's source; an insight has a file and sources of its own, so that one which comes
from the task at hand is left out wherever it is named.
"""

from __future__ import annotations

from dataclasses import dataclass

from baselines.shared.artifacts import list_files, read_sections, write_sections
from baselines.shared.lists import join_numbers, number_lines, read_numbered_lines, read_numbers
from bench.types import Artifact

__all__ = ["HIGH", "LOW", "HighUnit", "LowUnit", "read_high", "read_low"]

HIGH, LOW = "high/", "low/"
"""The folders of the two kinds."""
_HIGH, _LOW = ("Task", "Sub-goals", "Insights"), ("Sub-goal", "Insights", "Steps")


@dataclass(frozen=True, slots=True)
class HighUnit:
    """A solved task and the sub-goals that it went through, in order: for the planner."""

    task: str
    subgoals: tuple[str, ...]
    insights: tuple[int, ...] = ()
    """Ids."""

    def write(self) -> str:
        """Return it as the text of its file."""
        return write_sections(_HIGH, (self.task, number_lines(self.subgoals), f"{join_numbers(self.insights)}\n"))

    def render(self) -> str:
        """Return it as a prompt shows it, without its insights."""
        return f"Task (solved): {self.task}\nIts sub-goals, in order:\n{number_lines(self.subgoals)}"


@dataclass(frozen=True, slots=True)
class LowUnit:
    """A sub-goal and the steps that reached it: for the executor."""

    subgoal: str
    steps: str
    insights: tuple[int, ...] = ()
    """Ids."""

    def write(self) -> str:
        """Return it as the text of its file."""
        return write_sections(_LOW, (self.subgoal, join_numbers(self.insights), f"{self.steps}\n"))

    def render(self) -> str:
        """Return it as a prompt shows it, without its insights."""
        return f"Sub-goal (reached): {self.subgoal}\n{self.steps}"


def read_high(artifact: Artifact) -> dict[str, HighUnit]:
    """Return the units for the planner by the names of their files, in order."""
    units: dict[str, HighUnit] = {}
    for name, text in list_files(artifact, HIGH).items():
        task, subgoals, ids = read_sections(_HIGH, text)
        units[name] = HighUnit(task.strip(), tuple(read_numbered_lines(subgoals)), read_numbers(ids))
    return units


def read_low(artifact: Artifact) -> dict[str, LowUnit]:
    """Return the units for the executor by the names of their files, in order."""
    units: dict[str, LowUnit] = {}
    for name, text in list_files(artifact, LOW).items():
        subgoal, ids, steps = read_sections(_LOW, text)
        units[name] = LowUnit(subgoal.strip(), steps.strip(), read_numbers(ids))
    return units
