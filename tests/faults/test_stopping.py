"""A run that is asked to stop: no paid reply is lost, no wait goes on, and no try begins after that.

Servers follow a script and keep books. The signal is sent by the script itself, in the middle of a call, and the reply
comes when the run is known to have heard of it, so that no clock decides anything.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from adapters.toy.offline.rules import RULES
from bench.config import LearnConfig, RunConfig
from bench.errors import Interrupted
from bench.models.litellm_catalog import litellm_folder
from bench.models.offline.reader import OfflineReader
from bench.models.remote.limiter import Limiter
from bench.models.scripted import ScriptedSource
from bench.registry import offline_rules
from bench.runner import build
from bench.runner.batch import learn_resolved, run, run_resolved
from bench.runner.curve import run_curve
from bench.runner.resolve import resolve_run
from bench.runner.stopping import Stop
from bench.types import Message
from tests.servers.openai_server import Answer, FakeOpenAI, ReceivedRequest, completion, error, usage

_PATIENCE_S = 120.0
CLIENTS = (
    "direct",
    pytest.param("litellm", marks=pytest.mark.skipif(litellm_folder() is None, reason="needs the extra [litellm]")),
)
SIGNALS = (signal.SIGINT, signal.SIGTERM)


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set when a signal has reached everything that listens to it."""
    event, ask = threading.Event(), Stop.ask

    def ask_and_tell(stop: Stop) -> None:
        ask(stop)
        event.set()

    monkeypatch.setattr(Stop, "ask", ask_and_tell)
    return event


def send(number: signal.Signals, heard: threading.Event) -> None:
    """Send a signal to this process, and return when the run knows."""
    os.kill(os.getpid(), number)
    assert heard.wait(_PATIENCE_S)


def play_rules(request: ReceivedRequest) -> Answer:
    messages = [Message(m["role"], m["content"]) for m in request.body["messages"]]
    return completion(next(rule for rule in RULES if rule.role == "act").reply(messages), usage(10, 2))


@dataclass
class Endpoint:
    """A server whose requests are counted as they come and as they are answered."""

    script: Callable[[ReceivedRequest], Answer] = play_rules
    answered: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, request: ReceivedRequest) -> Answer:
        answer = self.script(request)
        with self._lock:
            self.answered += answer.status == 200
        return answer


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Endpoint:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    return Endpoint()


@pytest.fixture
def server(endpoint: Endpoint) -> Iterator[FakeOpenAI]:
    with FakeOpenAI(endpoint) as running:
        yield running


def ask(server: FakeOpenAI, folder: Path, workers: int, client: str = "direct", limits: str = "") -> RunConfig:
    file = folder / "endpoint.toml"
    file.write_text(f'client = "{client}"\n[limits]\n{limits}\n')
    return RunConfig(
        suites=("toy:houses=5",), strategies=("no-memory", "full-history"), model="openai/toy", base_url=server.url,
        endpoint=str(file), workers=workers,
    )  # fmt: skip


def count_statuses(folder: Path) -> Counter[str]:
    db = sqlite3.connect(folder / "run.sqlite")
    try:
        return Counter(row[0] for row in db.execute("SELECT status FROM calls"))
    finally:
        db.close()


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("workers", [1, 3])
def test_every_reply_in_flight_is_recorded_and_no_call_begins(
    server: FakeOpenAI, endpoint: Endpoint, heard: threading.Event, tmp_path: Path, workers: int, client: str,
    number: signal.Signals,
) -> None:  # fmt: skip
    together = threading.Barrier(workers)

    def stop_at_the_fourth(request: ReceivedRequest) -> Answer:
        first = 4
        if first <= request.number < first + workers:
            if together.wait(_PATIENCE_S) == 0:  # all workers wait for a reply, and more trials for their turn
                send(number, heard)
            assert heard.wait(_PATIENCE_S)
        return play_rules(request)

    endpoint.script = stop_at_the_fourth
    question = ask(server, tmp_path, workers, client)
    with pytest.raises(Interrupted, match="stopped by the user; the same command goes on from here"):
        run(question, tmp_path / "run")
    assert count_statuses(tmp_path / "run") == {"ok": endpoint.answered}
    assert endpoint.answered == len(server.requests) == 3 + workers

    endpoint.script = play_rules
    assert run(question, tmp_path / "run").unscored == 0
    paid = len(server.requests)
    assert count_statuses(tmp_path / "run") == {"ok": paid}
    run(question, tmp_path / "whole")
    assert len(server.requests) == 2 * paid  # nothing was paid for twice


WAITS = {
    "retry-after": (error(429, "slow down", Retry_After="50"), ""),
    "backoff": (error(500, "oops"), "backoff_s = 50.0\nlongest_wait_s = 50.0"),
    "rate": (None, "requests_per_minute = 3"),
}


@pytest.mark.parametrize("wait", WAITS)
def test_wait_ends_with_the_stop_and_nothing_is_tried_again(
    server: FakeOpenAI, endpoint: Endpoint, heard: threading.Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    wait: str,
) -> None:  # fmt: skip
    fault, limits = WAITS[wait]
    pause, begun = Limiter.pause, threading.Lock()

    def pause_and_stop(limiter: Limiter, seconds: float) -> None:
        if seconds and begun.acquire(blocking=False):
            assert seconds > 20
            send(signal.SIGINT, heard)
        pause(limiter, seconds)

    monkeypatch.setattr(Limiter, "pause", pause_and_stop)
    endpoint.script = lambda request: fault if fault and request.number > 3 else play_rules(request)
    alone = {"strategies": ("full-history",), "limit": 1}  # no other trial takes the place of the one that waits
    question = ask(server, tmp_path, 1, limits=limits).model_copy(update=alone)
    with pytest.raises(Interrupted):
        run(question, tmp_path / "run")
    assert len(server.requests) == 3 + bool(fault)
    found = count_statuses(tmp_path / "run")
    assert (found["ok"], found.total()) == (3, len(server.requests))  # the failed try stands in the ledger too


class OneByOne(ScriptedSource):
    """A remote model for one trial at a time, so that a run makes its calls in one order."""

    workers = 1


def reply(messages: Sequence[Message], role: str, _number: int) -> str:
    return OfflineReader(offline_rules()).chat(messages, role=role).text


LEARNING = RunConfig(
    suites=("toy:houses=10",), strategies=("expel",), model="remote/fake", steps=14, embedder="hash", workers=1,
    learn=LearnConfig(attempts=2, collectors=("window:k=1", "full-history")),
)  # fmt: skip
COMMANDS: dict[str, Callable[[Path], object]] = {
    "learn": lambda folder: learn_resolved(resolve_run(LEARNING, folder), folder),
    "run": lambda folder: run_resolved(resolve_run(LEARNING, folder), folder),
    "curve": lambda folder: run_curve(resolve_run(LEARNING, folder), [3], folder),
}


def count_calls(folder: Path) -> int:
    """Return how often the ledgers of a run and its parts say that the model was called."""
    counted = 0
    for path in folder.rglob("run.sqlite"):
        db = sqlite3.connect(path)
        counted += db.execute("SELECT COUNT(*) FROM calls WHERE role != 'embed'").fetchone()[0]
        db.close()
    return counted


@pytest.fixture(scope="module")
def roles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The roles of all calls of each command, if nobody stops it."""
    found: dict[str, list[str]] = {}
    for command, play in COMMANDS.items():
        made = found[command] = list[str]()

        def note(messages: Sequence[Message], role: str, number: int, made: list[str] = made) -> str:
            made.append(role)
            return reply(messages, role, number)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(build, "load_source", lambda *_, note=note: OneByOne(note))
            play(tmp_path_factory.mktemp(command) / "run")
    return found


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("where", ["collection", "learner", "last"])
def test_learning_that_is_stopped_loses_no_reply(
    heard: threading.Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, roles: dict[str, list[str]], command: str,
    where: str,
) -> None:  # fmt: skip
    total = len(roles[command])
    place = {"collection": 5, "learner": 2 + roles[command].index("insight"), "last": total - 1}[where]

    def stop_once(messages: Sequence[Message], role: str, number: int) -> str:
        if number == place:
            send(signal.SIGINT, heard)
        return reply(messages, role, number)

    source = OneByOne(stop_once)
    monkeypatch.setattr(build, "load_source", lambda *_: source)
    with pytest.raises(Interrupted, match="the same command goes on from here"):
        COMMANDS[command](tmp_path / "run")
    assert count_calls(tmp_path / "run") == source.calls == place
    COMMANDS[command](tmp_path / "run")
    assert count_calls(tmp_path / "run") == source.calls == total


def test_judge_command_ends_its_waits(
    server: FakeOpenAI, endpoint: Endpoint, heard: threading.Event, monkeypatch: pytest.MonkeyPatch, bench: Any
) -> None:
    pause, begun = Limiter.pause, threading.Lock()

    def pause_and_stop(limiter: Limiter, seconds: float) -> None:
        if seconds and begun.acquire(blocking=False):
            send(signal.SIGTERM, heard)
        pause(limiter, seconds)

    monkeypatch.setattr(Limiter, "pause", pause_and_stop)
    endpoint.script = lambda _request: error(429, "slow down", Retry_After="50")
    done = bench("judge", f"openai/m@{server.url}", "--workers", "1")
    assert (done.code, len(server.requests)) == (130, 1)
    assert done.err.splitlines()[-1] == "bench: run: stopped by the user; the same command goes on from here"


@pytest.mark.parametrize("command", ["run", "judge"])
@pytest.mark.parametrize("second", SIGNALS)
def test_second_signal_leaves_while_a_call_still_waits_for_its_reply(
    server: FakeOpenAI, endpoint: Endpoint, tmp_path: Path, command: str, second: signal.Signals
) -> None:
    asked, over = threading.Event(), threading.Event()

    def hang(_request: ReceivedRequest) -> Answer:
        asked.set()
        over.wait(_PATIENCE_S)
        return Answer(cut_after=-1)

    endpoint.script = hang
    words = {
        "run": ["run", "toy", "-m", "openai/toy", "--base-url", server.url, "-o", str(tmp_path / "run")],
        "judge": ["judge", f"openai/toy@{server.url}"],
    }[command]
    start = [sys.executable, "-c", "from bench.cli.app import main; main()", *words]
    with subprocess.Popen(start, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            assert asked.wait(_PATIENCE_S)
            process.send_signal(signal.SIGINT)
            assert any(line.startswith("bench: stopping after the calls in flight") for line in process.stderr)
            process.send_signal(second)
            rest = process.stderr.read()  # to the end: with a process that waits for the reply, the test would hang
            assert process.wait() == 130
        finally:
            over.set()
            process.kill()
    assert rest.splitlines()[-1] == "bench: interrupted"
