"""A whole run against an endpoint that fails in every way: what is scored, what is resumed, what is paid.

The loopback server plays the toy houses by the offline rules, so that a run without faults is known in advance. It
adds up its own bill: the ledger must hold the same, to the token.
"""

from __future__ import annotations

import json
import random
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from adapters.toy.offline.rules import RULES
from bench.config import RunConfig
from bench.models.litellm_catalog import litellm_folder
from bench.models.tokenizers import choose_tokenizer
from bench.runner.batch import Outcome, run
from bench.store.dataframe import read_items
from bench.store.read import open_read_only, read_trials
from bench.types import Message, Status, Usage, UsageSource
from tests.servers.openai_server import Answer, FakeOpenAI, ReceivedRequest, completion, error, usage

CLIENTS = (
    "direct",
    pytest.param("litellm", marks=pytest.mark.skipif(litellm_folder() is None, reason="needs the extra [litellm]")),
)
INPUT_USD, OUTPUT_USD = 3.0, 7.0
"""Per million tokens."""
HOUSES, ROWS = 5, ("no-memory", "full-history")
FAULTS = ("rate-limit", "server-error", "connection", "half", "malformed", "empty", "wrong-usage", "hang")
"""Every third request meets one of them, in turns that each hold all of them in another order."""


@dataclass
class Books:
    """The endpoint: an agent that plays by rules, a schedule of faults, and what was delivered and billed."""

    client: str
    seed: int | None = None
    """None = no faults."""
    delivered: Usage = Usage(prompt=0, completion=0)
    billed: Usage = Usage(prompt=0, completion=0)
    faults: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _over: threading.Event = field(default_factory=threading.Event)
    _first: int = 0

    def answer(self, request: ReceivedRequest) -> Answer:
        fault = self._choose_fault(request.number)
        with self._lock:
            self.faults[fault] += 1
        if fault in ("", "wrong-usage", "empty"):
            return self._bill(request, fault)
        if fault == "hang":
            self._over.wait(60)
        return {
            "rate-limit": error(429, "slow down", Retry_After=str(request.number % 2)),
            "server-error": error(500, "oops"),
            "connection": Answer(cut_after=-1),
            "half": Answer(b'{"choices": [' + b" " * 500, cut_after=200),
            "malformed": Answer(b'{"choices": [{"message": {"content": "Action: lo'),
            "hang": Answer(cut_after=-1),
        }[fault]

    def _choose_fault(self, number: int) -> str:
        if self.seed is None:
            return ""
        place, rest = divmod(number, 3)
        turn, index = divmod(place, len(FAULTS))
        fault = random.Random(f"{self.seed}|{turn}").sample(FAULTS, len(FAULTS))[index] if rest == 0 else ""
        return "" if fault == "hang" and turn > 1 else fault  # each costs its whole time limit: two are enough

    def _bill(self, request: ReceivedRequest, fault: str) -> Answer:
        messages = [Message(m["role"], m["content"]) for m in request.body["messages"]]
        count = choose_tokenizer().count
        prompt = sum(count(message.content) for message in messages)
        text = "" if fault == "empty" else next(rule for rule in RULES if rule.role == "act").reply(messages)
        counted = usage(prompt, count(text))
        with self._lock:
            self.billed = _plus(self.billed, prompt, count(text))
            if fault != "empty":
                self.delivered = _plus(self.delivered, prompt, count(text))
        if fault == "empty":
            return Answer(json.dumps({"id": "1", "object": "chat.completion", "created": 1, "model": "toy",
                                      "choices": [], "usage": counted}).encode())  # fmt: skip
        return completion(text, self._wrong_usage(counted, request.number) if fault else counted)

    def _wrong_usage(self, counted: Mapping[str, object], number: int) -> object:
        wrong: list[object] = [usage(-4, 2), {**counted, "total_tokens": 1}, usage(0, 0), None]
        if self.client == "direct":  # litellm gives up on a usage that is no mapping, and asks again
            wrong += ["plenty", {"prompt_tokens": "12", "completion_tokens": "3"}]
        return wrong[number % len(wrong)]

    def end(self) -> None:
        """Stop the faults and release the requests that hang."""
        self.seed = None
        self._over.set()


def _plus(one: Usage, prompt: int, completion: int) -> Usage:
    return Usage(prompt=(one.prompt or 0) + prompt, completion=(one.completion or 0) + completion)


@pytest.fixture(params=CLIENTS)
def books(request: pytest.FixtureRequest) -> Books:
    return Books(request.param)


@pytest.fixture
def server(books: Books) -> Iterator[FakeOpenAI]:
    with FakeOpenAI(books.answer) as running:
        yield running
        books.end()


def config(server: FakeOpenAI, books: Books, folder: Path, retries: int) -> RunConfig:
    path = folder / "endpoint.toml"
    path.write_text(
        f'client = "{books.client}"\n'
        f"[limits]\nretries = {retries}\nbackoff_s = 0.01\ntimeout_s = 4\n"
        f'[prices]\ndate = "2026-11-30"\ninput = {INPUT_USD}\noutput = {OUTPUT_USD}\n'
    )
    return RunConfig(
        suites=(f"toy:houses={HOUSES}",), strategies=ROWS, model="openai/toy", base_url=server.url,
        endpoint=str(path), temperature=0.0, workers=6,
    )  # fmt: skip


@dataclass(frozen=True)
class Spend:
    """The ledger, added up."""

    logical: Usage
    paid: Usage
    usd: float


def ledger(folder: Path) -> Spend:
    db = open_read_only(folder)
    try:
        rows = db.execute("SELECT status, prompt, completion, cost_usd FROM calls WHERE call >= 0").fetchall()
    finally:
        db.close()
    good = [row for row in rows if row["status"] == "ok"]
    reported = [row for row in rows if row["prompt"] is not None]
    return Spend(
        Usage(prompt=sum(row["prompt"] for row in good), completion=sum(row["completion"] for row in good)),
        Usage(prompt=sum(row["prompt"] for row in reported), completion=sum(row["completion"] for row in reported)),
        sum(row["cost_usd"] for row in rows),
    )


def dollars(usage: Usage) -> float:
    return ((usage.prompt or 0) * INPUT_USD + (usage.completion or 0) * OUTPUT_USD) / 1e6


def scores(folder: Path) -> dict[str, tuple[float, float, float]]:
    items = read_items([folder])
    return {
        f"{row.task}|{row.strategy}": (row.success, row.steps, row.tokens_total) for row in items.itertuples()
    }  # fmt: skip


def test_faults_score_no_trial_and_the_ledger_equals_the_bill(books: Books, server: FakeOpenAI, tmp_path: Path) -> None:
    total = HOUSES * len(ROWS)
    calm, rough = tmp_path / "calm", tmp_path / "rough"
    assert run(config(server, books, tmp_path, 0), calm) == Outcome(calm, total, 0, total)
    expected = scores(calm)
    assert ledger(calm).logical == books.delivered
    entries = dict(read_trials(calm)[0].fingerprint.entries)
    assert json.loads(entries["row.request"]) == {"model": "openai/toy", "base_url": server.url, "temperature": 0.0}
    assert entries["env.tokenizer"] == choose_tokenizer().name

    before = books.delivered, books.billed
    books.seed, books.faults = 11, Counter()
    server.requests.clear()
    settings = config(server, books, tmp_path, 0)  # every fault is a trial's end
    first = run(settings, rough)
    assert first.unscored > total / 2
    assert set(FAULTS) <= set(books.faults)
    for trial in read_trials(rough):
        assert trial.status in (Status.DONE, Status.MODEL_ERROR)
        assert bool(trial.items) == (trial.status is Status.DONE)

    for _ in range(3):  # resumed while it still fails
        run(settings, rough)
    books.end()
    assert run(settings, rough) == Outcome(rough, total, 0, total)
    assert scores(rough) == expected

    sums = ledger(rough)
    assert sums.logical == _minus(books.delivered, before[0]) == ledger(calm).logical
    assert sums.paid == _minus(books.billed, before[1])
    assert sums.usd == pytest.approx(dollars(sums.paid), abs=1e-12)
    assert sums.paid != sums.logical  # the empty replies were billed


def _minus(one: Usage, other: Usage) -> Usage:
    return Usage(
        prompt=(one.prompt or 0) - (other.prompt or 0), completion=(one.completion or 0) - (other.completion or 0)
    )  # fmt: skip


def test_retries_complete_the_run_and_every_attempt_has_a_ledger_row(
    books: Books, server: FakeOpenAI, tmp_path: Path
) -> None:
    books.seed = 5
    folder = tmp_path / "run"
    outcome = run(config(server, books, tmp_path, 8), folder)
    assert outcome.unscored == 0
    tries = Counter(call.status for trial in read_trials(folder) for call in trial.calls)
    cut = books.faults["connection"] + books.faults["half"]
    assert tries["ok"] == books.faults[""] + books.faults["wrong-usage"]
    assert (tries["rate-limit"], tries["server-error"]) == (books.faults["rate-limit"], books.faults["server-error"])
    assert (tries["connection"], tries["timeout"]) == (cut, books.faults["hang"])
    assert (tries["malformed"], tries["empty"]) == (books.faults["malformed"], books.faults["empty"])
    assert sum(tries.values()) == len(server.requests)
    assert server.most_at_once <= 6
    estimated = [c for t in read_trials(folder) for c in t.calls if c.usage.source is UsageSource.TOKENIZER]
    assert len(estimated) == books.faults["wrong-usage"]
    sums = ledger(folder)
    assert (sums.logical, sums.paid) == (books.delivered, books.billed)
    assert sums.usd == pytest.approx(dollars(books.billed), abs=1e-12)
