"""The row over conversations: it keeps every rule, says what it spends, and runs offline on a real conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from adapters.locomo.suite import SUITE
from baselines.generic_agent.dialogue.strategy import MOST_ROUNDS, STRATEGY, DialogueAgent
from baselines.generic_agent.trial.offline import RULES
from baselines.generic_agent.trial.strategy import STRATEGY as EPISODES
from bench.conformance.rules import check_strategy
from bench.embedders.hash import HashEmbedder
from bench.errors import UsageError
from bench.models.offline.reader import OfflineReader
from bench.models.scripted import ScriptedModel
from bench.models.tokenizers import count_tokens
from bench.protocols import Budget, Kit, Params, SuiteOptions
from bench.types import EventKind, Frame, Message, Phase, Query, Reply, Shape, Stimulus


@dataclass
class Recorder:
    """A scripted model that keeps roles."""

    replies: dict[str, str]
    roles: list[str] = field(default_factory=list)

    name = "recorder"

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        self.roles.append(role)
        return ScriptedModel([self.replies[role]]).chat(messages, role=role, max_tokens=max_tokens)


def question(text: str) -> Stimulus:
    return Stimulus(Shape.CONVERSATION, text, text)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"layers": "1"},
        {"layers": "12"},
        {"layers": "123"},
        {"rounds": "0"},
        {"rounds": "5", "k": "1", "facts": "0"},
    ],
)
def test_check_strategy_passes_with_every_setting(given: dict[str, str]) -> None:
    assert [result for result in check_strategy(STRATEGY, given) if not result.passed] == []


def test_strategy_has_its_own_name_and_serves_conversations() -> None:
    assert STRATEGY.serves == frozenset({Shape.CONVERSATION})
    assert EPISODES.serves == frozenset({Shape.EPISODE})
    assert STRATEGY.name != EPISODES.name
    assert STRATEGY.dialect == ""
    assert STRATEGY.inner_calls == 1 + MOST_ROUNDS


def test_too_many_rounds_are_a_usage_error(history: Any) -> None:
    with pytest.raises(UsageError, match="expected rounds <= 5, got 6"):
        STRATEGY.build(history.kit(STRATEGY, {"rounds": "6"}))


def test_decide_reads_and_answers(history: Any) -> None:
    model = Recorder({
        "extract": "fact: ann/home | Ann moved to Oslo. | 1:1\nfact: ann/x | No turn. | 7:7",
        "update": "none", "navigate": "open: ann/home\ndone", "answer": "Answer: Oslo\nbecause",
    })  # fmt: skip
    phases: list[Phase] = []
    kit = replace(history.kit(STRATEGY, count=count_tokens), model=model, frame=Frame("talk", "Say.", label="Answer:"))

    class Noted:
        def __init__(self, phase: Phase):
            phases.append(phase)

        def __enter__(self) -> None:
            pass

        def __exit__(self, *_error: object) -> None:
            pass

    agent = STRATEGY.build(replace(kit, phase=Noted))
    assert isinstance(agent, DialogueAgent)
    for event in history.conversation("I moved to Oslo.", "Nice."):
        agent.memory.observe(event)
    decision = agent.decide(question("Where does Ann live?"))
    assert decision.text == "Oslo"
    assert decision.context.refs == ("t0",)
    assert model.roles == ["extract", "navigate", "answer"]
    assert phases == [Phase.READ]
    read = count_tokens("[1 May] Ann moved to Oslo.\n")
    always = count_tokens(decision.context.text) - read
    assert decision.notes == (
        f"always_on_tokens: {always}", f"on_demand_tokens: {read}", "facts_held: 1", "facts_refused: 1",
        "navigate: open ann/home",
    )  # fmt: skip


def test_each_decision_makes_its_own_reading(history: Any) -> None:
    model = Recorder({"extract": "none", "navigate": "find: Oslo\ndone", "answer": "Oslo"})
    agent = STRATEGY.build(replace(history.kit(STRATEGY), model=model))
    for event in history.conversation("I moved to Oslo.", "Nice."):
        agent.memory.observe(event)
    first, second = (agent.decide(question("Where?")) for _ in range(2))
    assert first == second
    assert model.roles.count("navigate") == 2


@pytest.mark.data
def test_locomo_conversation_offline(data_root: Path) -> None:
    suite = SUITE.build(SuiteOptions("all", Params(SUITE.params), data_root))
    conversation = suite.open(suite.tasks()[0])
    model = OfflineReader(RULES)
    kit = Kit(model, HashEmbedder(), conversation.frame, Budget(None, count_tokens), Params(STRATEGY.params))
    agent = STRATEGY.build(kit)
    assert isinstance(agent, DialogueAgent)
    turns = []
    for event in conversation.events():
        agent.memory.observe(event)
        turns += [event.ref] if event.kind is EventKind.TURN else []
    facts = agent._memory.facts
    assert facts.refused == 0
    assert len(turns) / 2 < facts.count_topics().total() < 3 * len(turns)
    assert facts.rules
    found = 0
    questions = list(conversation.questions())[:40]
    for one in questions:
        reading = agent._memory.read(Query(one.text, one.text, 0, Shape.CONVERSATION))
        assert 0 < reading.always_on_tokens <= 1010
        assert set(reading.context.refs) <= set(turns)
        found += bool(set(reading.context.refs) & set(conversation.evidence(one)))
    assert found / len(questions) > 0.6
