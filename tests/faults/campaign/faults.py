"""An endpoint that replies in a wrong way, once and then for good: what is scored, what is not, how the run ends.

Each try plays a small run twice: the fault comes once in its midst; the fault stays, until the endpoint is sound again
and the same command is given once more. In the end both must have the record of a run without faults.
"""

from __future__ import annotations

import sqlite3
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.faults.campaign.books import Bill, add_up_ledger, reply_to, write_endpoint
from tests.faults.campaign.command import Done, call, describe_badness
from tests.faults.campaign.fault_list import BODY_LIMIT, FAULTS, Fault, Truth
from tests.faults.campaign.shapes import find_damage, read_all
from tests.faults.campaign.tries import Found, Place, Try
from tests.servers.openai_server import Answer, FakeOpenAI, ReceivedRequest, completion, usage

__all__ = ["EXPECTED", "play", "play_fault"]

_PLAYED = ("-s", "full-history", "--workers", "2")
_HOUSES, _MANY = 3, 30
"""Tasks of a run; of one that has to stop before it has asked for all of them."""
_STAYS = 1 << 30
_SHORT_S, _LONG_S = 8, 120
"""Time limits of a reply: one that a slow reply has to meet, one that no machine is too busy for."""
_FEW = 12
"""So many requests may follow before a run has understood that none will be answered."""
_UNSCORED = ("model-error", "planned")
EXPECTED = {
    "right": "the record of a run without faults",
    "passing": "asked again and right; unscored with a message while it stays, right after it",
    "lasting": "unscored with a message, right after it",
    "incurable": "unscored with a message, the run stops after a few; right after it",
    "either": "right, or unscored with a message; right after it",
    "reply": "the model's own reply, scored as such; no strategy-error",
}


@dataclass
class Endpoint:
    """Sound but for requests ``first`` to ``last``."""

    fault: Fault | None = None
    first: int = 0
    last: int = 0
    requests: int = 0
    delivered: Bill = Bill()
    _lock: threading.Lock = field(default_factory=threading.Lock)
    overrun: bool = False
    """A client has read an endless body to its end."""

    def answer(self, request: ReceivedRequest) -> Answer:
        text, prompt, written = reply_to(request)
        with self._lock:
            self.requests += 1
            wrong = self.fault is not None and self.first <= self.requests <= self.last
            if not wrong:
                told = self.delivered
                self.delivered = Bill(told.calls + 1, told.prompt + prompt, told.completion + written)
        if not wrong or self.fault is None:
            return completion(text, usage(prompt, written))
        answer = self.fault.answer(Truth(text, prompt, written))
        if self.fault.name.startswith("endless") and answer.raw is not None:
            return Answer(raw=self._watch(answer.raw))
        return answer

    def _watch(self, pieces: object) -> Iterator[bytes]:
        sent = 0
        for piece in pieces:  # type: ignore[attr-defined]
            yield piece
            sent += len(piece)
        self.overrun = sent >= BODY_LIMIT


def play(one: Try, place: Place) -> Found:
    """Play one fault; the tries go through them in an order drawn by the seed."""
    order = Try(one.kind, one.seed, 0).rng.sample(range(len(FAULTS)), len(FAULTS))
    fault = FAULTS[order[one.number % len(FAULTS)]]
    place.tell(fault.outcome, fault.name)
    got = play_fault(fault, one.rng.randrange(2, 9), place.folder)
    return Found(fault.outcome, fault.name, EXPECTED[fault.outcome], got)


def play_fault(fault: Fault, moment: int, folder: Path) -> str:
    """Return what was wrong, empty if nothing was. ``moment``: the number of the request that meets the fault."""
    calm = _play_calm(fault.many)
    said = _play_once(fault, moment, folder, calm)
    return said or _play_always(fault, moment, folder, calm)


@cache
def _play_calm(many: bool) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as name, _serving(Endpoint()) as (_, server):
        done = _run(Path(name).resolve(), server, "calm", Fault("", "incurable" if many else "", lambda _: Answer()))
        assert done.code == 0, done.err
        return read_all(Path(name).resolve() / "calm")


def _play_once(fault: Fault, moment: int, folder: Path, calm: dict[str, object]) -> str:
    with _serving(Endpoint(fault, moment, moment)) as (endpoint, server):
        done = _run(folder, server, "once", fault)
        said = _judge(fault, endpoint, folder / "once", done)
        if said or fault.outcome == "reply":
            return said and f"once: {said}"
        if done.code == 0:
            said = find_damage(folder / "once", calm)
        elif fault.outcome in ("right", "passing"):
            said = f"exit {done.code}: {_read_errors(folder / 'once') or done.err[-200:]}"
        else:
            said = _heal(server, folder, "once", calm, fault)
        if not said and fault.outcome == "passing":
            said = _compare_ledger(endpoint, folder / "once")
        return said and f"once: {said}"


def _play_always(fault: Fault, moment: int, folder: Path, calm: dict[str, object]) -> str:
    with _serving(Endpoint(fault, moment, _STAYS)) as (endpoint, server):
        done = _run(folder, server, "always", fault)
        said = _judge(fault, endpoint, folder / "always", done)
        if said or fault.outcome == "reply":
            return said and f"while it stays: {said}"
        if fault.outcome == "right":
            said = find_damage(folder / "always", calm) if done.code == 0 else f"exit {done.code}: {done.err[-200:]}"
            return said and f"while it stays: {said}"
        if done.code == 0 and fault.outcome != "either":
            return "while it stays: exit 0, as if all had been answered"
        if fault.outcome == "incurable" and endpoint.requests > moment + _FEW:
            return f"while it stays: {endpoint.requests - moment} requests after the first that was refused"
        endpoint.last = 0
        return _heal(server, folder, "always", calm, fault)


def _judge(fault: Fault, endpoint: Endpoint, run: Path, done: Done) -> str:
    """Return what must never be, whatever the fault."""
    if said := describe_badness(done, (0, 1, 2) if fault.outcome == "incurable" else (0, 1)):
        return said
    statuses = _count_statuses(run)
    if wrong := {status: count for status, count in statuses.items() if status not in ("done", *_UNSCORED)}:
        return f"trials with {wrong}: {_read_errors(run)}"
    if statuses["model-error"] and not _read_errors(run):
        return "unscored without a message"
    return "a body without a limit: all of it was read" if endpoint.overrun else ""


def _heal(server: FakeOpenAI, folder: Path, name: str, calm: dict[str, object], fault: Fault) -> str:
    """Give the command again, now that the endpoint is sound."""
    done = _run(folder, server, name, fault)
    if said := describe_badness(done, (0,)):
        return f"after it: {said}"
    return find_damage(folder / name, calm)


def _compare_ledger(endpoint: Endpoint, run: Path) -> str:
    owed = endpoint.delivered - add_up_ledger(run)
    # A fault may have been billed too, by a usage next to it: the ledger may hold more, never less.
    return f"books less ledger: {owed}" if owed.calls > 0 or owed.prompt > 0 else ""


def _run(folder: Path, server: FakeOpenAI, name: str, fault: Fault) -> Done:
    write_endpoint(folder, retries=2, timeout_s=_SHORT_S if fault.slow else _LONG_S)
    suite = f"toy:houses={_MANY if fault.many else _HOUSES}"
    words = ("run", suite, *_PLAYED, "-m", "openai/toy", "--base-url", server.url, "--endpoint", "endpoint.toml")
    return call(folder, *words, "-o", name)


@contextmanager
def _serving(endpoint: Endpoint) -> Iterator[tuple[Endpoint, FakeOpenAI]]:
    with FakeOpenAI(endpoint.answer) as server:
        yield endpoint, server


def _count_statuses(run: Path) -> Counter[str]:
    return Counter(status for status, _ in _read_trials(run))


def _read_errors(run: Path) -> str:
    return "; ".join(sorted({error for _, error in _read_trials(run) if error}))[:300]


def _read_trials(run: Path) -> list[tuple[str, str]]:
    if not (run / "run.sqlite").exists():
        return []
    db = sqlite3.connect(f"{(run / 'run.sqlite').as_uri()}?mode=ro", uri=True)
    try:
        return db.execute("SELECT status, error FROM trials").fetchall()
    finally:
        db.close()
