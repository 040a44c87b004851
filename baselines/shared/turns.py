"""Turns: an action with its observation, shown or left out as one, so that no outcome stands without its cause."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bench.types import Event, EventKind

__all__ = ["LEFT_OUT", "split_turns"]

LEFT_OUT = "Notice: older parts are left out."
"""What a context says where it does not show all that a strategy keeps."""


def split_turns(events: Iterable[Event]) -> list[Sequence[Event]]:
    """Return the events in order, those of one step together; a turn of a conversation stands alone."""
    turns: list[list[Event]] = []
    for event in events:
        last = turns[-1][-1] if turns else None
        if last and last.step == event.step and EventKind.TURN not in (last.kind, event.kind):
            turns[-1].append(event)
        else:
            turns.append([event])
    return list[Sequence[Event]](turns)
