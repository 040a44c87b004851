"""Every in-process model keeps the rules of its interface: a function of its arguments, with usage, cut on request."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.errors import StrategyError
from bench.models.offline.reader import OfflineReader
from bench.models.scripted import ScriptedModel
from bench.models.tokenizers import count_tokens
from bench.protocols import Model, SuiteOptions
from bench.registry import load_source, model_names, offline_rules, resolve_suite
from bench.runner.tasks import sample
from bench.types import Message, Reply, UsageSource


def build_prompt() -> tuple[Message, ...]:
    """A prompt that the offline rules understand: the toy world's, with nothing remembered."""
    row = resolve_suite("toy")
    suite = row.spec.build(SuiteOptions("houses", row.params, Path("/nowhere")))
    opening = suite.open(sample(suite.tasks(), 1)[0]).reset()
    return (Message("system", opening.frame.instructions), Message("user", f"# Task\n{opening.goal}\n\nAction:"))


MODELS = [
    *(pytest.param(load_source(name).model(0), id=name) for name in model_names() if name.startswith("offline/")),
    pytest.param(ScriptedModel(lambda messages, role: f"{role} {len(messages)} go on and on"), id="scripted"),
]
every = pytest.mark.parametrize("model", MODELS)


@every
def test_the_reply_is_a_function_of_the_messages(model: Model) -> None:
    messages = build_prompt()
    before = copy.deepcopy(messages)
    first = model.chat(messages, role="act")
    model.chat((messages[0], Message("user", "# Task\nNothing.\n\nAction:")), role="act")  # leaves no trace
    assert model.chat(list(messages), role="act") == first
    assert messages == before
    assert isinstance(first, Reply)
    assert first.text.strip()


@every
def test_reply_has_usage_and_price(model: Model) -> None:
    messages = build_prompt()
    reply = model.chat(messages, role="act")
    assert reply.usage.prompt == sum(count_tokens(message.content) for message in messages)
    assert reply.usage.completion == count_tokens(reply.text)
    assert reply.usage.source is UsageSource.OFFLINE
    assert reply.cost_usd == 0.0
    assert reply.finish == "stop"


@every
def test_name_is_stripped_and_not_empty(model: Model) -> None:
    assert model.name == model.name.strip() != ""


def test_source_name_equals_the_registered_name() -> None:
    offline = [name for name in model_names() if name.startswith("offline/")]
    assert offline
    assert [load_source(name).name for name in offline] == offline


@pytest.fixture(scope="module")
def reader() -> OfflineReader:
    return OfflineReader(offline_rules())


def test_reader_cuts_replies_at_max_tokens_and_stop_words(reader: OfflineReader) -> None:
    whole = reader.chat(build_prompt(), role="act").text
    short = reader.chat(build_prompt(), role="act", max_tokens=2)
    assert (short.finish, count_tokens(short.text)) == ("length", 2)
    assert whole.startswith(short.text)
    assert reader.chat(build_prompt(), role="act", stop=(":",)).text == whole.split(":")[0]


@pytest.mark.parametrize(
    ("messages", "role"),
    [
        ((), "act"),
        ((Message("system", "You are a pirate."), Message("user", "Ahoy.")), "act"),
        ((Message("system", "You are in a small house"), Message("user", "")), "acme/route"),
        ((Message("user", ""),), "answer"),
    ],
)
def test_reader_rejects_a_prompt_without_a_rule_and_says_what_to_add(
    reader: OfflineReader, messages: Sequence[Message], role: str
) -> None:
    with pytest.raises(StrategyError, match=rf"expected a rule for role '{role}' and a prompt that begins .*; add an"):
        reader.chat(messages, role=role)


@pytest.mark.parametrize("text", ["", "\u0000", "# Task\n", "Your task is to: ", "x " * 5000])
def test_no_prompt_makes_a_rule_fail(reader: OfflineReader, text: str) -> None:
    # The frame's own words are known; what comes after may be anything that a memory puts there.
    reply = reader.chat((build_prompt()[0], Message("user", text)), role="act")
    assert reply.text.startswith("Action: ")
