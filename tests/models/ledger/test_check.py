"""What a model hands back: a number that cannot be true is not reported; what is no reply is the model's failure."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import ModelError
from bench.models.ledger.check import check_attempts, check_reply
from bench.models.ledger.meter import Meter
from bench.models.ledger.metered import MeteredModel
from bench.types import MOST_TOKENS, Attempt, Call, CallStatus, Message, Reply, Usage, UsageSource

IMPOSSIBLE = (-1, 10**30, MOST_TOKENS + 1, math.nan, math.inf, -math.inf, True, "12", 12.5, Decimal(3), None, [3])
NUMBERS = st.integers() | st.floats() | st.booleans() | st.text(max_size=3) | st.none() | st.just(10**400)


@pytest.mark.parametrize("value", IMPOSSIBLE, ids=repr)
@pytest.mark.parametrize("name", ["prompt", "cached_read", "cache_write", "completion", "reasoning"])
def test_check_reply_takes_an_impossible_count_for_not_reported(name: str, value: Any) -> None:
    counted = {"prompt": 9, "completion": 4, "source": UsageSource.TOKENIZER}
    checked = check_reply(Reply("look", Usage(**{**counted, name: value}))).usage
    assert checked == Usage(**{**counted, name: None})


@pytest.mark.parametrize("value", [-0.01, math.nan, math.inf, True, "1", 10**400, 2e6, None], ids=repr)
def test_check_reply_takes_an_impossible_cost_for_unknown(value: Any) -> None:
    assert check_reply(Reply("look", cost_usd=value)).cost_usd is None
    (attempt,) = check_attempts([Attempt(CallStatus.EMPTY, latency_s=value, cost_usd=value)])
    assert (attempt.cost_usd, attempt.latency_s) in ((None, 0.0), (None, 2e6))


def test_check_reply_keeps_what_may_be_true() -> None:
    failed = Attempt(CallStatus.TIMEOUT, 2.5, Usage(prompt=3), 0.25, "late")
    reply = Reply("look", Usage(MOST_TOKENS, 0, 1, 2, 3, UsageSource.REPLAY), 0.5, "2026-01-01", "length", (failed,))
    assert check_reply(reply) == reply
    assert check_reply(Reply("look", Usage(prompt=np.int64(5)), np.float32(0.5))).usage.prompt == 5  # type: ignore[arg-type]
    assert check_reply(Reply("look", usage=None)).usage == Usage()  # type: ignore[arg-type]


@given(st.tuples(*[NUMBERS] * 5), NUMBERS)
def test_checked_reply_can_be_stored(counts: tuple[Any, ...], cost: Any) -> None:
    found = check_reply(Reply("look", Usage(*counts), cost))
    use = found.usage
    values = (use.prompt, use.cached_read, use.cache_write, use.completion, use.reasoning, found.cost_usd)
    db = sqlite3.connect(":memory:")
    assert db.execute("SELECT ?, ?, ?, ?, ?, ?", values).fetchone() == values
    db.close()
    assert all(value is None or 0 <= value <= MOST_TOKENS for value in values)


@pytest.mark.parametrize(
    "found",
    [None, "look", Reply(None), Reply("look", finish=3), Reply("look", price_date=None)],
    ids=repr,  # type: ignore[arg-type]
)
def test_what_is_no_reply_is_the_failure_of_the_model(found: Any) -> None:
    class Odd:
        name = "odd"

        def chat(
            self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
        ) -> Reply:
            reply: Reply = found
            return reply

    booked: list[Call] = []
    with pytest.raises(ModelError, match="odd: TypeError: expected a Reply"):
        MeteredModel(Odd(), Meter(booked.append)).chat((Message("user", "x"),), role="act")
    assert booked == []
