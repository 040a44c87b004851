"""The offline model: rules in order, a real model's cuts and counts, honest errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from bench.errors import ModelError, StrategyError
from bench.models.offline.reader import NAME, OfflineReader
from bench.models.tokenizers import count_tokens
from bench.types import Message, Status, UsageSource


@dataclass(frozen=True)
class Echo:
    """Replies with the last message, for one role and prompts that start in one way."""

    role: str
    start: str = ""
    prefix: str = ""

    def matches(self, messages: Sequence[Message], role: str) -> bool:
        return role == self.role and messages[0].content.startswith(self.start)

    def reply(self, messages: Sequence[Message], role: str) -> str:
        return self.prefix + messages[-1].content + role[:0]


class Broken:
    def matches(self, messages: Sequence[Message], role: str) -> bool:
        return role == "act" and bool(messages)

    def reply(self, messages: Sequence[Message], role: str) -> str:
        raise IndexError(f"{len(messages)} {role}")


SAID = (Message("system", "Frame one."), Message("user", "go to shelf 1\nthen wait"))


def test_the_first_rule_that_matches_answers() -> None:
    model = OfflineReader((Echo("answer"), Echo("act", "Frame two"), Echo("act", "Frame one", "1 "), Echo("act")))
    assert model.chat(SAID, role="act").text == "1 go to shelf 1\nthen wait"
    assert model.chat(SAID, role="answer").text == "go to shelf 1\nthen wait"


def test_usage_is_counted_and_marked_offline_and_costs_nothing() -> None:
    reply = OfflineReader((Echo("act"),)).chat(SAID, role="act")
    assert reply.usage.prompt == sum(count_tokens(m.content) for m in SAID)
    assert reply.usage.completion == count_tokens(reply.text)
    assert reply.usage.source is UsageSource.OFFLINE
    assert reply.usage.cached_read is None
    assert reply.usage.reasoning is None
    assert reply.cost_usd == 0.0
    assert (NAME, OfflineReader(()).name) == ("offline/reader", "offline/reader")


@pytest.mark.parametrize(
    ("max_tokens", "stop", "text", "finish"),
    [
        (None, (), "go to shelf 1\nthen wait", "stop"),
        (100, ("\n",), "go to shelf 1", "stop"),
        (3, (), "go to shelf", "length"),
        (3, ("\n",), "go to shelf", "length"),
        (4, ("\n",), "go to shelf 1", "stop"),
        (None, ("wait", " shelf"), "go to", "stop"),
        (None, ("", "absent"), "go to shelf 1\nthen wait", "stop"),
        (0, (), "", "length"),
    ],
)
def test_it_stops_as_a_real_model_does(max_tokens: int | None, stop: tuple[str, ...], text: str, finish: str) -> None:
    reply = OfflineReader((Echo("act"),)).chat(SAID, role="act", max_tokens=max_tokens, stop=stop)
    assert (reply.text, reply.finish) == (text, finish)
    assert reply.usage.completion == count_tokens(text)


def test_a_role_without_a_rule_is_the_strategys_failure_and_says_what_to_add() -> None:
    with pytest.raises(StrategyError, match=r"role 'distill'.*offline\.py") as caught:
        OfflineReader((Echo("act"),)).chat(SAID, role="distill")
    assert caught.value.status is Status.STRATEGY_ERROR
    with pytest.raises(StrategyError, match="Frame one"):
        OfflineReader(()).chat(SAID, role="act")
    with pytest.raises(StrategyError, match="none among 0"):
        OfflineReader(()).chat((), role="act")


def test_a_rule_that_breaks_is_the_models_failure() -> None:
    with pytest.raises(ModelError, match="IndexError: 2 act"):
        OfflineReader((Broken(),)).chat(SAID, role="act")


def test_equal_calls_give_equal_replies_whatever_came_between() -> None:
    model = OfflineReader((Echo("act"),))
    first = model.chat(SAID, role="act")
    model.chat((Message("user", "something else"),), role="act")
    assert model.chat(list(SAID), role="act") == first


class Planner:
    """A dialect: puts a line before what the suite's own rule says to a prompt of this rule's making."""

    def matches(self, messages: Sequence[Message], role: str) -> bool:
        return role == "act" and "Plan first." in messages[0].content

    def reply_with(self, messages: Sequence[Message], role: str, ask: Callable[[Sequence[Message]], str]) -> str:
        plain = Message("system", messages[0].content.replace(" Plan first.", ""))
        return f"Plan: {role}\n{ask((plain, *messages[1:]))}"


def test_a_dialect_says_more_around_the_reply_of_the_rule_below_wherever_it_is_listed() -> None:
    asked = (Message("system", "Frame one. Plan first."), SAID[1])
    for rules in ((Echo("act", "Frame one."), Planner()), (Planner(), Echo("act", "Frame one."))):
        assert OfflineReader(rules).chat(asked, role="act").text == "Plan: act\ngo to shelf 1\nthen wait"
        assert OfflineReader(rules).chat(SAID, role="act").text == "go to shelf 1\nthen wait"


def test_a_dialect_without_a_rule_below_says_so() -> None:
    with pytest.raises(StrategyError, match="expected a rule for role 'act'"):
        OfflineReader((Planner(),)).chat((Message("system", "Plan first."), SAID[1]), role="act")
