from __future__ import annotations

from typing import Any

import pytest

from baselines.full_history import STRATEGY
from bench.errors import StrategyError
from bench.types import Event, EventKind, Shape, Stimulus


def test_recall_shows_everything_but_goal_and_current_observation(history: Any) -> None:
    events = history.episode(("go to shelf 1", "a mug 1"), ("take mug 1", "taken"))
    events.insert(3, Event("n1", EventKind.NOTE, "mugs are on shelves", 1))
    context = history.memory(STRATEGY, events).recall(history.now(events))
    assert context.text == (
        "[1] Action: go to shelf 1\n[1] Observation: a mug 1\n[1] Note: mugs are on shelves\n[2] Action: take mug 1"
    )
    assert context.refs == ("a1", "o1", "n1", "a2")
    assert not context.truncated


def test_recall_shows_every_turn_with_its_date(history: Any) -> None:
    conversation = history.conversation("I moved to Oslo", "Nice", "It rains")
    context = history.memory(STRATEGY, conversation).recall(history.question("where?"))
    assert context.text == "[1 May] Ann: I moved to Oslo\n[1 May] Bob: Nice\n[2 May] Ann: It rains"
    assert context.refs == ("t0", "t1", "t2")


@pytest.mark.parametrize(("budget", "fits"), [(7, True), (6, False)])
def test_recall_ignores_the_budget(history: Any, budget: int, fits: bool) -> None:
    events = history.episode(("go", "a mug"), ("take", "taken"))  # 3 + 4 words, then 3 words of the newest action
    agent = STRATEGY.build(history.kit(STRATEGY, budget=budget))
    history.feed(agent.memory, events[:3])
    history.feed(agent.memory, [Event("n", EventKind.NOTE, "", 1)])
    stimulus = Stimulus(Shape.EPISODE, "a mug", history.goal, 2, "none")
    if not fits:
        with pytest.raises(StrategyError, match="at most 6 context tokens, got"):
            agent.decide(stimulus)
        return
    with pytest.raises(StrategyError, match="got 9"):
        agent.decide(stimulus)
    assert agent.decide(Stimulus(Shape.EPISODE, "a mug", history.goal, 2, "o1")).context.refs == ("a1", "n")
