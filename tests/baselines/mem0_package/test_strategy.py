"""The library in a trial: every call is in the ledger, and the rules for strategies are kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from baselines.mem0_package.strategy import STRATEGY
from bench.conformance.rules import check_strategy
from bench.embedders.hash import HashEmbedder
from bench.models.ledger.meter import reserve_nothing
from bench.models.offline.reader import OfflineReader
from bench.protocols import Budget, Params, SuiteOptions
from bench.registry import load_suite, offline_rules
from bench.runner.simulate import Job, Parts, simulate
from bench.types import (
    Call,
    Limits,
    Phase,
    Shape,
    Status,
    Stimulus,
    Trial,
    TrialKey,
)
from tests.baselines.mem0_package.script import Script, conversation, kit, needs_library


@needs_library
def test_decision_notes_count_lost_batches() -> None:
    agent = STRATEGY.build(kit(Script('{"memory": ["no object"]}')))
    prompts = Stimulus(Shape.CONVERSATION, "Where?", "Where?")
    assert agent.decide(prompts).notes == ()
    for event in conversation("Ann: I live in Oslo."):
        agent.memory.observe(event)
    decision = agent.decide(prompts)
    assert (decision.text, decision.notes) == ("Oslo", ("lost: 1 batches so far",))


@needs_library
def test_check_strategy_passes() -> None:
    assert [result for result in check_strategy(STRATEGY) if not result.passed] == []


class Recorder:
    """Keeps what is committed, as the store does."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def commit_call(self, _key: TrialKey, call: Call) -> None:
        self.calls.append(call)

    def supersede(self, _key: TrialKey) -> None:
        self.calls.clear()

    reserve = staticmethod(reserve_nothing)


def run_trial(recorder: Recorder, committed: Sequence[Call] = ()) -> Trial:
    """Hold the first toy talk offline, in a real trial."""
    spec = load_suite("toy-talk")
    suite = spec.build(SuiteOptions(spec.default_split, Params(spec.params), Path("nowhere")))
    task = suite.tasks()[0]
    model = OfflineReader(offline_rules())
    key = TrialKey("toy-talk", spec.default_split, task.id, "mem0-package", model.name)
    params = Params(STRATEGY.params)
    parts = Parts(Shape.CONVERSATION, suite, STRATEGY, params, model, HashEmbedder(), Budget(), Limits(step_cap=0))
    return simulate(Job(key, task, tuple(committed)), parts, recorder)


@needs_library
def test_every_call_is_in_the_ledger_and_a_resumed_trial_repeats_them() -> None:
    recorder = Recorder()
    trial = run_trial(recorder)
    assert (trial.status, trial.error) == (Status.DONE, "")
    booked = {(call.role, call.phase) for call in recorder.calls}
    assert booked == {
        ("extract", Phase.WRITE), ("embed", Phase.WRITE), ("embed", Phase.READ), ("answer", Phase.ACT),
    }  # fmt: skip
    assert all(step.decision.context.refs for step in trial.steps)
    again = Recorder()
    resumed = run_trial(again, recorder.calls[:9])
    assert [step.decision for step in resumed.steps] == [step.decision for step in trial.steps]
    assert [call.request_hash for call in again.calls] == [call.request_hash for call in recorder.calls[9:]]
