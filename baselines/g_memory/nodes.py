"""The nodes of the graph of tasks: a task, an attempt at it, its neighbors, and the insights that come from it."""

from __future__ import annotations

from dataclasses import dataclass

from baselines.shared.lists import join_numbers, read_numbers
from bench.types import Artifact

__all__ = ["FOLDER", "Node", "name_file", "read_nodes"]

FOLDER = "tasks/"
_SOLVED, _FAILED = "solved", "not solved"
_PARTS = ("# Task\n", "\n\n# Outcome\n", "\n\n# Neighbors\n", "\n\n# Insights\n", "\n\n# Steps\n")


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
        return "".join(f"{heading}{value}" for heading, value in zip(_PARTS, values, strict=True))

    def render(self) -> str:
        """Return it as a prompt shows it."""
        return f"Task ({_SOLVED if self.solved else _FAILED}): {self.task}\n{self.steps}"


def name_file(number: int) -> str:
    """Return the name of a node's file."""
    return f"{FOLDER}{number:04d}.txt"


def read_nodes(artifact: Artifact) -> dict[str, Node]:
    """Return the nodes by the names of their files, in order."""
    found = sorted((name, text) for name, text in artifact.files.items() if name.startswith(FOLDER))
    return {name: _read(text) for name, text in found}


def _read(text: str) -> Node:
    values, rest = list[str](), text.removeprefix(_PARTS[0])
    for heading in _PARTS[1:]:
        value, _, rest = rest.partition(heading)
        values.append(value.strip())
    task, outcome, neighbors, insights = values
    return Node(task, outcome == _SOLVED, rest.strip(), read_numbers(neighbors), read_numbers(insights))
