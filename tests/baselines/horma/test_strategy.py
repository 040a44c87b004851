"""The row: it keeps the rules of a strategy, and its notes say what was refused, asked and selected."""

from __future__ import annotations

from pathlib import Path

import pytest

from baselines.horma.strategy import STRATEGY, UNTRAINED
from bench.config import LearnConfig, RunConfig
from bench.conformance.rules import check_strategy
from bench.errors import UsageError
from bench.protocols import HasFiles, Params, Strategy
from bench.runner.batch import run
from bench.store.read import read_trials
from bench.types import Event, EventKind, Shape, Stimulus
from tests.baselines.horma.managing import Script, list_steps, list_talk, make_kit


@pytest.mark.parametrize(
    "given",
    [{}, {"navigator": "grep"}, {"navigator": "random"}, {"every": "3", "turns": "1"}, {"tokens": "1950"}],
)
def test_check_strategy_passes_with_every_setting(given: dict[str, str]) -> None:
    assert [result for result in check_strategy(STRATEGY, given) if not result.passed] == []


@pytest.mark.parametrize("given", [{"every": "0"}, {"turns": "0"}, {"turns": "31"}, {"tokens": "-1"}])
def test_unknown_settings_are_a_usage_error(given: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        Params(STRATEGY.params, given, who="horma")


def test_notes_of_a_question_say_what_was_asked_selected_and_refused_so_far() -> None:
    script = Script(["append raw_logs/x.md\n- x [D1:1]"], ["cat nowhere/x.md", "select D1:1 D1:3\ndone"])
    agent = STRATEGY.build(make_kit(script))
    for event in list_talk():
        agent.memory.observe(event)
    asked = Stimulus(Shape.CONVERSATION, "Where?", "Where?")
    assert agent.decide(asked).notes == (
        "organise_nothing: 2 so far",
        "organise_refused: read-only: 4 so far",
        "turn: cat nowhere/x.md",
        "turn: select D1:1 D1:3 done",
        "selected: D1:1",
        "selected: D1:3",
        "navigate_refused: missing",
    )


def test_notes_of_a_step_are_those_since_the_last() -> None:
    script = Script(["append notes/a.md\n- x"], ["done"])
    agent = STRATEGY.build(make_kit(script))
    events = list_steps("one", "two")
    for event in events:
        agent.memory.observe(event)
    agent.memory.manager.take_notes()
    for event in (Event("a3", EventKind.ACTION, "act 3", 3), Event("o3", EventKind.OBSERVATION, "three", 3)):
        agent.memory.observe(event)
    stimulus = Stimulus(Shape.EPISODE, "three", events[0].text, 4, "o3")
    notes = agent.decide(stimulus).notes
    assert [note.partition(":")[0] for note in notes] == [
        "organise_refused",
        "organise_refused",
        "organise_nothing",
        "turn",
    ]
    assert agent.decide(stimulus).notes == ("turn: done",)


def test_memory_offers_its_files() -> None:
    assert isinstance(STRATEGY.build(make_kit(Script())).memory, HasFiles)


@pytest.mark.parametrize("strategy", [STRATEGY, UNTRAINED])
def test_models_of_the_navigator_and_the_manager_default_to_the_acting_one(strategy: Strategy) -> None:
    assert Params(strategy.params, {}).role_models == {}
    given = {"navigator_model": "remote/small", "manager_model": "remote/big"}
    assert Params(strategy.params, given).role_models == {"navigate": "remote/small", "organise": "remote/big"}


@pytest.mark.parametrize(("name", "role"), [("navigator_model", "navigate"), ("manager_model", "organise")])
def test_calls_of_a_role_go_to_its_model_in_rehearsals_too(name: str, role: str, tmp_path: Path) -> None:
    row = f"horma:{name}=offline/novice,rounds=1"
    learn = LearnConfig(policy="seven-three")
    run(RunConfig(suites=("toy-talk",), strategies=(row,), learn=learn, embedder="hash", workers=1), tmp_path)
    rehearsals = list((tmp_path / "collect").glob("horma*"))
    assert rehearsals
    for folder in (tmp_path, *rehearsals):
        trials = read_trials(folder, where="attempt > 0")
        models = {(call.role, call.model) for trial in trials for call in trial.calls}
        assert {called for called, model in models if model == "offline/novice"} == {role}
        assert {"navigate", "organise", "answer"} <= {called for called, _ in models}
