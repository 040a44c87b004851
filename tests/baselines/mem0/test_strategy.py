"""The row: it keeps the rules of a strategy in every variant, says what it could not read, and holds a whole talk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from baselines.mem0.strategy import STRATEGY
from bench.conformance.rules import check_strategy
from bench.embedders.hash import HashEmbedder
from bench.errors import UsageError
from bench.models.ledger.meter import reserve_nothing
from bench.models.offline.reader import OfflineReader
from bench.models.scripted import ScriptedModel
from bench.protocols import Budget, Params, SuiteOptions
from bench.registry import load_suite, offline_rules
from bench.runner.simulate import Job, Parts, simulate
from bench.types import Call, Limits, Phase, Shape, Status, Stimulus, Trial, TrialKey


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"variant": "add-only"},
        {"variant": "add-only", "search": "hybrid"},
        {"stores": "speaker", "batch": "3"},
        {"summary": "off", "m": "0", "k": "1", "s": "1"},
    ],
)
def test_check_strategy_passes_with_every_setting(given: dict[str, str]) -> None:
    assert [result for result in check_strategy(STRATEGY, given) if not result.passed] == []


@pytest.mark.parametrize(
    "given", [{"variant": "graph"}, {"k": "0"}, {"m": "-1"}, {"stores": "two"}, {"summary": "yes"}]
)
def test_unknown_settings_are_a_usage_error(given: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        Params(STRATEGY.params, given, who="mem0")


def test_decision_notes_count_what_could_not_be_read(mem0: Any) -> None:
    model = mem0.says({"extract": ["no"], "update": ["no"], "answer": ["Oslo"]})
    agent = STRATEGY.build(mem0.kit(model, summary="off"))
    asked = Stimulus(Shape.CONVERSATION, "Where?", "Where?")
    assert agent.decide(asked).notes == ()
    mem0.feed(agent.memory, [*mem0.conversation("Ann: I live in Oslo."), *mem0.conversation("Ann: Still.", first=5)])
    assert agent.decide(asked).notes == ("verbatim: 2 messages so far", "undecided: 1 facts so far")
    assert agent.decide(asked).text == "Oslo"


class Recorder:
    """Keeps what is committed, as the store does."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def commit_call(self, _key: TrialKey, call: Call) -> None:
        self.calls.append(call)

    def supersede(self, _key: TrialKey) -> None:
        self.calls.clear()

    reserve = staticmethod(reserve_nothing)


def run_trial(model: Any, recorder: Recorder, given: dict[str, str], committed: tuple[Call, ...] = ()) -> Trial:
    """Hold the first toy talk in a real trial."""
    spec = load_suite("toy-talk")
    suite = spec.build(SuiteOptions(spec.default_split, Params(spec.params), Path("nowhere")))
    task = suite.tasks()[0]
    key = TrialKey("toy-talk", spec.default_split, task.id, "mem0", model.name)
    params = Params(STRATEGY.params, given, who="mem0")
    parts = Parts(Shape.CONVERSATION, suite, STRATEGY, params, model, HashEmbedder(), Budget(), Limits(step_cap=0))
    return simulate(Job(key, task, committed), parts, recorder)


@pytest.mark.parametrize("variant", ["paper", "add-only"])
def test_toy_conversation_offline_is_repeated_by_a_resumed_trial(variant: str) -> None:
    rules = offline_rules()
    recorder = Recorder()
    trial = run_trial(OfflineReader(rules), recorder, {"variant": variant})
    assert trial.status is Status.DONE
    assert {call.phase for call in recorder.calls if call.role == "extract"} == {Phase.WRITE}
    assert any(call.role == "update" for call in recorder.calls) is (variant == "paper")
    assert all(step.decision.context.refs for step in trial.steps)
    again = Recorder()
    replayed = run_trial(OfflineReader(rules), again, {"variant": variant}, tuple(recorder.calls[:10]))
    assert [step.decision for step in replayed.steps] == [step.decision for step in trial.steps]
    assert len(again.calls) == len(recorder.calls) - 10


def test_nonsense_replies_store_messages_verbatim() -> None:
    trial = run_trial(ScriptedModel(lambda _messages, role: f"{role}?"), Recorder(), {})
    assert trial.status is Status.DONE
    assert all(any(note.startswith("verbatim: ") for note in step.decision.notes) for step in trial.steps)
