"""The files' reader in a trial: the decision's notes, the rules for strategies, a conversation from end to end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adapters.locomo.offline.rules import RULES as LOCOMO_RULES
from adapters.locomo.suite import SUITE as LOCOMO
from baselines.files_grep.memory import MOST_ROUNDS, FilesMemory
from baselines.files_grep.offline import RULES
from baselines.files_grep.strategy import STRATEGY
from bench.conformance.rules import check_strategy
from bench.conformance.scripted_trial import Case, perform, reply_in_grammar
from bench.drivers import run_conversation
from bench.embedders.hash import HashEmbedder
from bench.errors import UsageError
from bench.models.offline.reader import OfflineReader
from bench.protocols import Kit, Model, Params, SuiteOptions
from bench.types import Limits, Shape, Stimulus
from tests.baselines.files_grep.searcher import Searcher, agent, build_filled


def test_search_asks_again_after_one_reply_that_is_no_command() -> None:
    searcher = Searcher(("Let me look.", "grep Oslo"))
    built = build_filled(searcher)
    decision = built.decide(Stimulus(Shape.CONVERSATION, "Where?", "Where?", 1))
    assert searcher.results[0].startswith(
        "That is no command: expected grep WORDS, read FILE FROM TO, list or done, got"
    )
    assert (decision.text, decision.notes, decision.context.refs) == ("Oslo", (), ("t3", "t4"))


def test_search_ends_after_the_second_reply_that_is_no_command() -> None:
    searcher = Searcher(("grep Oslo", "Hm.", "Let me think.", "grep bowl"))
    decision = build_filled(searcher).decide(Stimulus(Shape.CONVERSATION, "Where?", "Where?", 1))
    assert decision.context.refs == ("t3", "t4")
    assert decision.notes == ('unreadable: expected grep WORDS, read FILE FROM TO, list or done, got "Let me think."',)


def test_too_many_rounds_are_a_usage_error() -> None:
    with pytest.raises(UsageError, match=f"expected rounds <= {MOST_ROUNDS}, got {MOST_ROUNDS + 1}"):
        agent(Searcher(), rounds=str(MOST_ROUNDS + 1))
    assert STRATEGY.inner_calls == MOST_ROUNDS + 2


GIVEN = ({}, {"rounds": "1"}, {"lines": "1", "chars": "20"}, {"rounds": "0"})


@pytest.mark.parametrize("given", GIVEN)
def test_check_strategy_passes(given: dict[str, str]) -> None:
    assert [result for result in check_strategy(STRATEGY, given) if not result.passed] == []


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize(
    "reply", [reply_in_grammar, lambda _messages, role: "grep oslo" if role == "navigate" else "Action: x"]
)
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
    built = STRATEGY.build(Kit(model, HashEmbedder(), conversation.frame, params=Params(STRATEGY.params)))
    steps: list[Any] = []
    run_conversation(built, conversation, Limits(step_cap=0), steps)
    assert isinstance(built.memory, FilesMemory)
    assert len(steps) == len(conversation.questions())
    assert all(step.decision.notes == () for step in steps)
    assert all(len(step.decision.context.refs) <= 80 for step in steps)
    scores = [
        {s.name: s.value for s in conversation.score(q, step.decision.text)}["f1"]
        for q, step in zip(conversation.questions(), steps, strict=True)
    ]
    assert sum(scores) / len(scores) > 0.25
