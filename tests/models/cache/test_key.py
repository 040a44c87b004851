"""Keys of cached replies: equal for equal requests, different for everything that decides a reply."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.models.cache.key import CacheKey, Request, ScopedCache, hash_request, to_replay
from bench.models.cache.store import ReplyCache
from bench.types import Attempt, CallStatus, Message, Reply, Usage, UsageSource

REQUEST = Request("m", (Message("user", "q"),), 9, ("\n",))
KEY = CacheKey(REQUEST, REQUEST.hash, "id", 1, 2)


def ask(text: str) -> tuple[Message, ...]:
    return (Message("user", text),)


@given(
    st.text(max_size=9), st.text(max_size=9), st.none() | st.integers(0, 9), st.lists(st.text(max_size=3)).map(tuple)
)
def test_hash_request_is_equal_only_for_equal_requests(
    one: str, two: str, max_tokens: int | None, stop: tuple[str, ...]
) -> None:
    digest = hash_request("m", ask(one), max_tokens, stop)
    assert digest == hash_request("m", ask(one), max_tokens, stop)
    assert (digest == hash_request("m", ask(two), max_tokens, stop)) == (one == two)
    assert digest != hash_request("n", ask(one), max_tokens, stop)
    assert digest != hash_request("m", ask(one), max_tokens, (*stop, "x"))
    assert digest != hash_request("m", ask(one), max_tokens, stop, json_object=True)


def test_digests_are_those_of_published_cassettes() -> None:
    assert REQUEST.hash == "c329cce0047c0fac4d53acc1d11f741dfec2aba4338df69d42ee79ecaf871514"
    assert KEY.digest == "b089ee19669f935d0ab7587a042bb871e23aa2ff82cdd3629fefbbc447377c27"


@pytest.mark.parametrize("change", [{"request_hash": "0"}, {"identity": "other"}, {"seed": 2}, {"sample": 3}])
def test_digest_changes_with_every_field(change: dict[str, object]) -> None:
    assert replace(KEY, **change).digest != KEY.digest  # type: ignore[arg-type]


def test_scoped_cache_makes_keys_of_its_identity_and_seed(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "replies.sqlite", writable=True)
    assert ScopedCache(cache, "id", 1).make_key(REQUEST, REQUEST.hash, 2) == KEY
    cache.close()


@pytest.mark.parametrize("source", UsageSource)
def test_to_replay_keeps_tokens_and_the_mark_of_an_estimate(source: UsageSource) -> None:
    reply = Reply("a", Usage(3, completion=2, source=source), 0.5, "d", attempts=(Attempt(CallStatus.TIMEOUT),))
    expected = UsageSource.TOKENIZER if source is UsageSource.TOKENIZER else UsageSource.REPLAY
    assert to_replay(reply) == Reply("a", Usage(3, completion=2, source=expected), 0.0, "d")
