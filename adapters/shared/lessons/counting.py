"""How many lines of a context are for teaching, and how many of them the lesson reader makes something of."""

from __future__ import annotations

from adapters.shared.lessons.reader import read_lessons
from adapters.shared.teaching import divide

__all__ = ["count_teaching"]


def count_teaching(context: str, opening: str) -> tuple[int, int]:
    """Return the lines for teaching in a context, and those understood. ``opening``: states the task at hand."""
    divided = divide(context, opening)
    lessons = read_lessons(divided.experience, divided.attempts)
    return lessons.lines, lessons.understood
