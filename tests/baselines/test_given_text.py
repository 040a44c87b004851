from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from baselines.full_history import STRATEGY as FULL_HISTORY
from baselines.given_text import STRATEGY
from bench.errors import StrategyError

GIVEN = (("long", "First look.\nThen act."), ("short", "Look, act."))


def offer(history: Any, given: tuple[tuple[str, str], ...] = GIVEN, **params: str) -> Any:
    kit = history.kit(STRATEGY, params)
    return replace(kit, frame=replace(kit.frame, given=given))


def test_recall_shows_the_named_text_above_the_history(history: Any) -> None:
    events = history.episode(("go to shelf 1", "a mug 1"), ("take mug 1", "taken"))
    memory = STRATEGY.build(offer(history, text="short")).memory
    assert memory.recall(history.now(events[:1])).text == "## Given for tasks of this kind\nLook, act."
    history.feed(memory, events)
    context = memory.recall(history.now(events))
    assert context.text == (
        "## Given for tasks of this kind\nLook, act.\n\n## This task so far\n"
        "[1] Action: go to shelf 1\n[1] Observation: a mug 1\n[2] Action: take mug 1"
    )
    assert context.refs == ("a1", "o1", "a2")


def test_first_text_is_shown_where_none_is_named(history: Any) -> None:
    assert "First look." in STRATEGY.build(offer(history)).memory.recall(history.now(history.episode())).text


def test_suite_without_texts_leaves_the_full_history(history: Any) -> None:
    events = history.episode(("go", "a mug"))
    ours, full = (history.memory(one, events).recall(history.now(events)) for one in (STRATEGY, FULL_HISTORY))
    assert ours == full


def test_unknown_text_is_a_strategy_error_that_names_the_known_ones(history: Any) -> None:
    with pytest.raises(StrategyError, match=r"offers \(long, short\), got text=full"):
        STRATEGY.build(offer(history, text="full"))
    with pytest.raises(StrategyError, match=r"offers \(none\)"):
        STRATEGY.build(offer(history, (), text="full"))
