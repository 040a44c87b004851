"""The metered model and embedder: what they raise, what they redact, and how vectors are stored."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bench.embedders.hash import HashEmbedder
from bench.embedders.litellm import LitellmEmbedder
from bench.errors import ContextOverflow, ModelError, NoVerdict, Refused
from bench.models.cache.key import OVERFLOW, hash_request
from bench.models.ledger.embedder import MeteredEmbedder, _decode, _encode
from bench.models.ledger.meter import Meter
from bench.models.ledger.metered import REFUSAL, MeteredModel
from bench.types import Attempt, Call, CallStatus, Message, Phase, Reply, Role, Usage

PROMPT = (Message("user", "q"),)


class OneReply:
    """A model that always gives the same reply."""

    name = "one"

    def __init__(self, reply: Reply):
        self.reply = reply
        self.prompts: list[str] = []

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        self.prompts += [message.content for message in messages]
        return self.reply


@pytest.mark.parametrize("role", [Role.ACT, Role.ANSWER])
def test_chat_raises_refused_for_a_refusal_to_decide(role: Role) -> None:
    with pytest.raises(Refused, match="one: declined: no reason given"):
        MeteredModel(OneReply(Reply("", finish=REFUSAL)), Meter([].append)).chat(PROMPT, role=role)


def test_chat_returns_a_refusal_in_other_roles() -> None:
    model = MeteredModel(OneReply(Reply("I cannot.", finish=REFUSAL)), Meter([].append))
    assert model.chat(PROMPT, role="acme/route").text == "I cannot."


def test_a_committed_overflow_is_raised_again_on_resume() -> None:
    committed = Call(
        0, Phase.ACT, Role.ACT, "one", hash_request("one", PROMPT, None, ()), "too long", Usage(), finish=OVERFLOW,
        status=CallStatus.OVERFLOW,
    )  # fmt: skip
    with pytest.raises(ContextOverflow, match="too long") as raised:
        MeteredModel(OneReply(Reply("x")), Meter([].append, [committed])).chat(PROMPT, role=Role.ACT)
    assert raised.value.prompt == tuple(PROMPT)


def test_keys_are_redacted_before_a_prompt_is_sent_and_before_a_reply_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "planted-value")
    calls: list[Call] = []
    inner = OneReply(Reply("it is planted-value"))
    reply = MeteredModel(inner, Meter(calls.append)).chat((Message("user", "use planted-value"),), role=Role.ACT)
    assert inner.prompts == ["use <MY_KEY>"]
    assert reply.text == calls[0].reply == "it is <MY_KEY>"


def test_failed_attempts_before_a_reply_are_calls_of_the_same_index() -> None:
    calls: list[Call] = []
    attempts = (Attempt(CallStatus.TIMEOUT, 1.0), Attempt(CallStatus.RATE_LIMIT, 2.0))
    MeteredModel(OneReply(Reply("a", attempts=attempts)), Meter(calls.append)).chat(PROMPT, role=Role.ACT)
    assert [(call.index, call.attempt, call.status) for call in calls] == [
        (0, 1, CallStatus.TIMEOUT),
        (0, 2, CallStatus.RATE_LIMIT),
        (0, 3, CallStatus.OK),
    ]


def test_a_rejected_reply_is_recorded_as_no_verdict_and_raised() -> None:
    calls: list[Call] = []
    model = MeteredModel(OneReply(Reply("maybe")), Meter(calls.append), accept=lambda text: text == "CORRECT")
    with pytest.raises(NoVerdict):
        model.chat(PROMPT, role=Role.JUDGE)
    assert [call.status for call in calls] == [CallStatus.NO_VERDICT]


def test_an_attempt_with_an_unknown_status_is_refused() -> None:
    failed = Reply("a", attempts=(Attempt("teapot"),))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'teapot' is not a valid CallStatus"):
        MeteredModel(OneReply(failed), Meter([].append)).chat(PROMPT, role=Role.ACT)


@given(arrays(np.float32, st.tuples(st.integers(0, 4), st.integers(0, 5)), elements=st.floats(-1, 1, width=32)))
def test_decode_is_the_inverse_of_encode(vectors: np.ndarray) -> None:
    decoded = _decode(_encode(vectors))
    assert decoded.dtype == np.float32
    assert decoded.tobytes() == vectors.tobytes()
    assert decoded.shape[1] == vectors.shape[1]


def test_vectors_of_a_provider_are_recorded_as_paid() -> None:
    assert MeteredEmbedder(HashEmbedder(), Meter([].append)).in_process
    assert not MeteredEmbedder(LitellmEmbedder("openai/fake"), Meter([].append)).in_process


def test_an_embedder_that_raises_is_a_model_error() -> None:
    class Broken(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> np.ndarray:
            raise OSError("503")

    with pytest.raises(ModelError, match="hash: OSError: 503"):
        MeteredEmbedder(Broken(), Meter([].append)).embed(["a"])
