"""The cache of replies: the first reply stays, read mode makes no call, threads and processes share it, and how the
metered models use it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.embedders.hash import HashEmbedder
from bench.errors import ContextOverflow, Interrupted, ModelError, StoreError
from bench.models.cache.key import CacheKey, Request, ScopedCache
from bench.models.cache.rows import CachedReply
from bench.models.cache.store import (
    MissingReplyError,
    ReplayOnlyModel,
    ReplyCache,
    cache_path,
    open_replies,
)
from bench.models.ledger.embedder import MeteredEmbedder
from bench.models.ledger.meter import Meter
from bench.models.ledger.metered import MeteredModel
from bench.models.scripted import ScriptedSource
from bench.protocols import Vectors
from bench.types import Call, CallStatus, Message, Reply, Usage, UsageSource

USAGE = Usage(prompt=7, cached_read=3, completion=2)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[ReplyCache]:
    made = ReplyCache(tmp_path / "replies.sqlite", writable=True)
    yield made
    made.close()


def key(text: str = "q", identity: str = "remote", seed: int = 0, sample: int = 0) -> CacheKey:
    request = Request("remote/fake", (Message("system", "Act."), Message("user", text)), 9, ("\n",))
    return CacheKey(request, request.hash, identity, seed, sample)


def open_reader(cache: ReplyCache) -> ReplyCache:
    return ReplyCache(cache.path, writable=False)


def test_entry_keeps_the_json_mode_of_its_request(cache: ReplyCache) -> None:
    request = replace(key().request, json_object=True)
    mine = CacheKey(request, request.hash, "remote")
    cache.put(mine, Reply("{}"))
    assert list(cache.entries([mine.digest])) == [CachedReply(mine, Reply("{}"))]


counts = st.none() | st.integers(0, 10**9)
replies = st.builds(
    Reply,
    st.text(),
    st.builds(Usage, counts, counts, counts, counts, counts, st.sampled_from(UsageSource)),
    st.none() | st.floats(0, 100),
    st.text(max_size=5),
    st.sampled_from(["stop", "length", "refusal"]),
)


@given(st.text(), replies)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_get_returns_the_stored_reply_with_unknowns_unknown(cache: ReplyCache, text: str, reply: Reply) -> None:
    mine = key(text, identity=repr(reply))
    cache.put(mine, reply)
    assert cache.get(mine) == reply
    assert list(cache.entries([mine.digest])) == [CachedReply(mine, reply)]


def test_first_reply_stays_after_a_second_put_and_a_reopen(cache: ReplyCache) -> None:
    cache.put(key(), Reply("first"))
    cache.put(key(), Reply("second"))
    cache.close()
    again = ReplyCache(cache.path, writable=True)
    assert again.get(key()) == Reply("first")
    assert again.get(key("other")) is None
    again.close()


@pytest.mark.parametrize("other", [key("r"), key(identity="remote, warm"), key(seed=1), key(sample=1)])
def test_get_separates_request_identity_seed_and_sample(cache: ReplyCache, other: CacheKey) -> None:
    cache.put(key(), Reply("mine"))
    assert cache.get(other) is None


def test_text_of_many_requests_is_stored_once(cache: ReplyCache) -> None:
    for number in range(20):
        cache.put(key(str(number)), Reply("a"))
    db = sqlite3.connect(cache.path)
    assert db.execute("SELECT COUNT(*) FROM texts").fetchone() == (21,)
    db.close()
    assert [totals.replies for totals in cache.sum_by_identity()] == [20]


@pytest.mark.parametrize(
    ("missing", "detail"),
    [
        (key(identity="cold"), r"has the same request for \[remote\] but not for \[cold\]"),
        (key(seed=3), "has the same request for seed 0, sample 0 but not for seed 3, sample 0"),
        (key("new"), r"has 1 replies of \[remote\] but to other prompts"),
        (key("new", identity="cold"), r"has replies of \[remote\] but not of \[cold\]"),
    ],
)
def test_missing_reply_in_read_mode_names_the_nearest_entry(cache: ReplyCache, missing: CacheKey, detail: str) -> None:
    cache.put(key(), Reply("mine"))
    reader = open_reader(cache)
    assert reader.get(key()) == Reply("mine")
    with pytest.raises(
        MissingReplyError, match=rf"expected a cached reply, got none for remote/fake .*{detail}; run with"
    ):
        reader.get(missing)
    reader.close()


def test_read_mode_writes_nothing_and_reports_an_empty_cache(cache: ReplyCache) -> None:
    reader = open_reader(cache)
    reader.put(key(), Reply("mine"))
    with pytest.raises(MissingReplyError, match="it is empty; run with --cache read-write"):
        reader.get(key())
    reader.close()


def test_read_mode_without_a_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCH_CACHE", str(tmp_path / "none"))
    with pytest.raises(MissingReplyError, match="got nothing there; run with --cache read-write first, or `bench ca"):
        open_replies("read")
    assert open_replies("off") is None
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(MissingReplyError, match="remote/fake: expected no call with --cache read"):
        ReplayOnlyModel("remote/fake").chat((), role="act")


@pytest.mark.parametrize(("given", "found"), [("a/b", "a/b/replies.sqlite"), ("a/c.sqlite", "a/c.sqlite")])
def test_cache_path_is_a_folder_or_a_file(
    given: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCH_CACHE", str(tmp_path / given))
    assert cache_path() == tmp_path / found
    opened = open_replies("read-write")
    assert opened is not None
    opened.close()
    assert (tmp_path / found).is_file()
    monkeypatch.delenv("BENCH_CACHE")
    assert cache_path().parts[-2:] == ("memfrontier", "replies.sqlite")


def test_damaged_newer_and_unwritable_files_are_store_errors(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.sqlite"
    damaged.write_bytes(b"not a database at all" * 100)
    for writable in (True, False):
        with pytest.raises(
            StoreError, match=r"expected a database of replies, got a damaged or foreign file at .*damaged\.sqli"
        ):
            ReplyCache(damaged, writable=writable)
    newer = tmp_path / "newer.sqlite"
    ReplyCache(newer, writable=True).close()
    with sqlite3.connect(newer) as db:
        db.execute("UPDATE meta SET value = '99'")
    db.close()
    with pytest.raises(StoreError, match="expected schema 1, got 99"):
        ReplyCache(newer, writable=True)
    with pytest.raises(StoreError, match="expected a usable file with free space"):
        ReplyCache(damaged / "below" / "replies.sqlite", writable=True)


def test_add_that_fails_stores_nothing(cache: ReplyCache) -> None:
    def fail_at_second() -> Iterator[CachedReply]:
        yield CachedReply(key("a"), Reply("a"))
        raise ValueError("line 2")

    with pytest.raises(ValueError, match="line 2"):
        cache.add(fail_at_second())
    assert list(cache.entries()) == []
    assert (
        cache.add(
            [
                CachedReply(key("a"), Reply("a")),
                CachedReply(key("b"), Reply("b")),
                CachedReply(key("a"), Reply("c")),
            ]
        )
        == 2
    )
    assert [entry.reply.text for entry in cache.entries()] in (["a", "b"], ["b", "a"])


WRITER = """
import sys
from pathlib import Path
from bench.models.cache.store import ReplyCache
from bench.models.cache.key import CacheKey, Request
from bench.types import Message, Reply
cache = ReplyCache(Path(sys.argv[1]), writable=True)
for number in range(150):
    request = Request("remote/fake", (Message("user", f"{number}"),))
    key = CacheKey(request, request.hash, "remote")
    cache.put(key, Reply(f"{sys.argv[2]} says {number}"))
    assert cache.get(key).text.endswith(f"says {number}")
cache.close()
"""


def test_processes_and_threads_can_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), name]) for name in ("a", "b", "c")]
    cache = ReplyCache(path, writable=True)

    def write(name: str) -> None:
        for number in range(150):
            cache.put(key(f"{name} {number}"), Reply("thread"))

    threads = [threading.Thread(target=write, args=(name,)) for name in "xy"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    assert len(list(cache.entries())) == 150 + 300
    cache.close()


class Book:
    """A trial's ledger and what stands around a metered model."""

    def __init__(self, model: ScriptedSource, cache: ReplyCache | Late, committed: Sequence[Call] = (), seed: int = 0):
        self.calls: list[Call] = []
        self.meter = Meter(self.calls.append, committed)
        self.model = MeteredModel(model, self.meter, cached=ScopedCache(cache, model.identity, seed))

    def ask(self, text: str = "q") -> str:
        return self.model.chat((Message("user", text),), role="act").text


class Late:
    """A cache in which another process puts its reply while ours is under way."""

    def __init__(self, inner: ReplyCache):
        self._inner, self._reads = inner, 0
        self.put, self.lock, self.close = inner.put, inner.lock, inner.close

    def get(self, key: CacheKey) -> Reply | None:
        self._reads += 1
        if self._reads == 2:
            self._inner.put(key, Reply("theirs", USAGE, 0.5))
        return self._inner.get(key)


def reply_by_number(_messages: Sequence[Message], _role: str, number: int) -> str:
    return f"reply {number}"


def test_replay_has_tokens_no_cost_and_no_call(cache: ReplyCache) -> None:
    source = ScriptedSource(reply_by_number)
    first = Book(source, cache)
    replies_seen = [first.ask(), first.ask(), first.ask("other")]
    assert replies_seen == ["reply 1", "reply 2", "reply 3"]  # the same prompt twice in a trial is two samples
    again = Book(source, cache)
    assert [again.ask(), again.ask(), again.ask("other")] == replies_seen
    assert source.calls == 3
    assert {(call.usage.source, call.cost_usd, call.price_date, call.latency_s) for call in again.calls} == {
        (UsageSource.REPLAY, 0.0, "2026-01-01", 0.0)
    }
    assert [call.usage.prompt for call in again.meter.calls] == [call.usage.prompt for call in first.meter.calls]
    assert first.meter.calls
    assert Book(source, cache, seed=1).ask() == "reply 4"  # another seed is another reply


def test_replayed_estimate_keeps_its_mark(cache: ReplyCache) -> None:
    source = ScriptedSource(reply_by_number)
    replies_seen = Reply("a", replace(USAGE, source=UsageSource.TOKENIZER), 0.5)
    request = Request(source.name, (Message("user", "q"),))
    cache.put(CacheKey(request, request.hash, source.identity), replies_seen)
    book = Book(source, cache)
    assert book.ask() == "a"
    assert (book.calls[0].usage, book.calls[0].cost_usd) == (replies_seen.usage, 0.0)


def test_resume_adds_the_ledgers_reply_to_the_cache(cache: ReplyCache) -> None:
    source = ScriptedSource(reply_by_number)
    book = Book(source, cache)
    book.ask()
    emptied = ReplyCache(cache.path.with_name("empty.sqlite"), writable=True)
    resumed = Book(source, emptied, book.calls)
    assert (resumed.ask(), source.calls) == ("reply 1", 1)
    (entry,) = emptied.entries()
    assert (entry.reply.text, entry.reply.cost_usd) == ("reply 1", 0.01)
    emptied.close()


def test_late_reply_is_booked_as_duplicate_and_the_cached_one_is_used(cache: ReplyCache) -> None:
    book = Book(ScriptedSource(reply_by_number), Late(cache))
    assert book.ask() == "theirs"
    assert [(call.status, call.reply, call.cost_usd) for call in book.calls] == [
        (CallStatus.DUPLICATE, "reply 1", 0.01),
        ("ok", "theirs", 0.0),
    ]


def test_equal_requests_at_once_are_paid_once(cache: ReplyCache) -> None:
    def slow(_messages: Sequence[Message], _role: str, number: int) -> str:
        time.sleep(0.05)  # long enough that the others wait for the same key
        if number == 1:
            raise ModelError("first one fails")
        return f"reply {number}"

    source, replies_seen = ScriptedSource(slow), list[str]()

    def ask() -> None:
        try:
            replies_seen.append(Book(source, cache).ask())
        except ModelError as failure:
            replies_seen.append(str(failure))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(replies_seen) == ["first one fails", *["reply 2"] * 7]
    assert source.calls == 2
    assert cache._key_locks == {}


def test_overflow_is_cached_keeps_its_index_and_costs_nothing(cache: ReplyCache) -> None:
    def full(messages: Sequence[Message], _role: str, number: int) -> str:
        if messages[0].content == "long":
            raise ContextOverflow("remote/fake: too long")
        return f"reply {number}"

    source = ScriptedSource(full)
    book = Book(source, cache)
    for asks in (Book(source, cache), book):
        with pytest.raises(ContextOverflow, match="too long"):
            asks.ask("long")
    assert (book.ask(), source.calls) == ("reply 2", 2)
    assert [(call.index, call.status, call.finish, call.cost_usd) for call in book.calls] == [
        (0, CallStatus.OVERFLOW, "overflow", 0.0),
        (1, "ok", "stop", 0.01),
    ]
    resumed = Book(source, cache, book.calls)
    with pytest.raises(ContextOverflow):
        resumed.ask("long")
    assert (resumed.ask(), source.calls, resumed.calls) == ("reply 2", 2, [])


class RemoteEmbedder:
    """An embedder behind an endpoint."""

    name, in_process = "remote/vectors", False

    def __init__(self) -> None:
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls += 1
        return HashEmbedder().embed(texts)


def test_paid_vectors_are_shared_between_seeds(cache: ReplyCache) -> None:
    source, calls = RemoteEmbedder(), list[Call]()
    vectors = [
        MeteredEmbedder(source, Meter(calls.append), cached=ScopedCache(cache, "model", seed)).embed(["a mug", "a pan"])
        for seed in (0, 1)
    ]
    assert (vectors[0] == vectors[1]).all()
    assert (source.calls, [call.cost_usd for call in calls]) == (1, [None, 0.0])


def test_stopped_run_uses_the_cache_and_makes_no_call(cache: ReplyCache) -> None:
    source = ScriptedSource(reply_by_number)
    Book(source, cache).ask()
    stopped: Callable[[], bool] = lambda: True  # noqa: E731
    model = MeteredModel(source, Meter([].append, stopped=stopped), cached=ScopedCache(cache, source.identity))
    assert model.chat((Message("user", "q"),), role="act").text == "reply 1"
    with pytest.raises(Interrupted):
        model.chat((Message("user", "new"),), role="act")
    assert source.calls == 1
