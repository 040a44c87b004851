from __future__ import annotations

from typing import Any

from baselines.no_memory import STRATEGY
from bench.types import Context


def test_recall_is_empty_in_both_shapes(history: Any) -> None:
    events = history.episode(("go", "a mug"), ("take", "taken"))
    assert history.memory(STRATEGY, events).recall(history.now(events, 0)) == Context()
    conversation = history.conversation("hello", "hi")
    assert history.memory(STRATEGY, conversation).recall(history.question("who?")) == Context()
