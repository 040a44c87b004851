"""Every registered suite obeys every rule for suites, and every rule detects a suite that breaks it."""

from __future__ import annotations

import hashlib
import itertools
import random
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.conformance.rules import CheckResult
from bench.conformance.suites import SUITE_CHECKS, check_suite
from bench.errors import DataError, EnvError
from bench.models.offline.reader import OfflineReader
from bench.models.scripted import ScriptedModel
from bench.protocols import Param, Params, Question, SuiteOptions, SuiteSpec
from bench.registry import load_suite, offline_rules, resolve_suite
from bench.types import (
    Event,
    EventKind,
    Fingerprint,
    Frame,
    JudgeCase,
    Limits,
    Message,
    Observation,
    Opening,
    Score,
    Shape,
    Task,
)
from tests.conformance.test_suites import ALL, DATA, DATA_ALONE, NOWHERE, split_of
from tests.conftest import RunBench

FRAME = Frame("door-v1", "Get through. Reply with one line: Action: <command>")
PLAN = ("take key 1", "turn key 1", "open door 1")


class Door:
    """A sound episode of three steps, to be broken one rule at a time."""

    goal = "You see a door 1 and a key 1. Your task is to: open the door."
    unknown = Observation("Nothing happens.", valid=False, invalid_reason="unparsable")

    def __init__(self, secret: str = ""):
        self.done, self.secret = 0, secret

    def reset(self) -> Opening:
        return Opening(self.goal, FRAME)

    def step(self, action: str) -> Observation:
        if self.done == len(PLAN):
            raise EnvError("door: expected an open episode, got one that has ended; make another")
        if action != PLAN[self.done]:
            return self.unknown
        self.done += 1
        won = self.done == len(PLAN)
        return Observation(f"Done: {self.done}.", won, won, self.done / len(PLAN), executed=action)

    def close(self) -> None: ...


class Doors:
    """A sound suite of four doors."""

    world: Callable[[str], Any] = Door
    default_cap = 9

    def __init__(self, options: SuiteOptions):
        self.options = options

    def tasks(self) -> Sequence[Task]:
        return [self.make_task(number) for number in range(4)]

    def make_task(self, number: int) -> Task:
        digest = hashlib.sha256(str(number).encode()).hexdigest()
        return Task(f"door-{number}", "door-v1", self.options.split, "doors", f"door-{number}", "", f"code {number}",
                    digest)  # fmt: skip

    def open(self, task: Task) -> Any:
        return type(self).world(task.payload)

    def limits(self) -> Limits:
        return Limits(step_cap=self.options.step_cap or self.default_cap)

    def fingerprint(self) -> Fingerprint:
        return Fingerprint.of(suite="door-v1", step_cap=str(self.limits().step_cap))

    def close(self) -> None: ...


class Chat:
    """A sound conversation about one fact."""

    frame = Frame("chat-v1", "Answer the question. Reply with one line: Answer: <text>", label="Answer:")

    def events(self) -> Iterator[Event]:
        yield Event("t1", EventKind.TURN, "I live in Oslo.", 1, "Ann")
        yield Event("s1", EventKind.SESSION_END, "end", 1)

    def questions(self) -> Sequence[Question]:
        return [Question("q1", "Where does Ann live?", "facts")]

    def score(self, question: Question, answer: str) -> tuple[Score, ...]:
        return (Score("success", float("oslo" in answer.lower())),)

    def evidence(self, question: Question) -> tuple[str, ...]:
        return ("t1",)

    def judge_case(self, question: Question) -> JudgeCase:
        return JudgeCase("answer", question.text, "Oslo")


class Chats(Doors):
    world: Callable[[str], Any] = lambda _: Chat()

    def make_task(self, number: int) -> Task:
        return replace(super().make_task(number), suite="chat-v1")

    def fingerprint(self) -> Fingerprint:
        return Fingerprint.of(suite="chat-v1")


def play(messages: Sequence[Message], _role: str) -> str:
    """Reply with the first action of the plan that the prompt does not hold yet."""
    text = messages[-1].content
    return f"Action: {next((action for action in PLAN if f'Action: {action}' not in text), PLAN[-1])}"


def spec_of(kind: type, **changes: Any) -> SuiteSpec:
    shape, name = (Shape.CONVERSATION, "chat-v1") if issubclass(kind, Chats) else (Shape.EPISODE, "door-v1")
    made: SuiteSpec = replace(SuiteSpec(name, kind, shape, ("a", "b"), "a", offline_splits=("a",)), **changes)
    return made


def check(spec: SuiteSpec) -> Mapping[str, CheckResult]:
    options = SuiteOptions(spec.default_split, Params(spec.params), NOWHERE)
    return {result.name: result for result in check_suite(spec, options, ScriptedModel(play))}


def doors(**methods: Any) -> type:
    """Return the sound suite of episodes with other methods."""
    return type("Broken", (Doors,), methods)


def world(**methods: Any) -> type:
    """Return the suite whose episodes have other methods."""
    return doors(world=type("World", (Door,), methods))


def chats(**methods: Any) -> type:
    """Return the suite whose conversations have other methods."""
    kind = type("Other", (Chat,), methods)
    return type("Broken", (Chats,), {"world": lambda _: kind()})


COUNT = itertools.count()
KEPT: list[Any] = []


def start_thread(*_: object) -> None:
    """Leave a thread behind, as a suite does that forgets its worker."""
    stop = threading.Event()
    KEPT.append(stop)
    threading.Thread(target=stop.wait, daemon=True).start()


def open_file(_suite: Doors, _task: Task) -> Door:
    """Leave an open file behind."""
    KEPT.append(Path(__file__).open())  # noqa: SIM115
    return Door()


def fall(self: Door, action: str) -> Observation:
    got = Door.step(self, action)
    return replace(got, progress=0.0) if self.done == 2 else got


def need_file(suite: Doors) -> Sequence[Task]:
    if suite.options.split == "b":
        return Doors.tasks(suite)
    raise DataError("door: expected a file, got none")


def mumble(_self: Door, _action: str) -> Observation:
    return Observation(f"Now {random.random()}.")


def list_actions(self: Door, action: str) -> Observation:
    got = Door.step(self, action)
    return got if got.valid else replace(got, text=f"You can: {', '.join(PLAN)}.")


BROKEN: Sequence[tuple[str, SuiteSpec, str]] = [
    ("name-carries-version", spec_of(Doors, name="door"), "such as alfworld-v1, got 'door'"),
    ("splits-and-parameters-are-declared", spec_of(Doors, offline_splits=("c",)), "among the splits, got 'c'"),
    ("splits-and-parameters-are-declared", spec_of(Doors, offline_splits=()), "expected SuiteSpec.data"),
    ("splits-and-parameters-are-declared", spec_of(Doors, params=(Param("k", 1, ""),)), "a doc for parameter 'k'"),
    ("tasks-are-unique-and-stable", spec_of(doors(tasks=lambda self: [])), "expected tasks, got none"),
    ("tasks-are-unique-and-stable", spec_of(doors(tasks=lambda self: Doors.tasks(self)[::-1])), "sorted and each"),
    (
        "tasks-are-unique-and-stable",
        spec_of(doors(tasks=lambda self: [Doors.make_task(self, 1)] * 2)),
        "each there once",
    ),
    (
        "tasks-are-unique-and-stable",
        spec_of(doors(tasks=lambda self: [replace(Doors.make_task(self, 1), payload=str(next(COUNT)))])),
        "the same tasks from every build",
    ),
    (
        "tasks-are-unique-and-stable",
        spec_of(doors(make_task=lambda self, number: replace(Doors.make_task(self, number), digest="0" * 64))),
        "a digest of its own for every task",
    ),
    (
        "tasks-are-unique-and-stable",
        spec_of(doors(make_task=lambda self, number: replace(Doors.make_task(self, number), digest=""))),
        "expected a SHA-256",
    ),
    (
        "tasks-are-unique-and-stable",
        spec_of(doors(make_task=lambda self, number: replace(Doors.make_task(self, number), cluster=""))),
        "a group and a cluster",
    ),
    (
        "tasks-are-unique-and-stable",
        spec_of(doors(make_task=lambda self, number: replace(Doors.make_task(self, number), split="x"))),
        "expected suite and split door-v1, a, got door-v1, x",
    ),
    (
        "fingerprint-is-stable",
        spec_of(doors(fingerprint=lambda self: Fingerprint.of(suite="door-v1", n=str(next(COUNT))))),
        "the same fingerprint from every build",
    ),
    (
        "fingerprint-is-stable",
        spec_of(doors(fingerprint=lambda self: Fingerprint.of(suite="door-v1", at=str(self.options.data_root)))),
        "wherever the data lies",
    ),
    ("fingerprint-is-stable", spec_of(doors(fingerprint=lambda self: Fingerprint.of(a="b"))), "to name door-v1"),
    (
        "fingerprint-is-stable",
        spec_of(doors(fingerprint=lambda self: Fingerprint.of(suite="door-v1", day="2026-01-02"))),
        "neither a path nor a time in the fingerprint, got '2026-01-02'",
    ),
    (
        "offline-splits-need-no-download",
        spec_of(doors(tasks=need_file), default_split="b"),
        "a split that needs no download, got door: expected a file",
    ),
    (
        "frame-names-nobody",
        spec_of(
            world(
                reset=lambda self: Opening(self.goal, replace(FRAME, instructions="This is door-v1. Action: <command>"))
            )
        ),
        "does not name the suite, got 'door-v1'",
    ),
    (
        "frame-names-nobody",
        spec_of(world(reset=lambda self: Opening(self.goal, replace(FRAME, instructions="Do it.")))),
        "the label of a reply, got none with 'Action:'",
    ),
    ("close-releases", spec_of(doors(close=start_thread)), "more threads"),
    (
        "close-releases",
        spec_of(doors(open=open_file)),
        "more open files",
    ),
    ("same-actions-same-transcript", spec_of(world(step=mumble)), "the same observations of the same actions"),
    (
        "same-actions-same-transcript",
        spec_of(world(reset=lambda self: Opening(f"{Door.goal} {next(COUNT)}", FRAME))),
        "the same observations",
    ),
    ("opening-states-the-goal", spec_of(world(reset=lambda self: Opening(" ", FRAME))), "got an empty one"),
    ("garbage-changes-nothing", spec_of(world(unknown=Observation("Hm."))), "expected valid=False and a reason"),
    (
        "garbage-changes-nothing",
        spec_of(world(unknown=Observation("", valid=False, invalid_reason="x"))),
        "an observation that says something",
    ),
    (
        "garbage-changes-nothing",
        spec_of(world(unknown=Observation("You lose.", done=True, valid=False, invalid_reason="x"))),
        "an unknown action to change nothing",
    ),
    ("progress-is-honest", spec_of(world(step=fall)), "step 2: expected progress in 0..1 that never falls"),
    (
        "progress-is-honest",
        spec_of(world(step=lambda self, action: replace(Door.step(self, action), won=False))),
        "expected progress 1 and done where it is won",
    ),
    ("step-cap-ends-an-episode", spec_of(doors(default_cap=0)), "a step cap of its own"),
    ("step-cap-ends-an-episode", spec_of(doors(limits=lambda self: Limits(step_cap=9))), "the run's step cap of 3"),
    (
        "step-cap-ends-an-episode",
        spec_of(doors(fingerprint=lambda self: Fingerprint.of(suite="door-v1"))),
        "the step cap in the fingerprint",
    ),
    ("shows-no-answers", spec_of(world(goal=f"{Door.goal} Try {PLAN[0]}, then {PLAN[1]}.")), "no list of actions"),
    ("shows-no-answers", spec_of(world(step=list_actions)), "no list of actions that work, got 'open door 1'"),
    (
        "shows-no-answers",
        spec_of(world(reset=lambda self: Opening(f"{self.goal} ({self.secret})", FRAME))),
        "the payload of the task to stay with the suite",
    ),
    (
        "same-conversation-twice",
        spec_of(chats(questions=lambda self: [Question(f"q{next(COUNT)}", "Where?", "facts")])),
        "the same frame and questions",
    ),
    (
        "same-conversation-twice",
        spec_of(chats(questions=lambda self: [Question("q1", "Where?", "facts")] * 2)),
        "got none, or an id twice",
    ),
    (
        "same-conversation-twice",
        spec_of(chats(events=lambda self: [*Chat.events(self)] * 2)),
        "a ref of its own for every event",
    ),
    (
        "same-conversation-twice",
        spec_of(chats(events=lambda self: [*Chat.events(self)][:1])),
        "the end of a session as the last event",
    ),
    (
        "same-conversation-twice",
        spec_of(chats(events=lambda self: [replace(event, text="") for event in Chat.events(self)])),
        "a speaker and a text of every turn",
    ),
    ("scores-are-sound", spec_of(chats(score=lambda *_: (Score("success", 1.0),))), "0, or None, of garbage, got 1"),
    ("scores-are-sound", spec_of(chats(score=lambda *_: ())), "got none, or a name twice"),
    (
        "scores-are-sound",
        spec_of(chats(score=lambda *_: (Score("success", random.random()),))),
        "the same scores of the same answer",
    ),
    ("evidence-exists", spec_of(chats(evidence=lambda *_: ("t9",))), "evidence among the events, got 't9'"),
    ("evidence-exists", spec_of(chats(evidence=lambda *_: ("t1", "t1"))), "each ref of the evidence once"),
    (
        "questions-show-no-answers",
        spec_of(chats(questions=lambda self: [Question("q1", "Does Ann live in Oslo?", "facts")])),
        "got 2 of 2 that do",
    ),
]


@pytest.mark.parametrize("kind", [Doors, Chats])
def test_sound_suite_passes_every_rule(kind: type) -> None:
    results = check(spec_of(kind))
    assert [result for result in results.values() if not result.passed] == []
    assert set(results) == {one.name for one in SUITE_CHECKS if spec_of(kind).shape in one.shapes}


@pytest.mark.parametrize(("name", "spec", "detail"), BROKEN)
def test_rule_detects_broken_suite(name: str, spec: SuiteSpec, detail: str) -> None:
    result = check(spec)[name]
    while KEPT:
        kept = KEPT.pop()
        kept.set() if isinstance(kept, threading.Event) else kept.close()
    assert not result.passed
    assert detail in result.detail


def test_every_rule_has_a_broken_example() -> None:
    assert {name for name, _, _ in BROKEN} == {one.name for one in SUITE_CHECKS}


def test_suite_that_raises_fails_its_check_and_no_other() -> None:
    def crash(*_: object) -> Limits:
        raise ZeroDivisionError("by zero")

    results = check(spec_of(doors(limits=crash, fingerprint=lambda self: Fingerprint.of(suite="door-v1"))))
    assert "expected no exception, got ZeroDivisionError: by zero" in results["step-cap-ends-an-episode"].detail
    assert results["tasks-are-unique-and-stable"].passed


@pytest.mark.parametrize("name", ALL)
def test_registered_suites_conform(name: str) -> None:
    named = resolve_suite(name, split_of(name))
    options = SuiteOptions(named.split, named.params, DATA if name in DATA_ALONE else NOWHERE)
    results = check_suite(load_suite(name), options, OfflineReader(offline_rules()))
    assert [result for result in results if not result.passed] == []


def test_command_checks_a_suite_or_a_strategy_and_says_which(bench: RunBench) -> None:
    done = bench("check", "--suite", "toy-talk")
    assert (done.code, "11 of 11 rules obeyed" in done.out) == (0, True)
    for words in ((), ("window", "--suite", "toy"), ("--split", "x"), ("window", "--split", "x")):
        done = bench("check", *words)
        assert done.code == 2
        assert "check: expected a strategy, or --suite NAME, got" in done.err
    assert bench("check", "--suite", "toy", "--split", "nowhere").code == 2


def test_command_says_which_data_is_missing(bench: RunBench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BENCH_DATA", str(tmp_path))
    done = bench("check", "--suite", "longmemeval")
    assert (done.code, "bench data get longmemeval" in done.err) == (2, True)
