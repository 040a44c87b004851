"""The meter: calls are committed before use, replayed in order at no cost, and compared with the requests."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.embedders.hash import HashEmbedder
from bench.errors import BenchError, BudgetStop, EndpointStop, Interrupted, ModelError, StoreError, StrategyError
from bench.models.cache.key import hash_request
from bench.models.ledger.embedder import MeteredEmbedder
from bench.models.ledger.meter import Meter, Release, ReplayMismatchError
from bench.models.ledger.metered import MeteredModel
from bench.models.scripted import ScriptedModel
from bench.protocols import Embedder, Estimate, Tries, Vectors
from bench.types import Attempt, Call, CallStatus, Message, Phase, Reply, Role, Usage, UsageSource


@dataclass
class Ledger:
    """Where calls go; ``log`` also tells who did what when."""

    calls: list[Call] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    full: bool = False

    def commit(self, call: Call) -> None:
        if self.full:
            raise StoreError("disk full")
        self.log.append(f"commit {call.reply}")
        self.calls.append(call)


def ask(text: str) -> tuple[Message, ...]:
    return (Message("user", text),)


class FlakyModel:
    """Replies from a list; an exception there is raised."""

    name = "flaky"

    def __init__(self, *says: str | Exception, usage: Usage = Usage(3, completion=2), log: list[str] | None = None):
        self.says, self.usage, self.calls, self.log = list(says), usage, 0, log if log is not None else []

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        self.calls += 1
        text = self.says.pop(0)
        if isinstance(text, Exception):
            raise text
        self.log.append(f"say {text}")
        return Reply(text, self.usage, cost_usd=0.5, price_date="2026-01-01", finish="stop")


class PaidEmbedder:
    """An embedder behind an endpoint: its vectors are paid, so they are stored."""

    name, in_process = "paid", False

    def __init__(self) -> None:
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls += 1
        return HashEmbedder().embed(texts)


def build_metered(
    model: FlakyModel | ScriptedModel, ledger: Ledger, committed: Sequence[Call] = (), cap: int = 0
) -> MeteredModel:
    return MeteredModel(model, Meter(ledger.commit, committed, cap=cap))


def test_reply_is_committed_before_it_is_returned() -> None:
    log: list[str] = []
    ledger = Ledger(log=log)
    model = build_metered(FlakyModel("yes", log=log), ledger)
    log.append(f"use {model.chat(ask('well?'), role='act').text}")
    assert log == ["say yes", "commit yes", "use yes"]


def test_reply_that_cannot_be_committed_is_not_used() -> None:
    meter = Meter(Ledger(full=True).commit)
    with pytest.raises(StoreError):
        MeteredModel(FlakyModel("yes"), meter).chat(ask("well?"), role="act")
    assert meter.calls == []


def test_committed_call_has_all_fields() -> None:
    ledger = Ledger()
    ticks = iter([10.0, 12.5])
    meter = Meter(ledger.commit)
    model = MeteredModel(FlakyModel("yes"), meter, lambda: next(ticks))
    meter.enter(Phase.ACT, 4)
    model.chat(ask("well?"), role="plan", max_tokens=9, stop=("x",))
    request_hash = hash_request("flaky", ask("well?"), 9, ("x",))
    assert ledger.calls == [
        Call(
            0,
            Phase.ACT,
            "plan",
            "flaky",
            request_hash,
            "yes",
            Usage(3, completion=2),
            4,
            1,
            CallStatus.OK,
            0.5,
            "2026-01-01",
            2.5,
        )
    ]
    assert meter.record_s() >= 0


@given(st.lists(st.text(min_size=1, max_size=4).filter(str.strip), min_size=1, max_size=6), st.data())
def test_resume_replays_committed_calls_and_makes_the_rest(replies: list[str], data: st.DataObject) -> None:
    first = Ledger()
    whole = build_metered(FlakyModel(*replies), first)
    text = [whole.chat(ask(f"q{i}"), role="act") for i in range(len(replies))]
    cut = data.draw(st.integers(0, len(replies)))
    again, rest = Ledger(), FlakyModel(*replies[cut:])
    model = build_metered(rest, again, first.calls[:cut])
    assert [model.chat(ask(f"q{i}"), role="act") for i in range(len(replies))] == text
    assert rest.calls == len(replies) - cut
    same = [replace(call, latency_s=0.0) for call in (*first.calls[:cut], *again.calls)]
    assert same == [replace(call, latency_s=0.0) for call in first.calls]


def test_replayed_calls_count_as_tokens_and_model_time() -> None:
    known = Call(0, Phase.ACT, "act", "flaky", hash_request("flaky", ask("q"), None, ()), "a", Usage(7, completion=1),
                 latency_s=3.0)  # fmt: skip
    meter = Meter(Ledger().commit, [known])
    MeteredModel(FlakyModel(), meter).chat(ask("q"), role="act")
    assert meter.calls == [known]


def test_replay_rejects_another_request_at_a_committed_index() -> None:
    ledger = Ledger()
    build_metered(FlakyModel("a"), ledger).chat(ask("q"), role="act")
    model = FlakyModel("never")
    with pytest.raises(ReplayMismatchError, match=r"replay: expected request .* at call 0, got .* not deterministic"):
        build_metered(model, Ledger(), ledger.calls).chat(ask("another"), role="act")
    assert model.calls == 0


def test_empty_reply_is_a_model_error_in_the_ledger_and_is_requested_again() -> None:
    ledger = Ledger()
    for text in ("", " \n"):
        with pytest.raises(ModelError, match="expected a reply, got an empty one"):
            build_metered(FlakyModel(text), ledger, tuple(ledger.calls)).chat(ask("q"), role="act")
    assert [(call.index, call.attempt, call.status) for call in ledger.calls] == [(0, 1, "empty"), (0, 2, "empty")]
    meter = Meter(ledger.commit, tuple(ledger.calls))
    assert MeteredModel(FlakyModel("at last"), meter).chat(ask("q"), role="act").text == "at last"
    assert (ledger.calls[-1].index, ledger.calls[-1].attempt, ledger.calls[-1].status) == (0, 3, "ok")
    # Attempts that gave nothing are part of the record, not of the trial's own tokens.
    assert [call.status for call in meter.calls] == ["empty", "empty", "ok"]
    assert [call.usage.prompt for call in meter.calls if call.status.completed] == [3]


def test_raising_model_is_a_model_error_and_uses_no_index() -> None:
    ledger = Ledger()
    model = build_metered(FlakyModel(OSError("429"), "a"), ledger)
    with pytest.raises(ModelError, match="flaky: OSError: 429"):
        model.chat(ask("q"), role="act")
    model.chat(ask("q"), role="act")
    assert [call.index for call in ledger.calls] == [0]


def test_lone_surrogate_in_a_reply_is_replaced() -> None:
    ledger = Ledger()
    assert build_metered(FlakyModel("so \ud83d"), ledger).chat(ask("q"), role="act").text == "so ?"
    assert ledger.calls[0].reply == "so ?"


def test_inner_calls_are_capped_for_each_decision() -> None:
    meter = Meter(Ledger().commit, cap=2)
    model = MeteredModel(ScriptedModel(lambda _, role: role), meter)
    for step in (1, 2):
        meter.enter(Phase.ACT, step)
        for _ in range(2):
            model.chat(ask("q"), role="plan")
        with pytest.raises(StrategyError, match="expected at most 2 model calls for one decision, got one more"):
            model.chat(ask("q"), role="plan")


def test_calls_while_observing_do_not_count_towards_the_cap() -> None:
    meter = Meter(Ledger().commit, cap=2)
    model = MeteredModel(ScriptedModel(lambda _, role: role), meter)
    meter.enter(Phase.WRITE, 0)  # a whole conversation is written in one go
    for _ in range(5):
        model.chat(ask("q"), role="extract")
    meter.enter(Phase.ACT, 1)
    with meter.phase(Phase.WRITE):  # but a decision's own writes count
        for _ in range(2):
            model.chat(ask("q"), role="summarize")
    with pytest.raises(StrategyError, match="expected at most 2 model calls"):
        model.chat(ask("q"), role="answer")


def test_phase_is_restored_after_its_block_raises() -> None:
    ledger = Ledger()
    meter = Meter(ledger.commit)
    model = MeteredModel(ScriptedModel(lambda _, role: role), meter)
    meter.enter(Phase.WRITE, 1)

    def inside() -> None:
        with meter.phase(Phase.READ):
            model.chat(ask("q"), role="navigate")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        inside()
    model.chat(ask("q"), role="summarize")
    assert [(call.phase, call.role) for call in ledger.calls] == [(Phase.READ, "navigate"), (Phase.WRITE, "summarize")]


@pytest.mark.parametrize("local", [True, False])
def test_embeddings_are_in_the_ledger_and_only_paid_vectors_are_stored(local: bool) -> None:
    ledger = Ledger()
    paid = PaidEmbedder()
    inner: Embedder = HashEmbedder() if local else paid
    texts = ["a mug", "a pan", ""]
    vectors = MeteredEmbedder(inner, Meter(ledger.commit)).embed(texts)
    (call,) = ledger.calls
    assert (call.role, call.reply == "", call.cost_usd) == (Role.EMBED, local, 0.0 if local else None)
    assert call.usage.source is (UsageSource.OFFLINE if local else UsageSource.TOKENIZER)
    meter = Meter(Ledger(full=True).commit, ledger.calls)
    again = MeteredEmbedder(inner, meter).embed(texts)
    assert np.array_equal(vectors, again)
    assert again.dtype == np.float32
    assert paid.calls == (0 if local else 1)
    assert meter.calls == [call]
    with pytest.raises(ReplayMismatchError):
        MeteredEmbedder(inner, Meter(Ledger().commit, ledger.calls)).embed(["other"])


def test_embed_of_no_texts_returns_no_rows_also_when_replayed() -> None:
    ledger = Ledger()
    assert MeteredEmbedder(PaidEmbedder(), Meter(ledger.commit)).embed([]).shape[0] == 0
    assert MeteredEmbedder(PaidEmbedder(), Meter(Ledger().commit, ledger.calls)).embed([]).shape[0] == 0


class Broken:
    """A strategy's code: it swallows every error of the model, and then fails by itself."""

    def __init__(self, model: MeteredModel):
        self.model = model

    def decide(self) -> None:
        for _ in range(3):
            with suppress(Exception):
                self.model.chat(ask("look?"), role="act")
        raise ValueError("no reply")


@pytest.mark.parametrize(
    "error", [OverflowError("too large"), UnicodeError("half"), KeyError("x"), OSError(28, "full")]
)
def test_what_a_recorder_raises_is_a_store_error(error: Exception) -> None:
    def commit(_call: Call) -> None:
        raise error

    model = FlakyModel("go")
    meter = Meter(commit)
    with pytest.raises(StoreError, match=f"ledger: expected a call that can be recorded, got {type(error).__name__}"):
        MeteredModel(model, meter).chat(ask("look?"), role="act")
    with pytest.raises(StoreError, match="ledger"):
        meter.raise_end()


@pytest.mark.parametrize("end", [StoreError("full"), BudgetStop("spent"), EndpointStop("key"), Interrupted()])
def test_what_ends_a_run_is_raised_again_when_a_strategy_swallowed_it(end: BenchError) -> None:
    def reserve(_estimate: Estimate) -> Release:
        raise end

    model = FlakyModel("go", "go", "go")
    meter = Meter(Ledger().commit, reserve=reserve)
    with pytest.raises(ValueError, match="no reply"):
        Broken(MeteredModel(model, meter)).decide()
    with pytest.raises(type(end)) as raised:
        meter.raise_end()
    assert (raised.value, model.calls) == (end, 0)


def test_reservation_ends_when_the_try_is_booked_and_not_before() -> None:
    ledger = Ledger()

    def reserve(estimate: Estimate) -> Release:
        tokens, usd = estimate()
        assert tokens > 4
        assert usd == 0
        ledger.log.append("reserve")
        return lambda: ledger.log.append("release")

    meter = Meter(ledger.commit, reserve=reserve)
    model = MeteredModel(FlakyModel("go", ModelError("gone"), "", log=ledger.log), meter)
    model.chat(ask("look?"), role="act", max_tokens=4)
    assert ledger.log == ["reserve", "say go", "commit go", "release"]
    for _ in range(2):  # a call that fails, and one whose reply is empty
        ledger.log.clear()
        with pytest.raises(ModelError):
            model.chat(ask("look?"), role="act", max_tokens=4)
        assert (ledger.log[0], ledger.log[-1], ledger.log.count("release")) == ("reserve", "release", 1)
    ledger.log.clear()
    Meter(ledger.commit, ledger.calls[:1], reserve=reserve)
    replayed = MeteredModel(FlakyModel(), Meter(ledger.commit, ledger.calls[:1], reserve=reserve))
    assert replayed.chat(ask("look?"), role="act", max_tokens=4).text == "go"
    assert ledger.log == []  # what is replayed takes nothing


class Retrying(FlakyModel):
    """A model that tells of its tries: two fail before each reply."""

    def __init__(self, ledger: Ledger):
        super().__init__("go")
        self.ledger, self.tries = ledger, None

    def watched(self, tries: Tries) -> Retrying:
        self.tries = tries
        return self

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        for number in range(2):
            self.tries.begin(lambda: (7, 0.5))
            self.tries.fail(Attempt(CallStatus.EMPTY, 2.0, Usage(10**30, completion=1), 0.25, f"try {number}"))
            assert self.ledger.calls[-1].reply == f"try {number}"  # booked before the next is made
        self.tries.begin(lambda: (7, 0.5))
        return super().chat(messages, role=role)


def test_failed_try_is_booked_at_once_with_its_own_reservation() -> None:
    ledger, held = Ledger(), list[tuple[int, float]]()

    def reserve(estimate: Estimate) -> Release:
        held.append(estimate())
        return lambda: ledger.log.append("release")

    reply = MeteredModel(Retrying(ledger), Meter(ledger.commit, reserve=reserve)).chat(ask("look?"), role="act")
    assert (reply.text, reply.attempts, held) == ("go", (), [(7, 0.5)] * 3)
    assert ledger.log == ["commit try 0", "release", "commit try 1", "release", "commit go", "release"]
    assert [(call.attempt, call.status, call.usage.prompt, call.cost_usd) for call in ledger.calls] == [
        (1, CallStatus.EMPTY, None, 0.25),
        (2, CallStatus.EMPTY, None, 0.25),
        (3, CallStatus.OK, 3, 0.5),
    ]


@pytest.mark.parametrize(
    "vectors", [np.zeros(3), np.zeros((2, 3)), np.full((1, 3), np.nan), None, "text", np.zeros((1, 2, 2))], ids=repr
)
def test_vectors_that_are_none_are_the_failure_of_the_embedder(vectors: Any) -> None:
    class Odd(PaidEmbedder):
        def embed(self, texts: Sequence[str]) -> Vectors:
            made: Vectors = vectors
            return made

    ledger = Ledger()
    with pytest.raises(ModelError, match="paid: "):
        MeteredEmbedder(Odd(), Meter(ledger.commit)).embed(["one"])
    assert ledger.calls == []


def test_reading_is_timed_without_recording_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("bench.models.ledger.meter.time.perf_counter", lambda: now[0])

    def commit(_call: Call) -> None:
        now[0] += 100.0

    meter = Meter(commit)
    model = MeteredModel(FlakyModel("yes"), meter, lambda: now[0])
    with meter.phase(Phase.READ):
        now[0] += 1.0
        with meter.phase(Phase.READ):
            now[0] += 2.0
            model.chat(ask("well?"), role="navigate")
    with meter.phase(Phase.WRITE):
        now[0] += 5.0
    assert meter.read_s() == 3.0
    assert meter.record_s() == 100.0
