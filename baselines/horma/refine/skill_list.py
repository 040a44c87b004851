"""The skill list: numbered lines with their origin, which a model changes by operations that are checked one by one.

Source: HORMA (arXiv 2606.11680), the skills of a manager's prompt. Ids, checks, cap and log are ours. An operation
names a skill by its id. Each call is one line of an append-only log, and playing the log again gives the same list.
A skill is one file, so that the harness can leave out those that come from the task at hand or its twins alone.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from baselines.horma.refine.changes import (
    MOST_CHARS,
    MOST_OPERATIONS,
    Cause,
    Kind,
    Operation,
    Origin,
    Reader,
    Rejection,
    Skill,
)
from baselines.horma.refine.likeness import Likeness, compare
from baselines.horma.skills import FOLDER
from bench.types import Artifact

__all__ = ["SkillList", "write_skills"]


class SkillList:
    """Skills in the order of their ids, at most ``cap``."""

    def __init__(self, cap: int):
        self.cap = cap
        self._skills: dict[int, Skill] = {}
        self._next_id = 1
        self._round = 0
        self._log: list[str] = [json.dumps({"cap": cap})]
        self.rejected: Counter[Rejection] = Counter()
        """How much was not applied, by reason."""

    @property
    def skills(self) -> tuple[Skill, ...]:
        return tuple(self._skills.values())

    @property
    def is_full(self) -> bool:
        return len(self._skills) >= self.cap

    @property
    def log(self) -> str:
        """The calls so far, a line of JSON each, below one with the cap."""
        return "\n".join(self._log) + "\n"

    def render(self) -> str:
        """Return the skills as the augmentation prompt shows them, a line each."""
        lines = (f"#{one.id} {one.reader}: {one.text} ({_describe(one)})" for one in self._skills.values())
        return "\n".join(lines) or "(none)"

    def apply(
        self,
        operations: Iterable[Operation],
        causes: Sequence[Cause],
        rejected: Mapping[Rejection, int] | None = None,
    ) -> int:
        """Apply what one call asks for, round by round; return how many operations were applied.

        ``causes``: of the feedbacks that it was shown. What cannot be applied is counted, with ``rejected``, which the
        reader of the reply refused.
        """
        self._round += 1
        refused, applied, done = Counter(rejected or {}), list[Operation](), set[int]()
        order = list(Kind)
        for operation in sorted(operations, key=lambda one: order.index(one.kind)):
            fault = Rejection.TOO_MANY if len(applied) >= MOST_OPERATIONS else self._find_fault(operation, done)
            if fault:
                refused[fault] += 1
                continue
            known = tuple(number for number in operation.causes if 1 <= number <= len(causes))
            refused[Rejection.UNKNOWN_FEEDBACK] += len(operation.causes) - len(known)
            applied.append(replace(operation, causes=known))
            self._change(applied[-1], [causes[number - 1] for number in known] or causes)
            done |= {operation.id} if operation.id else set()
        refused = +refused
        self.rejected.update(refused)
        entry = {
            "causes": [[one.origin, one.task] for one in causes],
            "applied": [asdict(one) for one in applied],
            "rejected": {str(reason): count for reason, count in sorted(refused.items())},
        }
        self._log.append(json.dumps(entry, ensure_ascii=False))
        return len(applied)

    def _find_fault(self, operation: Operation, done: set[int]) -> Rejection | None:
        if operation.kind is not Kind.ADD:
            if operation.id in done:
                return Rejection.SECOND_ON_ID
            if operation.id not in self._skills:
                return Rejection.UNKNOWN_ID
        if operation.kind is Kind.REMOVE:
            return None
        if not any(char.isalnum() for char in operation.text):
            return Rejection.EMPTY_TEXT
        if len(operation.text) > MOST_CHARS:
            return Rejection.TOO_LONG
        return self._find_clash(operation) or (Rejection.FULL if operation.kind is Kind.ADD and self.is_full else None)

    def _find_clash(self, operation: Operation) -> Rejection | None:
        """Return whether a text says what another skill says, or the opposite, to the same reader."""
        old = self._skills.get(operation.id) if operation.kind is Kind.EDIT else None
        reader = old.reader if old else operation.reader
        others = (one for one in self._skills.values() if one is not old and one.reader is reader)
        found = {compare(operation.text, one.text) for one in others}
        if Likeness.SAME in found or (old and old.text == operation.text):
            return Rejection.DUPLICATE
        return Rejection.CONTRADICTION if Likeness.OPPOSITE in found else None

    def _change(self, operation: Operation, causes: Sequence[Cause]) -> None:
        """Apply an operation that can be applied."""
        if operation.kind is Kind.ADD:
            made = Skill(self._next_id, operation.text, operation.reader, *_join(causes), self._round)
            self._skills[made.id] = made
            self._next_id += 1
        elif operation.kind is Kind.REMOVE:
            del self._skills[operation.id]
        else:
            old = self._skills[operation.id]
            before = [Cause(origin, task) for origin in old.origins for task in old.tasks]
            origins, tasks = _join([*before, *causes])
            self._skills[old.id] = replace(old, text=operation.text, origins=origins, tasks=tasks, round=self._round)

    @classmethod
    def replay(cls, log: str) -> SkillList:
        """Return the list that a log describes. Raises: ValueError for a text that is no log."""
        try:
            first, *calls = map(json.loads, log.rstrip("\n").split("\n"))
            made = cls(int(first["cap"]))
            for call in calls:
                operations = [_read_operation(one) for one in call["applied"]]
                causes = [Cause(Origin(origin), str(task)) for origin, task in call["causes"]]
                made.apply(operations, causes, {Rejection(reason): n for reason, n in call["rejected"].items()})
        except (ValueError, KeyError, TypeError) as cause:
            raise ValueError(f"skills: expected a log of operations, got an error ({cause}); learn it again") from cause
        return made


def write_skills(skills: Iterable[Skill]) -> Artifact:
    """Return one file for each skill, in order, as ``baselines.horma.skills`` reads them."""
    named = {f"{FOLDER}/{one.reader}/{one.id:04d}.txt": one for one in skills}
    return Artifact(
        {name: f"{one.text}\n" for name, one in named.items()}, {name: one.tasks for name, one in named.items()}
    )


def _read_operation(given: Mapping[str, Any]) -> Operation:
    causes = tuple(map(int, given["causes"]))
    return Operation(Kind(given["kind"]), int(given["id"]), str(given["text"]), Reader(given["reader"]), causes)


def _join(causes: Iterable[Cause]) -> tuple[tuple[Origin, ...], tuple[str, ...]]:
    """Return the origins and the tasks of causes, each once and sorted."""
    found = list(causes)
    return tuple(sorted({one.origin for one in found})), tuple(sorted({one.task for one in found}))


def _describe(skill: Skill) -> str:
    tasks = "1 task" if len(skill.tasks) == 1 else f"{len(skill.tasks)} tasks"
    return f"{'+'.join(skill.origins)}, {tasks}, round {skill.round}"
