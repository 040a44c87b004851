"""The real library in a trial: what it is shown and gives back, and that nothing leaves the machine or the ledger."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from baselines.mem0_package.offline import RULES
from baselines.mem0_package.package import _Chat, _memory_class
from baselines.mem0_package.strategy import STRATEGY, PackageMemory
from bench.conformance.rules import check_strategy
from bench.embedders.hash import HashEmbedder
from bench.errors import ModelError, StrategyError, UsageError
from bench.models.offline.reader import OfflineReader
from bench.models.offline.rule_table import RuleTable
from bench.models.openai_api.client import MeteredClient
from bench.models.scripted import ScriptedModel
from bench.protocols import Budget, Kit, Model, Params, SuiteOptions, count_words
from bench.registry import load_suite, offline_rules
from bench.runner.simulate import Job, Parts, simulate
from bench.types import (
    Call,
    Event,
    EventKind,
    Frame,
    Limits,
    Message,
    Phase,
    Query,
    Reply,
    Shape,
    Status,
    Stimulus,
    Trial,
    TrialKey,
)

installed = pytest.mark.skipif(find_spec("mem0") is None, reason="needs the library mem0ai (extra [mem0])")

Says = Callable[[Sequence[Message], str], str]


def memories(*texts: object) -> str:
    return json.dumps({"memory": [{"id": str(at), "text": text} for at, text in enumerate(texts)]})


class Script:
    """Replies in order, the last again and again; keeps the prompts."""

    def __init__(self, *replies: str):
        self._replies = list(replies)
        self.asked: list[tuple[Message, ...]] = []

    def __call__(self, messages: Sequence[Message], role: str) -> str:
        if role == "answer":
            return "Oslo"
        assert role == "extract"
        self.asked.append(tuple(messages))
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]


def kit(model: Model | Says, **given: str) -> Kit:
    chat = ScriptedModel(model) if callable(model) else model
    params = Params(STRATEGY.params, given, who="mem0-package")
    return Kit(chat, HashEmbedder(), Frame("f", "Answer."), Budget(None, count_words), params)


def conversation(*said: str, date: str = "8 May, 2023", first: int = 0) -> list[Event]:
    events = []
    for number, line in enumerate(said, start=first):
        speaker, _, text = line.partition(": ")
        events.append(Event(f"t{number}", EventKind.TURN, text, 1, speaker, date))
    return [*events, Event(f"m{first}", EventKind.SESSION_END, "", 1, time=date)]


def fed(memory: PackageMemory, events: Sequence[Event]) -> PackageMemory:
    for event in events:
        memory.observe(event)
    return memory


def question(text: str, budget: int | None = None) -> Query:
    return Query(text, text, 1, Shape.CONVERSATION, budget)


@installed
def test_memories_are_shown_in_time_order_with_date_and_messages() -> None:
    model = Script(memories("Ann lives in Oslo", "Bob owns a boat"), memories("Ann  sold the\nOslo flat"))
    memory = fed(PackageMemory(kit(model)), conversation("Ann: I live in Oslo.", "Bob: I own a boat."))
    fed(memory, conversation("Ann: I sold it.", date="1 June, 2023", first=5))
    context = memory.recall(question("Ann Oslo flat"))
    assert context.text.splitlines()[-1] == "[1 June, 2023] Ann sold the Oslo flat"
    assert context.text.splitlines()[0] == "[8 May, 2023] Ann lives in Oslo"
    assert context.refs == context.ranking
    assert set(context.refs) == {"t0", "t1", "t5"}
    assert context == memory.recall(question("Ann Oslo flat"))


@installed
def test_the_prompt_names_the_session_and_never_today() -> None:
    model = Script(memories())
    fed(PackageMemory(kit(model)), conversation("Ann: I live in Oslo.", "Bob: Nice.", date="8 May, 2023"))
    fed(PackageMemory(kit(model)), conversation("Ann: I live in Oslo.", date=""))
    first, second = (messages[-1].content for messages in model.asked)
    assert "## Observation Date\n8 May, 2023\n\n## Current Date\n8 May, 2023\n" in first
    assert "## Observation Date\nnot known\n" in second
    today = datetime.now(UTC).date().isoformat()
    assert all(today not in message.content for messages in model.asked for message in messages)
    assert "## New Messages\nuser: Ann: I live in Oslo.\nassistant: Bob: Nice.\n" in first


@installed
def test_earlier_messages_and_known_memories_are_in_the_prompt() -> None:
    model = Script(memories("Ann lives in Oslo"), memories())
    fed(
        PackageMemory(kit(model)),
        [*conversation("Ann: I live in Oslo."), *conversation("Ann: Still in Oslo.", first=5)],
    )
    second = model.asked[1][-1].content
    assert "## Last k Messages\nuser: Ann: I live in Oslo." in second
    assert '[{"id": "0", "text": "Ann lives in Oslo"}]' in second


@installed
def test_a_budget_and_k_limit_what_is_shown() -> None:
    model = Script(memories("dog " * 9, "a dog and a cat", "one more dog"))
    memory = fed(PackageMemory(kit(model, k="2")), conversation("Ann: dogs", "Bob: cats"))
    assert len(memory.recall(question("dog")).text.splitlines()) == 2
    cut = memory.recall(question("dog", 8))
    assert len(cut.text.split()) <= 8
    assert cut.truncated
    assert memory.recall(question(" ")).text == ""


@installed
def test_turns_that_wait_for_their_batch_are_shown() -> None:
    model = Script(memories("Ann lives in Oslo"))
    memory = fed(
        PackageMemory(kit(model, k="1")), conversation("Ann: I live in Oslo.", "Bob: Nice.", "Bob: My dog barks.")[:3]
    )
    context = memory.recall(question("Oslo"))
    assert (context.text, context.refs) == ("[8 May, 2023] Bob: My dog barks.", ("t2",))
    assert context.ranking == ("t2", "t0", "t1")
    assert len(model.asked) == 1


@installed
def test_two_memories_share_nothing() -> None:
    one = fed(PackageMemory(kit(Script(memories("Ann lives in Oslo")))), conversation("Ann: I live in Oslo."))
    other = fed(PackageMemory(kit(Script(memories("Eve owns a boat")))), conversation("Eve: I own a boat."))
    assert one.recall(question("Oslo boat")).text == "[8 May, 2023] Ann lives in Oslo"
    assert other.recall(question("Oslo boat")).text == "[8 May, 2023] Eve owns a boat"


@installed
@pytest.mark.parametrize(
    "reply", ["Sure!", "{", '{"memory": "none"}', '{"memory": [{"text": 7}, {"text": ""}]}', "[1]"]
)
def test_replies_that_are_no_use_cost_at_most_their_batch(reply: str) -> None:
    memory = fed(PackageMemory(kit(Script(reply, memories("Bob owns a boat")))), conversation("Ann: I live in Oslo."))
    fed(memory, conversation("Bob: I own a boat.", first=5))
    assert memory.recall(question("boat Oslo")).text == "[8 May, 2023] Bob owns a boat"


@installed
def test_a_batch_that_the_library_loses_is_told() -> None:
    agent = STRATEGY.build(kit(Script('{"memory": ["no object"]}')))
    asked = Stimulus(Shape.CONVERSATION, "Where?", "Where?")
    assert agent.decide(asked).notes == ()
    for event in conversation("Ann: I live in Oslo."):
        agent.memory.observe(event)
    decision = agent.decide(asked)
    assert (decision.text, decision.notes) == ("Oslo", ("lost: 1 batches so far",))


class Failing:
    """A model that is gone."""

    name = "failing"

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        raise ModelError("failing: no reply")


@installed
def test_an_outage_is_no_loss_of_the_library() -> None:
    memory = PackageMemory(kit(Failing()))
    with pytest.raises(ModelError, match="failing: no reply"):
        fed(memory, conversation("Ann: I live in Oslo."))
    assert memory.lost == 0


def test_a_prompt_without_a_date_is_another_version() -> None:
    chat = _Chat(MeteredClient(ScriptedModel(["x"]), HashEmbedder()))
    with pytest.raises(StrategyError, match="expected today's date in the library's prompt"):
        chat.generate_response([{"role": "user", "content": "no date"}])


@installed
def test_nothing_is_left_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    memory = fed(PackageMemory(kit(Script(memories("Ann lives in Oslo")))), conversation("Ann: I live in Oslo."))
    memory.recall(question("Where does Ann live?"))
    assert list(tmp_path.iterdir()) == []
    assert not {"MEM0_TELEMETRY", "MEM0_DIR"} & set(os.environ)
    assert sys.modules["mem0.memory.telemetry"].MEM0_TELEMETRY is False


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "mem0"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mem0", None)
    monkeypatch.setenv("MEM0_DIR", "mine")
    with pytest.raises(UsageError, match=r"expected the library mem0ai, got .*; pip install 'memfrontier\[mem0\]'"):
        _memory_class.__wrapped__()
    assert os.environ["MEM0_DIR"] == "mine"


@installed
def test_it_keeps_every_rule() -> None:
    assert [result for result in check_strategy(STRATEGY) if not result.passed] == []


class Recorder:
    """Keeps what is committed, as the store does."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def commit_call(self, _key: TrialKey, call: Call) -> None:
        self.calls.append(call)

    def supersede(self, _key: TrialKey) -> None:
        self.calls.clear()


def hold(recorder: Recorder, committed: Sequence[Call] = ()) -> Trial:
    """Hold the first toy talk offline, in a real trial."""
    spec = load_suite("toy-talk")
    suite = spec.build(SuiteOptions(spec.default_split, Params(spec.params), Path("nowhere")))
    task = suite.tasks()[0]
    model = OfflineReader(offline_rules())
    key = TrialKey("toy-talk", spec.default_split, task.id, "mem0-package", model.name)
    params = Params(STRATEGY.params)
    parts = Parts(Shape.CONVERSATION, suite, STRATEGY, params, model, HashEmbedder(), Budget(), Limits(step_cap=0))
    return simulate(Job(key, task, tuple(committed)), parts, recorder)


@installed
def test_every_call_is_in_the_ledger_and_a_resumed_trial_repeats_it() -> None:
    recorder = Recorder()
    trial = hold(recorder)
    assert (trial.status, trial.error) == (Status.DONE, "")
    booked = {(call.role, call.phase) for call in recorder.calls}
    assert booked == {
        ("extract", Phase.WRITE), ("embed", Phase.WRITE), ("embed", Phase.READ), ("answer", Phase.ACT),
    }  # fmt: skip
    assert all(step.decision.context.refs for step in trial.steps)
    again = Recorder()
    resumed = hold(again, recorder.calls[:9])
    assert [step.decision for step in resumed.steps] == [step.decision for step in trial.steps]
    assert [call.request_hash for call in again.calls] == [call.request_hash for call in recorder.calls[9:]]


PROMPT = (
    Message("system", "\n\n# ROLE\n\nYou are a Memory Extractor — a precise processor."),
    Message("user", "## Summary\n\n\n## New Messages\n{new}\n\n## Observation Date\n8 May\n\n## Current Date\n8 May"),
)


def extracted(new: str) -> list[Any]:
    asked = (PROMPT[0], Message("user", PROMPT[1].content.replace("{new}", new)))
    memory: list[Any] = json.loads(OfflineReader(RULES).chat(asked, role="extract").text)["memory"]
    return memory


def test_offline_a_message_is_a_memory_of_its_statements() -> None:
    assert extracted(
        "user: Ann: Hey Bob! How are you? I live in Oslo. [shares a photo. of a fjord]\n"
        "assistant: Bob: That's great!\nassistant: I own a red boat."
    ) == [
        {"id": "0", "text": "Ann: I live in Oslo. [shares a photo. of a fjord]", "attributed_to": "user"},
        {"id": "1", "text": "I own a red boat.", "attributed_to": "assistant"},
    ]
    assert extracted("") == []
    assert extracted("nobody said this") == []


def test_offline_other_prompts_are_left_alone() -> None:
    rules = RuleTable(RULES)
    assert rules.find(PROMPT, "extract") is RULES[0]
    assert rules.find(PROMPT, "answer") is None
    assert rules.find(PROMPT[1:], "extract") is None
