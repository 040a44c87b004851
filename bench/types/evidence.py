"""What a decision had to rest on. Exported by ``bench.types``."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Evidence"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What of the past one decision had to rest on, and how much of it the memory could still give.

    For the harness alone: no strategy ever sees it.
    """

    needed: tuple[str, ...]
    """Refs: the turns of a question's evidence; in an episode the observations of steps."""
    reached: tuple[str, ...] = ()
    """Those of the needed that were within the memory's reach when it decided, or recalled."""
    facts: tuple[tuple[str, ...], ...] = ()
    """Episode: for each needed fact the names that stand on one line of a context that holds it."""
    missed: bool | None = None
    """Episode: the decision was not what the needed facts call for. None for a question, which is scored."""
