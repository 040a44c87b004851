"""The memory that keeps everything: its grown text is that of all its events, put together at once."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from baselines.full_history import STRATEGY
from baselines.shared.history import FullHistory
from bench.agents import render
from bench.types import Event, EventKind, Query, Shape

KINDS = (EventKind.GOAL, EventKind.TURN, EventKind.OBSERVATION, EventKind.SESSION_END)


@given(st.lists(st.sampled_from(KINDS), max_size=8), st.integers(-1, 8))
def test_recall_shows_every_event_but_the_current_one(history: Any, kinds: list[EventKind], now: int) -> None:
    events = [
        Event(f"e{i}", kind, "" if kind is EventKind.SESSION_END else f"text {i}", i) for i, kind in enumerate(kinds)
    ]
    memory = FullHistory(history.kit(STRATEGY))
    for event in events:
        memory.observe(event)
    shown = [e for e in events if e.kind in (EventKind.TURN, EventKind.OBSERVATION) and e.ref != f"e{now}"]
    context = memory.recall(Query("now", "goal", 9, Shape.EPISODE, None, f"e{now}"))
    assert context.text == render(shown)
    assert context.refs == tuple(event.ref for event in shown)
