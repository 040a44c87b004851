"""The scripted model: replies from a list or a function, with counted usage."""

from __future__ import annotations

import pytest

from bench.errors import ModelError
from bench.models.scripted import ScriptedModel
from bench.types import Message, UsageSource

PROMPT = (Message("system", "Act in the room."), Message("user", "Now."))


def test_scripted_model_replies_in_order_then_raises() -> None:
    model = ScriptedModel(["one", "two"], name="fake")
    assert [model.chat(PROMPT, role="act").text for _ in range(2)] == ["one", "two"]
    with pytest.raises(ModelError, match="fake: expected at most 2 calls, got one more; add replies"):
        model.chat(PROMPT, role="act")
    assert (model.calls, model.name) == (3, "fake")


def test_reply_function_gets_messages_and_role() -> None:
    model = ScriptedModel(lambda messages, role: f"{role}: {messages[-1].content}")
    assert model.chat(PROMPT, role="plan").text == "plan: Now."


def test_scripted_model_counts_its_usage() -> None:
    reply = ScriptedModel(["go to shelf"]).chat(PROMPT, role="act", max_tokens=1, stop=("x",))
    assert (reply.usage.prompt, reply.usage.completion) == (7, 3)
    assert (reply.usage.source, reply.cost_usd) == (UsageSource.OFFLINE, 0.0)
