"""Skills: what a manager or a navigator learned to watch for, as numbered lines in its prompt.

An artifact holds them as text files, one skill a line: ``skills/organise/*.txt`` for the manager,
``skills/navigate/*.txt`` for the navigator, and right below ``skills/`` for both.
"""

from __future__ import annotations

import re

from baselines.shared.lists import number_lines
from bench.types import Artifact

__all__ = ["FOLDER", "SKILLS_HEADING", "read_skills", "render_skills"]

FOLDER = "skills"
SKILLS_HEADING = "Skills, learned from earlier work; they go before the rest where they differ:"
_NUMBER = re.compile(r"^(?:\d{1,3}[.)]|[-*])\s+")


def read_skills(artifact: Artifact, role: str) -> tuple[str, ...]:
    """Return the skills of an artifact for a role, ``organise`` or ``navigate``, in the order of the files' names."""
    folders = (FOLDER, f"{FOLDER}/{role}")
    names = (name for name in sorted(artifact.files) if name.endswith(".txt") and name.rpartition("/")[0] in folders)
    texts = (artifact.files[name] for name in names)
    lines = (_NUMBER.sub("", line.strip()) for text in texts for line in text.splitlines())
    return tuple(dict.fromkeys(filter(None, lines)))


def render_skills(skills: tuple[str, ...]) -> str:
    """Return the skills as a prompt shows them; empty for none."""
    return f"{SKILLS_HEADING}\n{number_lines(skills)}" if skills else ""
