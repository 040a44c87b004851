"""Cassettes of strangers: wrong types, numbers and texts that no database holds, and files that unpack without end."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest

from bench.errors import UsageError
from bench.models.cache import cassette
from bench.models.cache.cassette import read_cassette, write_cassette
from bench.models.cache.key import CacheKey, Request
from bench.models.cache.rows import CachedReply
from bench.secrets import Secrets
from bench.types import Message, Reply, Usage
from tests.conftest import RunBench

HEAD = {"memfrontier_cassette": 1, "replies": 1, "digest": "x"}
WRONG: list[dict[str, Any]] = [
    {"reply": 5}, {"reply": [1]}, {"reply": None}, {"finish": {}}, {"seed": "x"}, {"seed": 10**30}, {"seed": True},
    {"sample": -1}, {"sample": 1.5}, {"cost_usd": "a"}, {"cost_usd": []}, {"cost_usd": -3.0}, {"cost_usd": 10**30},
    {"usage": []}, {"usage": {"prompt": "a", "source": "api"}}, {"usage": {"prompt": 10**30, "source": "api"}},
    {"usage": {"prompt": -5, "source": "api"}}, {"usage": {"prompt": True, "source": "api"}},
    {"usage": {"zz": 1, "source": "api"}}, {"usage": {"source": "zz"}}, {"usage": {}}, {"key": 5}, {"key": "zz"},
    {"messages": [["user", 5]]}, {"messages": "ab"}, {"messages": [[None, "a"]]}, {"messages": [["user"]]},
    {"max_tokens": "a"}, {"max_tokens": 10**30}, {"stop": [1]}, {"stop": "ab"}, {"identity": None}, {"model": 3},
    {"price_date": 3}, {"json_object": "no"},
]  # fmt: skip


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    request = Request("m", (Message("user", "hi"),))
    path = tmp_path / "sound.jsonl"
    held = CachedReply(CacheKey(request, request.hash, "m"), Reply("hello", Usage(1)))
    write_cassette([held], path, Secrets({}))
    return path


def seal(path: Path, **changes: Any) -> Path:
    """Write a cassette of one reply with other fields and a seal that fits."""
    body = json.loads(path.read_text(encoding="utf-8").splitlines()[1])
    del body["digest"]
    body |= changes
    digest = cassette._chain_digest("", body)
    lines = (cassette._dump({**HEAD, "digest": digest}), cassette._dump({**body, "digest": digest}))
    made = path.with_name("made.jsonl")
    made.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return made


def test_sealed_copy_is_read(sound: Path) -> None:
    assert [one.reply.text for one in read_cassette(seal(sound))] == ["hello"]


@pytest.mark.parametrize("changes", WRONG, ids=map(str, WRONG))
def test_field_of_a_wrong_type_is_refused_before_anything_is_stored(
    bench: RunBench, monkeypatch: pytest.MonkeyPatch, sound: Path, tmp_path: Path, changes: dict[str, Any]
) -> None:
    monkeypatch.setenv("BENCH_CACHE", str(tmp_path / "cache"))
    done = bench("cache", "import", str(seal(sound, **changes)))
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "line 2: expected " in done.err
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    ("line", "got"),
    [
        ("", "a JSON object"),
        ("[]", "a JSON object, got list"),
        ("[" * 100_000, "a JSON object"),
        ('{"memfrontier_cassette":' + "9" * 5000 + "}", "a JSON object"),
        ('{"memfrontier_cassette":"x"}', "format 1, got format x"),
        (json.dumps({**HEAD, "replies": "many"}), "the number of replies and a digest"),
        (json.dumps({**HEAD, "replies": None}), "the number of replies and a digest"),
        (json.dumps({**HEAD, "replies": 1e300}), "the number of replies and a digest"),
        (json.dumps({**HEAD, "digest": 1}), "the number of replies and a digest"),
    ],
    ids=range(9),
)
def test_first_line_that_is_none_is_refused(tmp_path: Path, line: str, got: str) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(UsageError, match=f"line 1: expected {got}"):
        list(read_cassette(path))


@pytest.mark.parametrize("value", [math.nan, math.inf, "\ud800"])
def test_value_that_no_json_holds_is_refused(tmp_path: Path, value: object) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_text(f"{json.dumps(HEAD)}\n{json.dumps({'reply': value})}\n", encoding="utf-8")
    with pytest.raises(UsageError, match="line 2: expected text and numbers of JSON"):
        list(read_cassette(path))


def test_mark_in_front_is_taken(sound: Path) -> None:
    sound.write_bytes(b"\xef\xbb\xbf" + sound.read_bytes())
    assert len(list(read_cassette(sound))) == 1


def test_file_that_unpacks_without_end_is_refused_at_its_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sound: Path
) -> None:
    monkeypatch.setattr(cassette, "_LONGEST_LINE", 10_000)
    path = tmp_path / "bomb.jsonl.gz"
    path.write_bytes(gzip.compress(b"x" * 50_000_000))
    with pytest.raises(UsageError, match=r"line 1: expected at most 10,000 bytes a line, .* in all, got more"):
        list(read_cassette(path))
    monkeypatch.setattr(cassette, "_MOST_BYTES", 500)
    monkeypatch.setattr(cassette, "_MOST_RATIO", 0)
    assert len(list(read_cassette(sound))) == 1
    (first, second) = sound.read_bytes().splitlines(keepends=True)
    path.write_bytes(gzip.compress(first.ljust(501) + second))
    with pytest.raises(UsageError, match=r"line 2: expected at most .* 500 in all, got more"):
        list(read_cassette(path))


@pytest.mark.parametrize("name", ["gone.jsonl", "sound.jsonl/under", "x" * 300])
def test_file_that_is_not_there_is_refused(tmp_path: Path, sound: Path, name: str) -> None:
    assert sound.is_file()
    with pytest.raises(UsageError, match=r"cassette.*: expected a file"):
        list(read_cassette(tmp_path / name))
