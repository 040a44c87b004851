from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adapters.locomo.suite import SUITE
from baselines.always_refuse import ANSWER, STRATEGY
from bench.conformance.rules import check_strategy
from bench.drivers import run_conversation
from bench.protocols import Params, SuiteOptions
from bench.types import Context, EndReason, Limits, Shape, Step, Stimulus


def test_check_strategy_passes() -> None:
    assert [result for result in check_strategy(STRATEGY) if not result.passed] == []


def test_strategy_serves_conversations_and_calls_no_model() -> None:
    assert STRATEGY.serves == {Shape.CONVERSATION}


def test_decide_returns_the_refusal_for_every_question(history: Any) -> None:
    agent = STRATEGY.build(history.kit(STRATEGY))
    history.feed(agent.memory, history.conversation("I moved to Oslo", "My dog is ill"))
    for text in ("Where does Ann live?", ""):
        decision = agent.decide(Stimulus(Shape.CONVERSATION, text, text, 1))
        assert (decision.text, decision.context) == (ANSWER, Context())
    assert agent.memory.recall(history.question("Oslo")) == Context()


@pytest.mark.data
def test_refusal_scores_446_questions_by_the_official_rule(history: Any, data_root: Path) -> None:
    suite = SUITE.build(SuiteOptions("all", Params(SUITE.params), data_root))
    scores: dict[str, list[float]] = {"adversarial": [], "success": []}
    for task in suite.tasks():
        conversation, steps = suite.open(task), list[Step]()
        assert (
            run_conversation(STRATEGY.build(history.kit(STRATEGY)), conversation, Limits(), steps) is EndReason.ANSWERED
        )
        for question, step in zip(conversation.questions(), steps, strict=True):
            for score in conversation.score(question, step.decision.text):
                if score.name in scores and score.value is not None:
                    scores[score.name].append(score.value)
    assert scores["adversarial"] == [1.0] * 446
    assert len(scores["success"]) == 1540
    assert sum(map(bool, scores["success"])) == 13, "golds that hold the word not"
    assert sum(scores["success"]) < 3
