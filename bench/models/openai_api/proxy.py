"""The calls of a memory library that takes nothing but an address, put into the ledger: an OpenAI-compatible proxy.

Two proxies on 127.0.0.1. ``ProxyServer`` belongs to one trial of a run: its address holds a word that nobody else
knows, so trials that run side by side are told apart, and its calls are booked like those of ``MeteredClient``.
``LedgerProxy`` stands alone (``bench proxy``): its address says the trial and the phase, and each call is a line of a
JSONL file before the caller has its reply. Any key is accepted; none is needed. No streaming, no tools.
"""

from __future__ import annotations

import json
import os
import secrets
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TextIO

from bench.errors import BenchError, ContextOverflow, Refused, StoreError, StrategyError, UsageError
from bench.models.ledger.meter import Meter
from bench.models.ledger.metered import MeteredEmbedder, MeteredModel
from bench.models.openai_api.client import THIRD_PARTY, OpenAIBackend
from bench.models.openai_api.format import BadRequest, error, models
from bench.models.openai_api.http_server import Answer, Asked, Loopback
from bench.protocols import Embedder, Model
from bench.types import Call, Phase

__all__ = ["LedgerProxy", "ProxyServer", "Spent"]

_NOT_AGAIN = {"x-should-retry": "false"}
"""Told to clients that ask again by themselves: retries are the run's business."""


class ProxyServer:
    """The proxy of one trial. Starts when its address is first asked for; ends with the trial that made it."""

    def __init__(self, model: Model, embedder: Embedder, *, leave_out: tuple[str, ...] = ()):
        self._door = OpenAIBackend(model, embedder, leave_out)
        self._word = secrets.token_urlsafe(16)
        self._loopback: Loopback | None = None

    @property
    def url(self) -> str:
        """What the library calls its base URL."""
        return self.url_for(THIRD_PARTY)

    def url_for(self, role: str) -> str:
        """Return the base URL whose calls have another role in the ledger, for a library that takes one a purpose."""
        if self._loopback is None:
            # The server's thread must not hold on to this object, or it would never be let go.
            self._loopback = Loopback(_TrialRoute(self._door, self._word))
        return f"{self._loopback.address}/{self._word}/{role}/v1"

    def guard(self) -> AbstractContextManager[None]:
        """See ``OpenAIBackend.guard``: around every use of the library."""
        return self._door.guard()

    @property
    def set_aside(self) -> tuple[str, ...]:
        """See ``OpenAIBackend.set_aside``."""
        return self._door.set_aside

    def close(self) -> None:
        if self._loopback is not None:
            self._loopback.close()

    def __enter__(self) -> ProxyServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _TrialRoute:
    """``/<word>/<role>/v1/...`` to the door of one trial."""

    def __init__(self, door: OpenAIBackend, word: str):
        self._door, self._word = door, word

    def __call__(self, asked: Asked) -> Answer:
        word, role, what = _split(asked.path)
        if not secrets.compare_digest(word.encode(), self._word.encode()):
            raise BadRequest(f"{asked.path}: expected an address of this trial", 404)
        return _through(self._door, asked, what, role)


def _split(path: str) -> tuple[str, str, str]:
    """``/a/b/v1/chat/completions`` to a, b and the rest. Raises: BadRequest."""
    first, second, version, *rest = (*path.strip("/").split("/"), "", "", "")
    if version != "v1":
        raise BadRequest(f"{path}: expected /<trial>/<phase or role>/v1/..., got another path", 404)
    return first, second, "/".join(filter(None, rest))


def _through(door: OpenAIBackend, asked: Asked, what: str, role: str) -> Answer:
    """Answer one request by the door; what went wrong is told in words that no client retries."""
    work: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
        "chat/completions": lambda body: door.chat(body, role),
        "embeddings": door.embed,
    }
    if (asked.method, what) == ("GET", "models"):
        return Answer(models([door.model_name]))
    if asked.method != "POST" or what not in work:
        raise BadRequest(f"{asked.method} {what}: expected GET models or POST {' or '.join(work)}", 404)
    if not isinstance(asked.body, dict):
        raise BadRequest("body: expected an object")
    try:
        return Answer(work[what](asked.body))
    except StrategyError as bad:
        return Answer(error(str(bad), "invalid_request_error"), 400, _NOT_AGAIN)
    except ContextOverflow as long:
        return Answer(error(str(long), "invalid_request_error", "context_length_exceeded"), 400, _NOT_AGAIN)
    except Refused as no:
        return Answer(error(str(no), "content_filter", "content_filter"), 400, _NOT_AGAIN)
    except BenchError as failure:
        # 424: what this depends on failed. Not 5xx, or clients would ask again on their own account.
        return Answer(error(str(failure), "upstream_error"), 424, _NOT_AGAIN)


@dataclass(slots=True)
class Spent:
    """What the calls of one trial, phase and role come to. None = not told for at least one call."""

    calls: int = 0
    prompt: int | None = 0
    cached: int = 0
    completion: int | None = 0
    cost_usd: float | None = 0.0

    def add(self, call: Call) -> None:
        usage = call.usage
        self.calls += 1
        self.prompt = None if self.prompt is None or usage.prompt is None else self.prompt + usage.prompt
        told = self.completion is not None and usage.completion is not None
        self.completion = (self.completion or 0) + (usage.completion or 0) if told else None
        self.cached += usage.cached_read or 0
        known = self.cost_usd is not None and call.cost_usd is not None
        self.cost_usd = (self.cost_usd or 0.0) + (call.cost_usd or 0.0) if known else None


@dataclass(slots=True)
class _Booked:
    """One trial of a stand-alone proxy: its meter and the door in front of it. One call at a time."""

    meter: Meter
    door: OpenAIBackend
    lock: threading.Lock = field(default_factory=threading.Lock)


class LedgerProxy:
    """A proxy with a ledger of its own. ``/<trial>/<phase>/v1/...``; ``/v1/...`` is trial ``default``, writing."""

    def __init__(self, model: Model, embedder: Embedder, ledger: Path, port: int = 0, leave_out: tuple[str, ...] = ()):
        """``ledger`` is a JSONL file that must not be there yet. Raises: UsageError."""
        self._model, self._embedder, self._path, self._leave_out = model, embedder, ledger, leave_out
        self._lock = threading.Lock()
        self._trials: dict[str, _Booked] = {}
        self._spent: dict[tuple[str, str, str], Spent] = {}
        self._loopback = Loopback(self._route, port)
        try:
            self._file = _new(ledger)
        except UsageError:
            self._loopback.close()
            raise

    @property
    def url(self) -> str:
        """The address of trial ``default``, writing."""
        return f"{self._loopback.address}/v1"

    def url_for(self, trial: str, phase: Phase) -> str:
        return f"{self._loopback.address}/{trial}/{phase.value}/v1"

    @property
    def set_aside(self) -> tuple[str, ...]:
        """Parameters that callers sent and that changed nothing, sorted."""
        with self._lock:
            return tuple(sorted({name for booked in self._trials.values() for name in booked.door.set_aside}))

    @property
    def spent(self) -> Mapping[tuple[str, str, str], Spent]:
        """By trial, phase and role, sorted."""
        with self._lock:
            return dict(sorted(self._spent.items()))

    def close(self) -> None:
        self._loopback.close()
        with self._lock:
            self._file.close()

    def _route(self, asked: Asked) -> Answer:
        path = asked.path if not asked.path.startswith("/v1/") else f"/default/{Phase.WRITE.value}{asked.path}"
        trial, phase, what = _split(path)
        if phase not in {known.value for known in Phase}:
            raise BadRequest(f"phase: expected one of {', '.join(Phase)}, got {phase!r}", 404)
        booked = self._booked(trial)
        with booked.lock, booked.meter.phase(Phase(phase)):
            answer = _through(booked.door, asked, what, THIRD_PARTY)
            booked.door.forgive()  # the caller has been told, and there is no run here to end
            return answer

    def _booked(self, trial: str) -> _Booked:
        with self._lock:
            if trial not in self._trials:
                meter = Meter(lambda call: self._commit(trial, call))
                door = OpenAIBackend(
                    MeteredModel(self._model, meter), MeteredEmbedder(self._embedder, meter), self._leave_out
                )
                self._trials[trial] = _Booked(meter, door)
            return self._trials[trial]

    def _commit(self, trial: str, call: Call) -> None:
        """Write one line and have it on the disk before the reply leaves."""
        line = json.dumps({"trial": trial, **asdict(call)})
        with self._lock:
            try:
                self._file.write(line + "\n")
                self._file.flush()
                os.fsync(self._file.fileno())
            except (OSError, ValueError) as cause:
                raise StoreError(f"{self._path}: expected room for one more call, got {cause}") from cause
            self._spent.setdefault((trial, call.phase.value, call.role), Spent()).add(call)


def _new(ledger: Path) -> TextIO:
    try:
        return ledger.open("x", encoding="utf-8")
    except FileExistsError:
        raise UsageError(f"{ledger}: expected no file there, got one; name another with --out") from None
    except OSError as cause:
        raise UsageError(f"{ledger}: expected a place to write ({cause.strerror}); name another with --out") from None
