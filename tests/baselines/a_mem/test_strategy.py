"""A-MEM in a trial: the decision's notes, the rules for strategies, a conversation from end to end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adapters.locomo.offline.rules import RULES as LOCOMO_RULES
from adapters.locomo.suite import SUITE as LOCOMO
from baselines.a_mem.offline import RULES
from baselines.a_mem.strategy import STRATEGY
from bench.conformance.rules import check_strategy
from bench.conformance.scripted_trial import Case, perform, reply_in_grammar
from bench.drivers import run_conversation
from bench.embedders.hash import HashEmbedder
from bench.models.offline.reader import OfflineReader
from bench.protocols import Kit, Model, Params, SuiteOptions
from bench.types import EventKind, Limits, Shape, Stimulus
from tests.baselines.a_mem.scribe import FOX, RIVER, Scribe, trial


@pytest.mark.parametrize(
    ("role", "note"),
    [
        ("extract", "undescribed: 2 of 2 notes"),
        ("link", "undecided: 1 of 2 notes may lack links"),
        ("keywords", "unsearched: the question itself was searched with"),
    ],
)
def test_decision_notes_count_replies_unusable_twice(role: str, note: str) -> None:
    run = trial(Scribe(broken=[role]))
    run.tell(FOX, RIVER)
    decision = run.agent.decide(Stimulus(Shape.CONVERSATION, "Who came?", "Who came?", 1))
    assert decision.notes == (note,)
    assert decision.text == "Oslo"
    assert set(decision.context.refs) == {"t0", "t1"}
    tries = run.scribe.find_requests(role)
    assert len(tries) == (4 if role == "extract" else 2)
    assert tries[1].startswith("That reply cannot be used: reply: expected one JSON object")


def test_decision_has_no_notes_without_faults() -> None:
    run = trial()
    run.tell(FOX)
    assert run.agent.decide(Stimulus(Shape.CONVERSATION, "Who came?", "Who came?", 1)).notes == ()


GIVEN = ({}, {"query": "question", "rebuild": "1"}, {"links": "off", "evolution": "off"}, {"k": "1", "neighbors": "1"})


@pytest.mark.parametrize("given", GIVEN)
def test_check_strategy_passes(given: dict[str, str]) -> None:
    assert [result for result in check_strategy(STRATEGY, given) if not result.passed] == []


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("reply", [reply_in_grammar, Scribe()])
def test_extra_recalls_do_not_change_decisions(given: dict[str, str], reply: Any) -> None:
    case = Case(STRATEGY, Params(STRATEGY.params, given), reply)
    for shape in case.shapes:
        alone, peeked = perform(case, shape), perform(replace(case, peek=True), shape)
        assert not peeked.peeks_differ
        assert (alone.error, peeked.error) == (None, None)
        assert len(alone.turns) == len(peeked.turns)
        for once, thrice in zip(alone.turns, peeked.turns, strict=True):
            assert (once.stimulus, once.decision) == (thrice.stimulus, thrice.decision)
            assert once.calls[-1] == thrice.calls[-1]


@pytest.mark.data
def test_locomo_conversation_offline(data_root: Path) -> None:
    suite = LOCOMO.build(SuiteOptions("test", Params(LOCOMO.params), data_root))
    conversation = suite.open(suite.tasks()[0])
    model: Model = OfflineReader((*LOCOMO_RULES, *RULES))
    agent = STRATEGY.build(Kit(model, HashEmbedder(), conversation.frame, params=Params(STRATEGY.params)))
    steps: list[Any] = []
    run_conversation(agent, conversation, Limits(step_cap=0), steps)
    turns = {event.ref for event in conversation.events() if event.kind is EventKind.TURN}
    assert len(steps) == len(conversation.questions())
    assert all(step.decision.notes == () for step in steps)
    assert all(10 <= len(step.decision.context.refs) <= 20 for step in steps)
    assert all(set(step.decision.context.refs) <= turns for step in steps)
    scores = [
        {s.name: s.value for s in conversation.score(q, step.decision.text)}["f1"]
        for q, step in zip(conversation.questions(), steps, strict=True)
    ]
    assert sum(scores) / len(scores) > 0.2
