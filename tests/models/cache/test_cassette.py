"""Cassettes: equal bytes for equal replies, complete after an import, refused where a line was changed."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.errors import StoreError, UsageError
from bench.models.cache.cassette import read_cassette, write_cassette
from bench.models.cache.key import CacheKey, Request
from bench.models.cache.rows import CachedReply
from bench.models.cache.store import ReplyCache
from bench.secrets import Secrets
from bench.types import Message, Reply, Usage, UsageSource

NO_SECRETS = Secrets({})


def entry(text: str, reply: str = "a\nb", cost: float | None = 0.25) -> CachedReply:
    request = Request("remote/fake", (Message("system", "Act."), Message("user", text)), 30, ("\n",))
    usage = Usage(10, None, 0, 4, source=UsageSource.API)
    return CachedReply(
        CacheKey(request, request.hash, '{"model": "remote/fake"}', 1, 2), Reply(reply, usage, cost, "2026-01-01")
    )


def write(path: Path, entries: Sequence[CachedReply]) -> Path:
    write_cassette(sorted(entries, key=lambda one: one.key.digest), path, NO_SECRETS)
    return path


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    return write(tmp_path / "six.jsonl", [entry(f"q{i}") for i in range(6)])


def test_entry_keeps_the_json_mode_of_its_request(tmp_path: Path) -> None:
    plain = entry("q")
    request = replace(plain.key.request, json_object=True)
    held = CachedReply(CacheKey(request, request.hash, "{}"), plain.reply)
    assert list(read_cassette(write(tmp_path / "one.jsonl", [held]))) == [held]


texts = st.text(max_size=30)


@given(st.dictionaries(texts, st.tuples(texts, st.none() | st.floats(0, 9))), st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_read_cassette_returns_the_written_entries_sorted_by_key(
    tmp_path: Path, entries_by_text: dict[str, tuple[str, float | None]], packed: bool
) -> None:
    entries = [entry(text, *what) for text, what in entries_by_text.items()]
    path = write(tmp_path / ("t.jsonl.gz" if packed else "t.jsonl"), entries)
    back = list(read_cassette(path))
    assert back == sorted(entries, key=lambda one: one.key.digest)
    assert write(tmp_path / f"again{path.suffix}", back).read_bytes() == path.read_bytes()


def test_cassettes_of_two_caches_have_equal_bytes(tmp_path: Path) -> None:
    entries = [entry(f"q{i}", "ä\u2028b" * i) for i in range(30)]
    made = []
    for name, order in (("one", entries), ("two", entries[::-1])):
        cache = ReplyCache(tmp_path / f"{name}.sqlite", writable=True)
        cache.add(order)
        write_cassette(cache.entries(), tmp_path / f"{name}.jsonl.gz", NO_SECRETS)
        made.append((tmp_path / f"{name}.jsonl.gz").read_bytes())
        cache.close()
    assert made[0] == made[1]
    lines = gzip.decompress(made[0]).decode().split("\n")
    assert (len(lines), json.loads(lines[0])["replies"], lines[-1]) == (32, 30, "")


def swap_lines(lines: list[str]) -> list[str]:
    return [*lines[:2], lines[3], lines[2], *lines[4:]]


def edit_line(number: int, change: Callable[[dict[str, Any]], object]) -> Callable[[list[str]], list[str]]:
    def edit(lines: list[str]) -> list[str]:
        body = json.loads(lines[number - 1])
        change(body)
        return [
            *lines[: number - 1],
            json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":")),
            *lines[number:],
        ]

    return edit


@pytest.mark.parametrize(
    ("edit", "line", "message"),
    [
        (edit_line(4, lambda body: body.update(reply="won")), 4, "the content it was sealed with"),
        (edit_line(7, lambda body: body.update(cost_usd=0.0)), 7, "the content it was sealed with"),
        (edit_line(2, lambda body: body["messages"][1].__setitem__(1, "easier")), 2, "the content it was sealed with"),
        (edit_line(3, lambda body: body.update(digest="0" * 32)), 3, "the content it was sealed with"),
        (edit_line(3, lambda body: body.pop("digest")), 3, "the content it was sealed with"),
        (lambda lines: [*lines[:3], lines[3].replace(":", ": ", 1), *lines[4:]], 4, "the content it was sealed with"),
        (swap_lines, 3, "the content it was sealed with"),
        (lambda lines: [*lines[:4], *lines[5:]], 5, "the content it was sealed with"),
        (lambda lines: [*lines[:2], *lines[1:]], 3, "the content it was sealed with"),
        (lambda lines: lines[:-1], 7, "expected 6 replies, got an end after 5"),
        (lambda lines: lines[1:], 1, "the first line of a cassette"),
        (lambda lines: [*lines[:2], "{not JSON", *lines[2:]], 3, "a JSON object, got '{not JSON'"),
        (lambda lines: [*lines[:2], "[1]", *lines[2:]], 3, "a JSON object, got list"),
        (lambda lines: [], 1, "a JSON object"),
        (edit_line(1, lambda first: first.update(replies=5)), 8, "expected 5 replies, got an end after 6"),
        (edit_line(1, lambda first: first.update(memfrontier_cassette=2)), 1, "expected format 1, got format 2"),
    ],
)
def test_changed_line_is_refused_with_its_number(
    edit: Callable[[list[str]], list[str]], line: int, message: str, plain: Path
) -> None:
    lines = plain.read_text().splitlines()
    plain.write_text("".join(f"{one}\n" for one in edit(lines)))
    with pytest.raises(UsageError, match=rf"six\.jsonl, line {line}: .*{message}.*; nothing was imported"):
        list(read_cassette(plain))


def test_forged_key_is_refused_even_with_a_valid_seal(tmp_path: Path) -> None:
    good = entry("q")
    forged = CachedReply(CacheKey(good.key.request, "0" * 64, good.key.identity), good.reply)
    with pytest.raises(UsageError, match="line 2: expected the key of its own request"):
        list(read_cassette(write(tmp_path / "forged.jsonl", [forged])))


def test_damaged_and_missing_cassettes_are_usage_errors(tmp_path: Path, plain: Path) -> None:
    path = write(tmp_path / "t.jsonl.gz", [entry(f"q{i}", str(i) * 400) for i in range(50)])
    data = path.read_bytes()
    for damage in (data[: len(data) // 2], data[:-6], data[:200] + b"\0\0\0" + data[203:]):
        path.write_bytes(damage)
        with pytest.raises(UsageError, match=r"t\.jsonl\.gz, line \d+: expected .*; nothing was imported"):
            list(read_cassette(path))
    plain.write_bytes(plain.read_bytes().replace(b"q3", b"\xff3"))
    with pytest.raises(UsageError, match=r"line \d: expected (UTF-8 text|the content)"):
        list(read_cassette(plain))
    for nothing in (tmp_path / "none", tmp_path):
        with pytest.raises(UsageError, match="cassette: expected a file, got nothing at"):
            list(read_cassette(nothing))


def test_secret_in_a_reply_is_refused_and_leaves_no_partial_file(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    secrets = Secrets({"OPENAI_API_KEY": "sk-planted-123456"})
    with pytest.raises(StoreError, match="expected no value of a key variable") as refused:
        write_cassette([entry("a"), entry("b", "it is sk-planted-123456")], path, secrets)
    assert "planted" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cassette: expected a place to write"):
        write(tmp_path / "file" / "t.jsonl", [entry("a")])
