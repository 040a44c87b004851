"""Every registered suite obeys the rules of its shape, on the first split that needs no download, if it has one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from baselines.full_history import STRATEGY
from baselines.given_text import STRATEGY as GIVEN_TEXT
from bench.drivers import run_conversation, run_episode
from bench.embedders.hash import HashEmbedder
from bench.models.offline.reader import OfflineReader
from bench.protocols import Conversation, Environment, Kit, Params, Question, SuiteOptions
from bench.registry import load_suite, offline_rules, resolve_suite, strategy_names, suite_names
from bench.runner.tasks import sample
from bench.types import BOTH, EndReason, EventKind, Fingerprint, Frame, Limits, Observation, Shape, Step, Task

GARBAGE = ("", "   ", "xyzzy plugh", "go to", "\u0000\U0001f600", "Action: Action:", "take " * 300, "né ž", "'; DROP--")
TASKS = 2


def parameters_of(shape: Shape) -> list[Any]:
    """The suites of a shape; those that need an engine of their own, or data, are marked."""
    marks = {
        "alfworld": [
            pytest.mark.engine,
            pytest.mark.skipif(find_spec("alfworld") is None, reason="needs memfrontier[alfworld]"),
        ],
        "jericho": [
            pytest.mark.data,
            pytest.mark.skipif(find_spec("jericho") is None, reason="needs memfrontier[jericho]"),
            pytest.mark.skipif(not (DATA / "jericho").is_dir(), reason="needs the story files under $BENCH_DATA"),
        ],
        "longmemeval": [
            pytest.mark.data,
            pytest.mark.skipif(not (DATA / "longmemeval").is_dir(), reason="needs the instances under $BENCH_DATA"),
        ],
    }
    names = [name for name in suite_names() if load_suite(name).shape is shape]
    return [pytest.param(name, marks=marks.get(name, [])) for name in names]


NOWHERE = Path("/nowhere/at/all")
DATA = Path(os.environ.get("BENCH_DATA", NOWHERE)).resolve()
DATA_ALONE = {"jericho", "longmemeval"}
"""Suites whose every split needs its files: a reader made of plain rules cannot solve them either."""
SOLVERS = {"sop-bench": GIVEN_TEXT}
"""Where the full history is not enough: what has to be done is told by a text that the suite offers as a memory."""
EPISODES, CONVERSATIONS = parameters_of(Shape.EPISODE), parameters_of(Shape.CONVERSATION)
ALL = EPISODES + CONVERSATIONS
WINNABLE = [parameter for parameter in EPISODES if parameter.values[0] not in DATA_ALONE]
ANSWERABLE = [parameter for parameter in CONVERSATIONS if parameter.values[0] not in DATA_ALONE]


_made: list[Any] = []


def split_of(name: str) -> str:
    spec = load_suite(name)
    return (*spec.offline_splits, spec.default_split)[0]


def build(name: str, root: Path = NOWHERE, step_cap: int = 0) -> Any:
    """Build a suite on its first split that needs no download, which looks at no data."""
    named = resolve_suite(name)
    root = DATA if name in DATA_ALONE else root
    _made.append(named.spec.build(SuiteOptions(split_of(name), named.params, root, step_cap)))
    return _made[-1]


built = cache(build)


@cache
def chosen(name: str) -> tuple[Task, ...]:
    return sample(built(name).tasks(), TASKS)


@pytest.fixture(scope="module", autouse=True)
def _closed() -> Iterator[None]:
    yield
    while _made:
        _made.pop().close()


@pytest.mark.parametrize("name", ALL)
def test_tasks_are_sorted_unique_and_the_same_in_every_build(name: str) -> None:
    first, second = built(name).tasks(), build(name).tasks()
    ids = [task.id for task in first]
    assert ids == sorted(set(ids))
    assert list(first) == list(second)
    spec = load_suite(name)
    assert {(task.suite, task.split) for task in first} == {(spec.name, split_of(name))}
    assert all(task.group and task.cluster and re.fullmatch("[0-9a-f]{64}", task.digest) for task in first)
    assert len({task.digest for task in first}) == len(first)


@pytest.mark.parametrize("name", ALL)
def test_fingerprint_is_the_same_in_every_build_and_has_no_path_or_time(name: str) -> None:
    print_ = built(name).fingerprint()
    assert isinstance(print_, Fingerprint)
    assert print_ == build(name, Path("/somewhere/else")).fingerprint()
    assert print_.entries == tuple(sorted(print_.entries))
    text = " ".join(f"{key}={value}" for key, value in print_.entries)
    assert load_suite(name).name in text
    assert "where" not in text
    assert not re.search(r"/(home|tmp|root|usr)/|\d\d:\d\d:\d\d|20\d\d-\d\d-\d\d", text)


def frame_of(name: str) -> Frame:
    suite, task = built(name), chosen(name)[0]
    world = suite.open(task)
    if load_suite(name).shape is Shape.CONVERSATION:
        return world.frame  # type: ignore[no-any-return]
    try:
        return world.reset().frame  # type: ignore[no-any-return]
    finally:
        world.close()


@pytest.mark.parametrize("name", ALL)
def test_frame_names_no_suite_and_no_strategy(name: str) -> None:
    frame = frame_of(name)
    shown = "\n".join((frame.instructions, frame.examples, frame.label, frame.stimulus_label))
    versions = [load_suite(other).name for other in suite_names()]
    named = [word for word in (*suite_names(), *versions) if re.search(rf"\b{word}\b", shown, re.IGNORECASE)]
    assert named == []
    assert [word for word in strategy_names() if "-" in word and word in shown] == []
    assert frame.instructions.strip() == frame.instructions != ""
    assert frame.label in frame.instructions + frame.answer_format + frame.examples


def play(name: str, task: Task, limits: Limits, steps: list[Step]) -> EndReason:
    """Play with everything in view, by the offline model's rules."""
    env: Environment = built(name).open(task)
    try:
        opening = env.reset()
        strategy = SOLVERS.get(name, STRATEGY)
        kit = Kit(OfflineReader(offline_rules()), HashEmbedder(), opening.frame, params=Params(strategy.params))
        return run_episode(strategy.build(kit), env, opening, limits, steps)
    finally:
        env.close()


@cache
def record(name: str, index: int) -> tuple[EndReason, tuple[Step, ...]]:
    steps: list[Step] = []
    end = play(name, chosen(name)[index], built(name).limits(), steps)
    return end, tuple(steps)


@pytest.mark.parametrize("index", range(TASKS))
@pytest.mark.parametrize("name", EPISODES)
def test_progress_never_falls_and_is_one_only_when_won(name: str, index: int) -> None:
    end, steps = record(name, index)
    progress = [step.observation.progress for step in steps]
    assert all(0.0 <= value <= 1.0 for value in progress)
    assert progress == sorted(progress)
    for step in steps:
        assert step.observation.won == (step.observation.progress == 1.0)
        assert step.observation.done or not step.observation.won
        assert step.observation.valid == (step.observation.invalid_reason == "")
        assert step.observation.text.strip()
    assert (end is EndReason.WON) == steps[-1].observation.won


@pytest.mark.parametrize("name", WINNABLE)
def test_offline_rules_win_with_everything_shown(name: str) -> None:
    assert [record(name, index)[0] for index in range(TASKS)] == [EndReason.WON] * TASKS


@pytest.mark.parametrize("index", range(TASKS))
@pytest.mark.parametrize("name", EPISODES)
def test_replayed_actions_have_the_same_outcome(name: str, index: int) -> None:
    _, steps = record(name, index)
    task = chosen(name)[index]

    def replayed() -> tuple[object, list[Observation]]:
        env: Environment = built(name).open(task)
        try:
            opening = env.reset()
            return opening, [env.step(step.decision.text) for step in steps]
        finally:
            env.close()

    opening, seen = replayed()
    assert seen == [step.observation for step in steps]
    assert replayed() == (opening, seen)


@pytest.mark.parametrize("name", EPISODES)
def test_opening_states_the_goal(name: str) -> None:
    goals = []
    for task in chosen(name):
        env: Environment = built(name).open(task)
        try:
            opening = env.reset()
        finally:
            env.close()
        assert re.search(r"\b(task|goal)\b", opening.goal, re.IGNORECASE)
        goals.append(opening.goal)
        assert record(name, len(goals) - 1)[1][0].stimulus.goal == opening.goal
    assert len(set(goals)) == TASKS


@pytest.mark.parametrize("name", EPISODES)
def test_garbage_action_is_invalid_and_changes_nothing(name: str) -> None:
    task = chosen(name)[0]
    env: Environment = built(name).open(task)
    try:
        env.reset()
        first = [env.step(text) for text in GARBAGE]
        assert not any(one.valid or one.done or one.won or one.helper for one in first)
        assert {one.progress for one in first} == {first[0].progress}
        assert all(one.text.strip() and one.invalid_reason for one in first)
        # What was solved before is solved still.
        after = [env.step(step.decision.text) for step in record(name, 0)[1]]
    finally:
        env.close()
    assert after[-1].won == (record(name, 0)[0] is EndReason.WON)


@pytest.mark.parametrize("name", EPISODES)
def test_step_cap_of_the_run_overrides_and_is_in_the_fingerprint(name: str) -> None:
    capped = build(name, step_cap=7)
    assert capped.limits().step_cap == 7
    assert built(name).limits().step_cap > 7
    assert capped.fingerprint() != built(name).fingerprint()


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_conversation_is_deterministic_with_unique_event_refs(name: str) -> None:
    for task in chosen(name):
        one, two = built(name).open(task), build(name).open(task)
        events = list(one.events())
        assert events == list(two.events()) == list(one.events())
        assert {event.kind for event in events} <= {EventKind.TURN, EventKind.SESSION_END}
        assert events[-1].kind is EventKind.SESSION_END
        assert len({event.ref for event in events}) == len(events)
        assert [event.step for event in events] == sorted(event.step for event in events)
        assert all(event.speaker and event.text for event in events if event.kind is EventKind.TURN)
        questions = one.questions()
        assert list(questions) == list(two.questions())
        assert len({question.id for question in questions}) == len(questions) > 0
        assert all(question.group for question in questions)


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_first_score_is_in_0_to_1_and_garbage_scores_zero(name: str) -> None:
    conversation: Conversation = built(name).open(chosen(name)[0])
    for question in conversation.questions():
        for text in ("", "xyzzy plugh", "\u0000", "zq " * 500):
            scores = conversation.score(question, text)
            assert scores == conversation.score(question, text)
            assert scores[0].value in (0.0, None)  # None: it has a column of its own
        assert len({score.name for score in scores}) == len(scores)


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_question_does_not_show_the_reference_answer(name: str) -> None:
    questions: list[Question] = [q for task in chosen(name) for q in built(name).open(task).questions()]
    assert all(not hasattr(question, "gold") and not hasattr(question, "answer") for question in questions)


@pytest.mark.parametrize("name", ANSWERABLE)
def test_full_history_answers_well(name: str) -> None:
    conversation: Conversation = built(name).open(chosen(name)[0])
    kit = Kit(OfflineReader(offline_rules()), HashEmbedder(), conversation.frame, params=Params(STRATEGY.params))
    steps: list[Step] = []
    assert run_conversation(STRATEGY.build(kit), conversation, built(name).limits(), steps) is EndReason.ANSWERED
    found = [
        conversation.score(question, step.decision.text)[0].value
        for question, step in zip(conversation.questions(), steps, strict=True)
    ]
    values = [value for value in found if value is not None]  # None: it has a column of its own
    assert sum(values) / len(values) > 0.35


def test_every_suite_is_tested_and_has_a_split_without_download_or_declares_its_data() -> None:
    assert {value for parameter in ALL for value in parameter.values} == set(suite_names())
    assert {name for name in suite_names() if not load_suite(name).offline_splits} == DATA_ALONE
    assert all(load_suite(name).data for name in DATA_ALONE)
    assert {load_suite(name).shape for name in suite_names()} == BOTH
