"""An endpoint that keeps books: the offline player over HTTP, with every token it bills; and the ledger to compare."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from bench.models.offline.reader import OfflineReader
from bench.models.openai_api.format import read_chat
from bench.models.tokenizers import choose_tokenizer
from bench.registry import offline_rules
from tests.servers.openai_server import Answer, FakeOpenAI, ReceivedRequest, completion, usage

__all__ = ["Bill", "Books", "add_up_ledger", "reply_to", "write_endpoint"]

_PAID = "SELECT COUNT(*), COALESCE(SUM(prompt), 0), COALESCE(SUM(completion), 0) FROM calls"


@dataclass(frozen=True, slots=True)
class Bill:
    """Calls and tokens that were paid for."""

    calls: int = 0
    prompt: int = 0
    completion: int = 0

    def __sub__(self, other: Bill) -> Bill:
        return Bill(self.calls - other.calls, self.prompt - other.prompt, self.completion - other.completion)


@dataclass
class Books:
    """The endpoint. Before it answers a request it calls ``before`` with the number of requests so far."""

    before: Callable[[int], None] = lambda _number: None
    bill: Bill = Bill()
    dead: bool = False
    server: FakeOpenAI = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _requests: int = 0

    def __post_init__(self) -> None:
        self.server = FakeOpenAI(self._answer)
        self.server.__enter__()

    @property
    def url(self) -> str:
        return self.server.url

    def _answer(self, request: ReceivedRequest) -> Answer:
        if self.dead:
            return Answer(cut_after=-1)
        text, prompt, written = reply_to(request)
        with self._lock:
            self._requests += 1
            number = self._requests
            self.bill = Bill(self.bill.calls + 1, self.bill.prompt + prompt, self.bill.completion + written)
        self.before(number)
        # What a dead server was about to send is billed and never delivered.
        return Answer(cut_after=-1) if self.dead else completion(text, usage(prompt, written))

    def die(self) -> None:
        """Close the door and every connection that asks for more."""
        self.dead = True
        self.server.__exit__(None, None, None)

    def revive(self) -> None:
        """Serve again at the same address."""
        port = int(self.url.rpartition(":")[2].partition("/")[0])
        self.server, self.dead = FakeOpenAI(self._answer, port), False
        self.server.__enter__()

    def close(self) -> None:
        if not self.dead:
            self.die()


@cache
def _player() -> OfflineReader:
    return OfflineReader(offline_rules())


def reply_to(request: ReceivedRequest) -> tuple[str, int, int]:
    """Return what the offline player replies to a request, and the tokens of prompt and reply."""
    asked = read_chat(request.body, json_mode=True)
    role = _player().find_role(asked.messages)
    reply = _player().chat(asked.messages, role=role, max_tokens=asked.max_tokens, stop=asked.stop)
    count = choose_tokenizer().count  # as a run counts for itself what an endpoint does not report
    return reply.text, sum(count(message.content) for message in asked.messages), count(reply.text)


def write_endpoint(folder: Path, **limits: float) -> Path:
    """Write the endpoint file of a try: prices, and limits that do not make it wait."""
    limits = {"retries": 1, "backoff_s": 0.01, "timeout_s": 60, **limits}
    lines = [f"{name} = {value}" for name, value in limits.items()]
    prices = '[prices]\ndate = "2026-11-30"\ninput = 3.0\noutput = 7.0\n'
    path = folder / "endpoint.toml"
    path.write_text("\n".join(['client = "direct"', "[limits]", *lines, prices]))
    return path


def add_up_ledger(folder: Path, model: str = "openai/toy") -> Bill:
    """Return what all ledgers of a run say that the endpoint was paid for."""
    sums = [0, 0, 0]
    for path in sorted(folder.rglob("run.sqlite")):
        db = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
        try:
            where = "WHERE prompt IS NOT NULL AND role != 'embed' AND model = ?"
            for at, number in enumerate(db.execute(f"{_PAID} {where}", (model,)).fetchone()):
                sums[at] += number
        finally:
            db.close()
    return Bill(*sums)
