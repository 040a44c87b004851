"""Keys are planted in the environment and repeated by models, errors and strategies: none may be in anything written.

What is searched: every file of the run, the cache and what was exported, unpacked where it is packed, and all output.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
import sys
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import quote

import pytest

from bench import registry
from bench.agents import default_agent
from bench.cli.proxy import summarize
from bench.embedders.hash import HashEmbedder
from bench.errors import ContextOverflow, ModelError
from bench.models.openai_api.ledger_proxy import LedgerProxy
from bench.models.scripted import ScriptedSource
from bench.protocols import Kit, Strategy
from bench.runner import build
from bench.types import Attempt, CallStatus, Context, Event, EventKind, Message, Query

MARK = "pLaNtEd"
PLANTED = {
    "OPENAI_API_KEY": f"sk-proj-{MARK}/+1234567890",
    "ACME_SERVICE_TOKEN": f'tok"{MARK}\\9876',
    "DB_PASSWORD": f"hunter2-{MARK}",
    "HTTPS_PROXY": f"http://me:proxy-{MARK}@proxy.invalid:3128",
}
KEY, TOKEN = PLANTED["OPENAI_API_KEY"], PLANTED["ACME_SERVICE_TOKEN"]


def looks(_messages: Sequence[Message], _role: str, _number: int) -> str:
    return "Action: open box"


def echoes(_messages: Sequence[Message], _role: str, _number: int) -> str:
    return f"Action: take {KEY}\nI was given {TOKEN!r} and {quote(KEY)}."


def raises(_messages: Sequence[Message], _role: str, _number: int) -> str:
    raise ConnectionError(f"401 Incorrect API key: {KEY} via {PLANTED['HTTPS_PROXY']}/v1?key={quote(KEY, safe='')}")


def tries(_messages: Sequence[Message], _role: str, _number: int) -> str:
    failed = Attempt(CallStatus.SERVER_ERROR, detail=f"Authorization: Bearer {KEY}, {TOKEN!r}")
    raise ModelError(f"remote/fake: gave up, {KEY}", [failed])


def overflows(_messages: Sequence[Message], _role: str, _number: int) -> str:
    raise ContextOverflow(f"remote/fake: too long for {KEY}")


class Tattler:
    """A memory that repeats keys: in its context or, with ``breaks``, in the text of its error."""

    def __init__(self, kit: Kit, *, breaks: bool = False):
        self._breaks = breaks
        self._seen: list[str] = []

    def observe(self, event: Event) -> None:
        self._seen.append(event.text)
        if self._breaks and event.kind is EventKind.ACTION:
            raise LookupError(f"no {KEY} in {PLANTED!r}")

    def recall(self, _query: Query) -> Context:
        return Context("\n".join(self._seen))


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in PLANTED.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("BENCH_CACHE", str(tmp_path / "cache"))
    module = ModuleType("tattlers")
    module.TATTLER = Strategy("tattler-v1", default_agent(Tattler))  # type: ignore[attr-defined]
    module.BREAKER = Strategy("breaker-v1", default_agent(lambda kit: Tattler(kit, breaks=True)))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tattlers", module)
    monkeypatch.setitem(registry.builtin.STRATEGIES, "tattler", "tattlers:TATTLER")
    monkeypatch.setitem(registry.builtin.STRATEGIES, "breaker", "tattlers:BREAKER")


def texts_in(path: Path) -> Iterator[bytes]:
    """A file as it lies there, and what is packed in it."""
    data = path.read_bytes()
    yield data
    if path.suffix == ".gz":
        yield gzip.decompress(data)
    if path.suffix == ".sqlite":
        db = sqlite3.connect(path)
        for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for row in db.execute(f"SELECT * FROM {name}"):
                for value in row:
                    if isinstance(value, bytes):
                        yield value
                        with suppress(zlib.error):  # hashes are bytes too
                            yield zlib.decompress(value)
                    elif isinstance(value, str):
                        yield value.encode()
        db.close()


def leaks(folder: Path) -> list[str]:
    found = {
        path.relative_to(folder).as_posix()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        for text in texts_in(path)
        if MARK.encode() in text
    }
    return sorted(found)


@pytest.mark.usefixtures("planted")
def test_leak_search_finds_planted_keys(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(KEY.encode()))
    db = sqlite3.connect(tmp_path / "b.sqlite")
    db.execute("CREATE TABLE t (x)")
    db.execute("INSERT INTO t VALUES (?)", (zlib.compress(TOKEN.encode()),))
    db.commit()
    db.close()
    assert leaks(tmp_path) == ["a.gz", "b.sqlite"]


@pytest.mark.usefixtures("planted")
@pytest.mark.parametrize(
    ("says", "code", "witness"),
    [
        (looks, 0, ""),
        (echoes, 0, "<OPENAI_API_KEY>"),
        (raises, 1, "<OPENAI_API_KEY>"),
        (tries, 1, "<OPENAI_API_KEY>"),
        (overflows, 0, "<OPENAI_API_KEY>"),
    ],
)
def test_run_writes_no_key_to_any_file_or_output(
    says: Callable[[Sequence[Message], str, int], str],
    code: int,
    witness: str,
    tmp_path: Path,
    bench: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        build, "load_source", lambda _name, _options: ScriptedSource(says, name=f"remote/{says.__name__}")
    )
    output: list[str] = []

    def call(*words: str, expected: int = 0) -> None:
        done = bench(*words)
        output.append(f"{done.out}{done.err}")
        assert done.code == expected, done.err

    rows = (
        "toy",
        "-s",
        "tattler,breaker,full-history",
        "-m",
        "remote/fake",
        "--steps",
        "4",
        "--limit",
        "3",
        "-o",
        "run",
    )
    call("run", *rows, "--cache", "read-write", expected=code)
    for style in ("rich", "md", "csv", "latex", "json"):
        call("table", "run", "--format", style)
    call("show", "run")
    call("show", "run", "breaker@house-000", "--context")
    call("export", "run", "--to", "csv", "-o", "items.csv")
    call("export", "run", "--to", "jsonl", "-o", "items.jsonl")
    for suffix in ("svg", "pdf", "png"):  # there is none where nothing was scored
        call("frontier", "run", "-o", f"frontier.{suffix}", expected=2 * code)
    call("cache", "stats")
    call("cache", "export", "all.jsonl.gz")
    call("cache", "export", "run.jsonl", "--run", "run")
    assert leaks(tmp_path) == []
    assert [text for text in output if MARK in text] == []
    ledger = b"".join(texts_in(tmp_path / "run" / "run.sqlite")).decode(errors="replace")
    assert witness in ledger  # the fault itself is on record


@pytest.mark.usefixtures("planted")
def test_replay_of_a_redacted_reply_takes_the_same_path(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    source = ScriptedSource(echoes)
    monkeypatch.setattr(build, "load_source", lambda _name, _options: source)
    words = ("run", "toy", "-s", "tattler", "-m", "remote/fake", "--steps", "4", "--limit", "3")
    first = bench(*words, "--cache", "read-write", "-o", "first")
    for name in PLANTED:
        monkeypatch.delenv(name)
    again = bench(*words, "--cache", "read", "-o", "again")
    assert (first.code, again.code) == (0, 0)
    assert source.calls == 12


@pytest.mark.usefixtures("planted")
@pytest.mark.parametrize(
    "words",
    [
        ("run", "toy", "-m", "remote/fake", "--base-url", f"https://me:{MARK}pass@host/v1"),
        ("run", "toy", "-m", "remote/fake", "--base-url", f"https://host/v1?api_key={MARK}pass"),
        ("run", f"toy:houses={KEY}"),
        ("run", "toy", "-s", KEY),
        ("run", "toy", "--split", KEY),
        ("run", f"{KEY}.toml"),
        ("table", TOKEN),
        ("cache", "import", KEY),
        ("cache", TOKEN),
        ("forecast", "toy", "--from", f"runs/{KEY}"),
        ("list", KEY),
        (KEY,),
    ],
)
def test_usage_errors_do_not_repeat_a_key(words: tuple[str, ...], tmp_path: Path, bench: Any) -> None:
    refused = bench(*words)
    assert refused.code == 2
    assert MARK not in refused.err + refused.out
    assert refused.err.startswith("bench: ")
    assert leaks(tmp_path) == []


@pytest.mark.usefixtures("planted")
def test_proxy_writes_no_key_to_its_ledger_its_answers_or_its_sums(tmp_path: Path) -> None:
    ledger = tmp_path / "calls.jsonl"
    body = {"messages": [{"role": "user", "content": f"use {KEY} and {TOKEN}"}], "user": KEY}
    answers = []
    for number, says in enumerate((echoes, raises, tries, overflows)):
        source = ScriptedSource(says, name=f"remote/{says.__name__}")
        proxy = LedgerProxy(source.model(0), HashEmbedder(), ledger.with_name(f"{number}.jsonl"))
        url = f"{proxy.url.removesuffix('/v1')}/{quote(KEY, safe='')}/read/v1"
        for path, sent in (
            ("chat/completions", body),
            ("embeddings", {"input": TOKEN}),
            ("chat/completions", {KEY: 1}),
        ):
            headers = {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"}
            request = urllib.request.Request(f"{url}/{path}", json.dumps(sent).encode(), headers)
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:
                    answers.append(answer.read().decode())
            except urllib.error.HTTPError as refused:
                with refused:
                    answers.append(refused.read().decode())
        proxy.close()
        answers += summarize(proxy.totals)
    assert len(list(tmp_path.glob("*.jsonl"))) == 4
    assert leaks(tmp_path) == []
    assert [text for text in answers if MARK in text] == []
    assert "<OPENAI_API_KEY>" in "".join(answers)


@pytest.mark.usefixtures("planted")
def test_crash_prints_no_key(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> None:
        raise RuntimeError(f"a bug met {KEY} and {PLANTED['HTTPS_PROXY']}")

    monkeypatch.setattr("bench.cli.table.table_command", crash)
    crashed = bench("table", "run")
    assert crashed.code == 1
    assert "RuntimeError: a bug met <OPENAI_API_KEY> and" in crashed.err
    assert MARK not in crashed.err
