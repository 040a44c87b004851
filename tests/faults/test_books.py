"""The books of a run are the server's: whatever a reply holds, however often it is asked for, whoever asks.

The loopback server bills every request; the ledger, the limits and the line of what is spent must hold the same.
"""

from __future__ import annotations

import json
import socket
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bench.models.litellm_catalog import litellm_folder
from bench.models.offline.reader import OfflineReader
from bench.models.remote import litellm as litellm_client
from bench.models.remote import openai as openai_http
from bench.registry import offline_rules
from bench.report.table import build_table, render_table
from bench.scoring.judge_probes import probes
from bench.store.dataframe import read_items
from bench.types import Message
from tests.servers.openai_server import Answer, FakeOpenAI, ReceivedRequest, completion, usage

ENDPOINT = """
[limits]
backoff_s = 0.001
retries = 5
[prices]
date = 2026-01-01
input = 3.0
output = 3.0
"""
USD = 0.99
"""What one request costs with ``LARGE``."""
LARGE = usage(329_999, 1)


def say(request: ReceivedRequest) -> str:
    messages = [Message(m["role"], m["content"]) for m in request.body["messages"]]
    role = "judge" if messages[1].content.endswith("Verdict:") else "act"
    return OfflineReader(offline_rules()).chat(messages[:2] if role == "judge" else messages, role=role).text


@pytest.fixture
def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    path = tmp_path / "endpoint.toml"
    path.write_text(ENDPOINT, encoding="utf-8")
    return path


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(lambda request: completion(say(request), usage(50, 2))) as running:
        yield running


def words(server: FakeOpenAI, *more: str) -> tuple[str, ...]:
    ask = ("-m", "openai/x", "--base-url", server.url, "--endpoint", "endpoint.toml", "-o", "run")
    return ("run", "toy", "-s", "window", *ask, *more)


def select(run: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(run / "run.sqlite")) as db:
        return db.execute(query).fetchall()


@pytest.mark.usefixtures("endpoint")
@pytest.mark.parametrize(
    "count", [10**30, 1e30, 2**63, 10**12, -5, float("nan"), float("inf"), True, "12", 12.5, None, [3]], ids=repr
)
def test_impossible_usage_is_estimated_and_marked_and_no_failure(
    bench: Any, server: FakeOpenAI, tmp_path: Path, count: object
) -> None:
    server.script = lambda request: completion(say(request), {"prompt_tokens": count, "completion_tokens": 2})
    done = bench(*words(server, "--limit", "1"))
    assert done.code == 0
    run = tmp_path / "run"
    assert select(run, "SELECT status, end_reason FROM trials") == [("done", "won")]
    booked = select(run, "SELECT usage_source, prompt BETWEEN 1 AND 2000, cost_usd < 0.01, status FROM calls")
    assert booked == [("tokenizer", 1, 1, "ok")] * len(server.requests)
    assert "tokens of some calls were estimated by a tokenizer" in done.out


@pytest.mark.usefixtures("endpoint")
@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (Answer(b'{"error": {"message": "half \\ud83d a pair", "code": 503}}'), "server-error"),
        (Answer(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"), "malformed"),
        (Answer(b'{"choices": "none"}'), "empty"),
        (Answer(b'{"choices": [{"message": {"content": 1e999}}]}'), "empty"),
    ],
    ids=["half-a-pair", "deep", "text-for-choices", "number-for-text"],
)
def test_reply_that_cannot_be_read_or_stored_is_the_failure_of_the_model(
    bench: Any, server: FakeOpenAI, tmp_path: Path, answer: Answer, status: str
) -> None:
    server.script = lambda _request: answer
    done = bench(*words(server, "--limit", "1"))
    assert (done.code, "Traceback" in done.err) == (1, False)
    run = tmp_path / "run"
    assert select(run, "SELECT status FROM trials") == [("model-error",)]
    assert select(run, "SELECT status FROM calls") == [(status,)] * 6
    assert len(server.requests) == 6
    server.script = lambda request: completion(say(request), usage(50, 2))
    assert bench("run", "run").code == 0
    assert select(run, "SELECT status FROM trials") == [("done",)]


@pytest.mark.parametrize(
    "client",
    [
        openai_http,
        pytest.param(litellm_client, marks=pytest.mark.skipif(litellm_folder() is None, reason="needs [litellm]")),
    ],
    ids=["direct", "litellm"],
)
def test_body_without_end_is_not_read_to_its_end_and_no_answer(
    bench: Any, endpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, client: ModuleType
) -> None:
    monkeypatch.setattr(client, "LARGEST_BYTES", 1 << 20)
    name = "litellm" if client is litellm_client else "direct"
    endpoint.write_text(f'client = "{name}"\n{ENDPOINT}', encoding="utf-8")
    with closing(socket.create_server(("127.0.0.1", 0))) as listening, EndlessServer(listening) as endless:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        ask = ("-m", "openai/x", "--base-url", url, "--endpoint", "endpoint.toml", "-o", "run")
        assert bench("run", "toy", "-s", "window", "--limit", "1", *ask).code == 1
    run = tmp_path / "run"
    assert select(run, "SELECT status FROM trials") == [("model-error",)]
    booked = ("malformed", "expected at most 1,048,576 bytes, got more")
    assert select(run, "SELECT status, reply FROM calls") == [booked] * 6
    assert endless.most_bytes < 20 << 20  # the rest is what buffers between the two hold


class EndlessServer:
    """Answers every request with a completion whose text never ends."""

    def __init__(self, listening: socket.socket):
        self._listening, self.most_bytes = listening, 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        sent, piece = 0, b"look " * 13_108
        with closing(connection):
            try:
                connection.recv(1 << 16)
                connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                while sent < 1 << 30:
                    connection.sendall(b"%x\r\n%b\r\n" % (len(piece), piece))
                    sent += len(piece)
                    self.most_bytes = max(self.most_bytes, sent)
            except OSError:
                return

    def __enter__(self) -> EndlessServer:
        return self

    def __exit__(self, *_: object) -> None:
        pass


@pytest.mark.usefixtures("endpoint")
@pytest.mark.parametrize("workers", ["1", "8"])
@pytest.mark.parametrize("text", ["", "go north"], ids=["empty", "usable"])
def test_every_try_counts_when_it_is_made(
    bench: Any, server: FakeOpenAI, tmp_path: Path, workers: str, text: str
) -> None:
    together = threading.Event()

    def bill(request: ReceivedRequest) -> Answer:
        if request.number > 1:
            together.wait(0.1)  # so that others could begin meanwhile
        return completion(text, LARGE)

    server.script = bill
    stopped = bench(*words(server, "--workers", workers, "--max-usd", "2"))
    assert stopped.code == 3
    assert stopped.err.splitlines()[-1] == "bench: run: max_usd 2 reached ($2.97); raise it to go on"
    assert len(server.requests) == 3  # the one that reaches the limit began at $1.98
    assert select(tmp_path / "run", "SELECT COUNT(*), ROUND(SUM(cost_usd), 2) FROM calls") == [(3, 2.97)]
    assert "$2.97" in stopped.err.splitlines()[-2]


def test_money_limit_without_a_price_is_refused_before_any_work(
    bench: Any, server: FakeOpenAI, tmp_path: Path, endpoint: Path
) -> None:
    endpoint.write_text(ENDPOINT.partition("[prices]")[0], encoding="utf-8")
    asked = words(server, "--max-usd", "2")
    learners = (*asked, "-s", "exprag", "--learn-policy", "grouped-by-spec")
    for command in (asked, learners, ("learn", *learners[1:]), ("curve", *learners[1:], "--tasks", "2")):
        refused = bench(*command)
        assert refused.code == 2
        assert "expected a known price of all that is called under max_usd, got none of openai/x" in refused.err
    assert (server.requests, (tmp_path / "run").exists()) == ([], False)
    assert bench(*words(server, "--max-tokens", "100000", "--limit", "1")).code == 0


TALKS = ("toy-talk:talks=1", "-s", "no-memory", "--limit", "1", "--judge-endpoint", "endpoint.toml")
QUESTIONS = 6


def judge(server: FakeOpenAI, *more: str, run: str = "run") -> tuple[str, ...]:
    return ("run", *TALKS, "--judge", f"openai/judge@{server.url}", "-o", run, *more)


@pytest.mark.usefixtures("endpoint")
def test_calibration_stands_in_the_ledger_and_in_what_is_spent(bench: Any, server: FakeOpenAI, tmp_path: Path) -> None:
    done = bench(*judge(server))
    assert done.code == 0
    assert len(server.requests) == len(probes()) + QUESTIONS
    run = tmp_path / "run"
    judged = "FROM calls c JOIN trials t ON t.id = c.trial WHERE role = 'judge' GROUP BY t.attempt"
    assert select(run, f"SELECT t.attempt, COUNT(*), SUM(c.prompt) {judged}") == [
        (0, len(probes()), 50 * len(probes())),
        (1, QUESTIONS, 50 * QUESTIONS),
    ]
    assert select(run, "SELECT phase, COUNT(DISTINCT call) FROM calls WHERE trial = (SELECT id FROM trials WHERE "
                       "attempt = 0)") == [("judge", len(probes()))]  # fmt: skip
    tokens = select(run, "SELECT SUM(prompt + completion) FROM calls")[0][0]
    assert f"{tokens:,} tokens, $0.02" in done.err
    table = render_table(build_table(read_items([run])), "md")
    assert f"({52 * len(probes()):,} tokens, in no column)" in table
    assert "(calibration)" not in table + bench("show", "run").out


@pytest.mark.usefixtures("endpoint")
@pytest.mark.parametrize("workers", ["1", "8"])
def test_limit_stops_a_calibration_that_goes_on_without_paying_twice(
    bench: Any, server: FakeOpenAI, tmp_path: Path, workers: str
) -> None:
    server.script = lambda request: completion(say(request), usage(999, 1))
    stopped = bench(*judge(server, "--max-tokens", "20000", "--workers", workers))
    assert stopped.code == 3
    assert "max_tokens 20,000 reached (20,000)" in stopped.err
    assert len(server.requests) == 20
    assert select(tmp_path / "run", "SELECT COUNT(*) FROM calls") == [(20,)]
    done = bench("run", "run", "--max-tokens", "0")
    assert done.code == 0, done.err
    assert len(server.requests) == len(probes()) + QUESTIONS
    bodies = [json.dumps(one.body, sort_keys=True) for one in server.requests]
    asked: Sequence[str] = [one.judge_case.question + one.answer for one in probes()]
    assert len(bodies) - len(set(bodies)) == len(asked) - len(set(asked))
    assert bench(*judge(server, run="whole")).code == 0
    first, second = (render_table(build_table(read_items([tmp_path / name])), "md") for name in ("run", "whole"))
    assert first == second


@pytest.mark.usefixtures("endpoint")
def test_probe_without_a_verdict_is_not_asked_again(bench: Any, server: FakeOpenAI, tmp_path: Path) -> None:
    asked = 0

    def mumble(request: ReceivedRequest) -> Answer:
        nonlocal asked
        asked += 1
        return completion("Hm." if asked <= 3 else say(request), usage(999, 1))

    server.script = mumble
    assert bench(*judge(server, "--max-tokens", "10000", "--workers", "1")).code == 3
    assert bench("run", "run", "--max-tokens", "0").code == 0
    assert len(server.requests) == len(probes()) + 2 + QUESTIONS
    kinds = select(tmp_path / "run", "SELECT status, COUNT(*) FROM calls WHERE role = 'judge' GROUP BY status")
    assert kinds == [("no-verdict", 3), ("ok", len(probes()) - 1 + QUESTIONS)]
    assert f"no verdict in 1 of {len(probes())}" in render_table(build_table(read_items([tmp_path / "run"])), "md")


@pytest.mark.usefixtures("endpoint")
def test_calibration_is_shared_between_runs_with_a_cache(
    bench: Any, server: FakeOpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCH_CACHE", str(tmp_path / "cache"))
    assert bench(*judge(server, "--cache", "read-write")).code == 0
    paid = len(server.requests)
    assert bench(*judge(server, "--cache", "read-write", run="again")).code == 0
    assert len(server.requests) == paid
    tables = [render_table(build_table(read_items([tmp_path / name])), "md") for name in ("run", "again")]
    assert "accepted of the calibration answers" in tables[0]
    assert tables[0].splitlines()[-1] == tables[1].splitlines()[-1]
    done = bench("cache", "export", "tape.jsonl", "--run", "run")
    assert done.code == 0, done.err
