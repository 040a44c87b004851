"""The nodes of the graph of tasks: a task, an attempt at it, its neighbors, and the insights that come from it."""

from __future__ import annotations

from dataclasses import dataclass

from baselines.shared.artifacts import list_files, read_sections, write_sections
from baselines.shared.lists import join_numbers, read_numbers
from bench.types import Artifact

__all__ = ["FOLDER", "Node", "read_nodes"]

FOLDER = "tasks/"
_SOLVED, _FAILED = "solved", "not solved"
_SECTIONS = ("Task", "Outcome", "Neighbors", "Insights", "Steps")


@dataclass(frozen=True, slots=True)
class Node:
    """One task; ``neighbors`` are numbers of other nodes, the nearest first, ``insights`` are ids."""

    task: str
    solved: bool
    steps: str
    neighbors: tuple[int, ...] = ()
    insights: tuple[int, ...] = ()

    def write(self) -> str:
        """Return it as the text of its file."""
        outcome = _SOLVED if self.solved else _FAILED
        values = (self.task, outcome, join_numbers(self.neighbors), join_numbers(self.insights), f"{self.steps}\n")
        return write_sections(_SECTIONS, values)

    def render(self) -> str:
        """Return it as a prompt shows it."""
        return f"Task ({_SOLVED if self.solved else _FAILED}): {self.task}\n{self.steps}"


def read_nodes(artifact: Artifact) -> dict[str, Node]:
    """Return the nodes by the names of their files, in order."""
    return {name: _read(text) for name, text in list_files(artifact, FOLDER).items()}


def _read(text: str) -> Node:
    task, outcome, neighbors, insights, steps = map(str.strip, read_sections(_SECTIONS, text))
    return Node(task, outcome == _SOLVED, steps, read_numbers(neighbors), read_numbers(insights))
