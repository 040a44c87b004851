"""The parts of a solved attempt, one for each of its sub-goals: contiguous, in order, and covering all steps."""

from __future__ import annotations

from dataclasses import dataclass

from bench.replies import JsonNode, ReplyError

__all__ = ["Segment", "read_segments"]


@dataclass(frozen=True, slots=True)
class Segment:
    """The steps ``first`` to ``last``, counted from 1, which reached the sub-goal with a number from 1."""

    subgoal: int
    first: int
    last: int


def read_segments(reply: JsonNode, n_subgoals: int, n_steps: int) -> tuple[Segment, ...]:
    """Return one part for each sub-goal. Raises: ReplyError for parts that leave gaps, overlap or do not fit."""
    parts = reply["parts"] if isinstance(reply.value, dict) else reply
    entries = parts.entries()
    if len(entries) != n_subgoals:
        raise ReplyError(f"parts: expected {n_subgoals}, one for each sub-goal in order, got {len(entries)}")
    found: list[Segment] = []
    for number, entry in enumerate(entries, start=1):
        subgoal = entry["subgoal"].number(number, number) if "subgoal" in entry else number
        first, last = (entry[name].number(1, n_steps) for name in ("first", "last"))
        expected = found[-1].last + 1 if found else 1
        if first != expected:
            problem = "overlap" if first < expected else "leave a gap"
            raise ReplyError(f"{entry.path}.first: expected {expected}, got {first}; the parts {problem}")
        if last < first:
            raise ReplyError(f"{entry.path}.last: expected {first} or more, got {last}")
        found.append(Segment(subgoal, first, last))
    if found[-1].last != n_steps:
        raise ReplyError(f"parts: expected the last one to end with step {n_steps}, got {found[-1].last}")
    return tuple(found)
