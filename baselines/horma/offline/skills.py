"""Which skills the offline model can follow, by what a line says about language; it knows no writer of skills.

A line may switch on several. One that switches on nothing has no effect, and is counted. The forms are in
``skills_organise.txt`` and ``skills_navigate.txt``: a name and a pattern a line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from baselines.horma.skills import SKILLS_HEADING

__all__ = ["Followed", "find_skills", "read_skill_lines"]

_NUMBERED = re.compile(r"^\d{1,3}\. (.+)$")


@dataclass(frozen=True, slots=True)
class Followed:
    """What the skill lines of a prompt switch on."""

    names: frozenset[str] = frozenset()
    lines: int = 0
    understood: int = 0
    """Lines that switch on something."""

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def describe(self) -> str:
        """Return how many lines were understood, for the head of a reply; empty if there were none."""
        return f"Skills followed: {self.understood} of {self.lines}." if self.lines else ""


def read_skill_lines(system: str) -> list[str]:
    """Return the skills of a prompt."""
    below = system.partition(f"{SKILLS_HEADING}\n")[2].partition("\n\n")[0]
    return [found[1] for line in below.splitlines() if (found := _NUMBERED.match(line))]


def find_skills(system: str, role: str) -> Followed:
    """Return what the skills of a prompt switch on, of those that a role knows: ``organise`` or ``navigate``."""
    lines = read_skill_lines(system)
    switched = [{name for name, form in _load_forms(role) if form.search(line)} for line in lines]
    return Followed(frozenset().union(*switched), len(lines), sum(map(bool, switched)))


@cache
def _load_forms(role: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    text = Path(__file__).with_name(f"skills_{role}.txt").read_text(encoding="utf-8")
    pairs = (line.partition(": ") for line in text.splitlines() if line.strip())
    return tuple((name, re.compile(form, re.IGNORECASE)) for name, _, form in pairs)
