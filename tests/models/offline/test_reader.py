"""The offline model: the rule for a call, cuts and counts as of a real model, errors that say what is missing."""

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
    header: str = "Frame one."
    prefix: str = ""

    def reply(self, messages: Sequence[Message]) -> str:
        return self.prefix + messages[-1].content


class Broken:
    role = "act"
    header = "Frame one."

    def reply(self, messages: Sequence[Message]) -> str:
        raise IndexError(f"{len(messages)} messages")


PROMPT = (Message("system", "Frame one."), Message("user", "go to shelf 1\nthen wait"))


def test_chat_answers_by_the_rule_for_role_and_header() -> None:
    model = OfflineReader((Echo("answer"), Echo("act", "Frame two."), Echo("act", prefix="1 ")))
    assert model.chat(PROMPT, role="act").text == "1 go to shelf 1\nthen wait"
    assert model.chat(PROMPT, role="answer").text == "go to shelf 1\nthen wait"


def test_chat_counts_usage_as_offline_and_free() -> None:
    reply = OfflineReader((Echo("act"),)).chat(PROMPT, role="act")
    assert reply.usage.prompt == sum(count_tokens(m.content) for m in PROMPT)
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
def test_chat_cuts_the_reply_at_stop_and_max_tokens(
    max_tokens: int | None, stop: tuple[str, ...], text: str, finish: str
) -> None:
    reply = OfflineReader((Echo("act"),)).chat(PROMPT, role="act", max_tokens=max_tokens, stop=stop)
    assert (reply.text, reply.finish) == (text, finish)
    assert reply.usage.completion == count_tokens(text)


def test_chat_without_a_rule_raises_strategy_error_that_says_what_to_add() -> None:
    with pytest.raises(StrategyError, match=r"role 'distill'.*offline\.py") as caught:
        OfflineReader((Echo("act"),)).chat(PROMPT, role="distill")
    assert caught.value.status is Status.STRATEGY_ERROR
    with pytest.raises(StrategyError, match="Frame one"):
        OfflineReader(()).chat(PROMPT, role="act")
    with pytest.raises(StrategyError, match="none among 0"):
        OfflineReader(()).chat((), role="act")


def test_chat_turns_an_error_in_a_rule_into_model_error() -> None:
    with pytest.raises(ModelError, match="IndexError: 2 messages"):
        OfflineReader((Broken(),)).chat(PROMPT, role="act")


def test_chat_gives_equal_replies_to_equal_calls() -> None:
    model = OfflineReader((Echo("act"),))
    first = model.chat(PROMPT, role="act")
    model.chat((PROMPT[0], Message("user", "something else")), role="act")
    assert model.chat(list(PROMPT), role="act") == first


class Planner:
    """A dialect that puts a line before the reply of the suite's rule."""

    role = "act"
    block = "Plan first."

    def reply_with(self, messages: Sequence[Message], ask: Callable[[Sequence[Message]], str]) -> str:
        plain = Message("system", messages[0].content.replace(" Plan first.", ""))
        return f"Plan: act\n{ask((plain, *messages[1:]))}"


def test_dialect_wraps_the_reply_of_the_suites_rule() -> None:
    asked = (Message("system", "Frame one. Plan first."), PROMPT[1])
    for rules in ((Echo("act", "Frame one."), Planner()), (Planner(), Echo("act", "Frame one."))):
        assert OfflineReader(rules).chat(asked, role="act").text == "Plan: act\ngo to shelf 1\nthen wait"
        assert OfflineReader(rules).chat(PROMPT, role="act").text == "go to shelf 1\nthen wait"


def test_find_role_reads_the_role_from_the_prompt() -> None:
    model = OfflineReader((Echo("answer"), Echo("act", "Frame two."), Planner()))
    assert model.find_role(PROMPT) == "answer"
    assert model.find_role((Message("system", "Frame two. Plan first."), PROMPT[1])) == "act"
    assert model.find_role((Message("system", "A frame of nobody's. Plan first."), PROMPT[1])) == "act"


@pytest.mark.parametrize(("text", "found"), [("Frame one.", "act and answer"), ("Frame two.", "none"), ("", "none")])
def test_find_role_rejects_unknown_and_ambiguous_prompts(text: str, found: str) -> None:
    model = OfflineReader((Echo("answer"), Echo("act")))
    with pytest.raises(StrategyError, match=rf"begins as those of one role, got '{text}' of {found} among 2 rules"):
        model.find_role((Message("system", text),))


def test_dialect_without_a_suites_rule_raises_strategy_error() -> None:
    with pytest.raises(StrategyError, match="expected a rule for role 'act'"):
        OfflineReader((Planner(),)).chat((Message("system", "Plan first."), PROMPT[1]), role="act")


def test_dialect_is_not_used_for_another_role_or_a_users_message() -> None:
    model = OfflineReader((Echo("act"), Echo("answer"), Planner()))
    with_block = (Message("system", "Frame one. Plan first."), PROMPT[1])
    assert model.chat(with_block, role="answer").text == PROMPT[1].content
    quoted = (PROMPT[0], Message("user", "Plan first."))
    assert model.chat(quoted, role="act").text == "Plan first."
