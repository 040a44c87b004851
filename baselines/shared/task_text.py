"""The part of an opening that states the task. Knows no suite."""

from __future__ import annotations

from baselines.shared.units import build_query_text
from bench.types import Query

__all__ = ["find_task"]


def find_task(opening: str) -> str:
    """Return the paragraphs of an opening that name a task or a goal, all of them if none does, as one line."""
    return " ".join(build_query_text(Query("", opening)).split())
