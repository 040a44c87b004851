"""Split policies: which tasks are learned from and which are evaluated. Deterministic, exhaustive and disjoint.

A policy is data: what stays together (a unit), within what the units are shared out (a stratum), and which share of
the tasks is for training. Knows tasks; knows no suite and no strategy.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bench.config import RunConfig
from bench.errors import UsageError, unknown_name
from bench.types import Task

__all__ = [
    "POLICIES",
    "TWO_SPLITS",
    "Policy",
    "Sides",
    "check_policy",
    "choose_side",
    "name_kind",
    "name_spec",
    "rate_twins",
    "split_tasks",
]

TWO_SPLITS = "two-splits"
"""Every task of one split of the suite for training, every task of another for evaluation."""


@dataclass(frozen=True, slots=True)
class Policy:
    """How tasks are shared out."""

    unit: Callable[[Task], str]
    """Tasks with the same value stay on one side."""
    stratum: Callable[[Task], str]
    """Both sides get their share of each value."""
    share: float
    """Of the tasks of a stratum, for training."""
    doc: str


@dataclass(frozen=True, slots=True)
class Sides:
    """The tasks on both sides, each sorted by id."""

    train: tuple[Task, ...]
    test: tuple[Task, ...]


def name_spec(task: Task) -> str:
    """Return the specification of a task; one that is like no other has its own."""
    return task.spec or task.id


def _fixed(_task: Task) -> str:
    return ""


POLICIES: Mapping[str, Policy] = {
    "grouped-by-spec": Policy(name_spec, lambda task: task.group, 0.5, "half of each group; twins on one side"),
    "half-random": Policy(lambda task: task.id, lambda task: task.group, 0.5, "half of each group, as in papers"),
    "by-room": Policy(lambda task: task.room, _fixed, 0.5, "no room on both sides; about half"),
    "by-difficulty": Policy(lambda task: task.difficulty, _fixed, 0.5, "learn from easy tasks, evaluate the others"),
    "seven-three": Policy(name_spec, _fixed, 0.7, "seven of ten for training: for conversations"),
}
_EASY = "easy"
_NEEDS = {"by-room": "room", "by-difficulty": "difficulty"}
"""The field of a task that a policy cannot do without."""


def check_policy(name: str) -> None:
    """Raises: UsageError with the nearest names for a policy that does not exist."""
    if name not in (*POLICIES, TWO_SPLITS):
        raise unknown_name("learn", "a policy", name, (*POLICIES, TWO_SPLITS))


def choose_side(tasks: Sequence[Task], config: RunConfig) -> Sequence[Task]:
    """Return the tasks of a split that a run plays: all without a learning stage, else its side. What leaks officially
    is learned from both sides.

    Raises: UsageError if a side would be empty.
    """
    learn = config.learn
    both = learn is not None and learn.side == "train" and config.leak == "official"
    if learn is None or learn.policy == TWO_SPLITS or both or not tasks:
        return tasks
    sides = split_tasks(tasks, learn.policy, learn.seed)
    return sides.train if learn.side == "train" else sides.test


def split_tasks(tasks: Sequence[Task], policy: str, seed: int = 0) -> Sides:
    """Share tasks out between training and evaluation. Raises: UsageError if a side would be empty."""
    check_policy(policy)
    if (needs := _NEEDS.get(policy)) and not all(getattr(task, needs) for task in tasks):
        raise UsageError(f"learn: expected tasks with a {needs} for policy {policy}, got some without; choose another")
    train = _find_easy(tasks) if policy == "by-difficulty" else _share_out(tasks, POLICIES[policy], f"{policy}|{seed}")
    ordered = sorted(tasks, key=lambda task: task.id)
    sides = Sides(tuple(t for t in ordered if t.id in train), tuple(t for t in ordered if t.id not in train))
    if not sides.train or not sides.test:
        raise UsageError(
            f"learn: expected tasks on both sides, got {len(sides.train)} for training and {len(sides.test)} for "
            f"evaluation under policy {policy}; choose another policy"
        )
    return sides


def _find_easy(tasks: Iterable[Task]) -> set[str]:
    return {task.id for task in tasks if task.difficulty == _EASY}


def _share_out(tasks: Sequence[Task], policy: Policy, salt: str) -> set[str]:
    """Return the ids for training: of each stratum the largest units first, each to the side with more room left."""
    strata: dict[str, dict[str, list[str]]] = {}
    for task in tasks:
        strata.setdefault(policy.stratum(task), {}).setdefault(policy.unit(task), []).append(task.id)
    train: set[str] = set()
    for name in sorted(strata):
        units = strata[name]
        total = sum(map(len, units.values()))
        room = {True: policy.share * total, False: (1 - policy.share) * total}
        for unit in sorted(units, key=lambda unit: (-len(units[unit]), _hash(f"{salt}|{unit}"))):
            # A stratum that cannot be divided evenly gives its odd task to a side by chance.
            first = int(_hash(f"{salt}|odd|{name}"), 16) % 2 == 0
            learned = room[True] > room[False] or (room[True] == room[False] and first)
            room[learned] -= len(units[unit])
            train.update(units[unit] if learned else ())
    return train


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def name_kind(task: Task) -> str:
    """Return the specification of a task with the room left out."""
    return name_spec(task).removesuffix(f"-{task.room}") if task.room else name_spec(task)


def rate_twins(evaluated: Sequence[str], learned: Collection[str]) -> float:
    """Return the share of evaluated tasks, by specification or kind, that have a twin among those learned from."""
    return sum(name in learned for name in evaluated) / len(evaluated) if evaluated else 0.0
