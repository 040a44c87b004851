"""An OpenAI-compatible proxy that records the calls of a memory library which takes nothing but an address.

Two proxies on 127.0.0.1. ``ProxyServer`` belongs to one trial of a run: its address holds a secret token, so that
trials that run at the same time stay separate, and its calls are recorded like those of ``MeteredClient``.
``LedgerProxy`` needs no run (``bench proxy``): its address names the trial and the phase, and each call is a line of a
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
from bench.models.ledger.embedder import MeteredEmbedder
from bench.models.ledger.meter import Meter
from bench.models.ledger.metered import MeteredModel
from bench.models.openai_api.client import OpenAIBackend
from bench.models.openai_api.format import BadRequest, to_error, to_model_list
from bench.models.openai_api.http_server import HttpRequest, HttpResponse, LoopbackServer
from bench.protocols import Embedder, Model
from bench.secrets import scrub
from bench.types import Call, Phase, Role

__all__ = ["CallTotals", "LedgerProxy", "ProxyServer"]

_LONGEST_NAME = 200
_NO_RETRY = {"x-should-retry": "false"}
"""Sent to clients that retry by themselves: retries are left to the run."""


class ProxyServer:
    """The proxy of one trial. Starts when its address is first read; ends with the trial that made it."""

    def __init__(self, model: Model, embedder: Embedder, *, leave_out: tuple[str, ...] = ()):
        self._backend = OpenAIBackend(model, embedder, leave_out)
        self._token = secrets.token_urlsafe(16)
        self._server: LoopbackServer | None = None

    @property
    def url(self) -> str:
        """The base URL for the library."""
        return self.url_for(Role.THIRD_PARTY)

    def url_for(self, role: str) -> str:
        """Return the base URL of another role, for a library that takes one address for each purpose."""
        if self._server is None:
            # The server's thread must not refer to this object, or it would never be collected.
            self._server = LoopbackServer(_TrialRoute(self._backend, self._token))
        return f"{self._server.address}/{self._token}/{role}/v1"

    def guard(self) -> AbstractContextManager[None]:
        """See ``OpenAIBackend.guard``: wrap every use of the library."""
        return self._backend.guard()

    @property
    def ignored_parameters(self) -> tuple[str, ...]:
        """See ``OpenAIBackend.ignored_parameters``."""
        return self._backend.ignored_parameters

    def close(self) -> None:
        if self._server is not None:
            self._server.close()

    def __enter__(self) -> ProxyServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _TrialRoute:
    """``/<token>/<role>/v1/...`` to the backend of one trial."""

    def __init__(self, backend: OpenAIBackend, token: str):
        self._backend, self._token = backend, token

    def __call__(self, request: HttpRequest) -> HttpResponse:
        token, role, endpoint = _split_path(request.path)
        if not secrets.compare_digest(token.encode(), self._token.encode()):
            raise BadRequest(f"{request.path}: expected an address of this trial", 404)
        return _dispatch(self._backend, request, endpoint, role)


def _split_path(path: str) -> tuple[str, str, str]:
    """Return a, b and the rest of ``/a/b/v1/chat/completions``. Raises: BadRequest."""
    first, second, version, *rest = (*path.strip("/").split("/"), "", "", "")
    if version != "v1":
        raise BadRequest(f"{path}: expected /<trial>/<phase or role>/v1/..., got another path", 404)
    return first, second, "/".join(filter(None, rest))


def _dispatch(backend: OpenAIBackend, request: HttpRequest, endpoint: str, role: str) -> HttpResponse:
    """Answer one request by the backend; errors have statuses that no client retries."""
    handlers: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
        "chat/completions": lambda body: backend.chat(body, role),
        "embeddings": backend.embed,
    }
    if (request.method, endpoint) == ("GET", "models"):
        return HttpResponse(to_model_list([backend.model_name]))
    if request.method != "POST" or endpoint not in handlers:
        raise BadRequest(f"{request.method} {endpoint}: expected GET models or POST {' or '.join(handlers)}", 404)
    if not isinstance(request.body, dict):
        raise BadRequest("body: expected an object")
    try:
        return HttpResponse(handlers[endpoint](request.body))
    except StrategyError as bad:
        return HttpResponse(to_error(str(bad), "invalid_request_error"), 400, _NO_RETRY)
    except ContextOverflow as long:
        return HttpResponse(to_error(str(long), "invalid_request_error", "context_length_exceeded"), 400, _NO_RETRY)
    except Refused as no:
        return HttpResponse(to_error(str(no), "content_filter", "content_filter"), 400, _NO_RETRY)
    except BenchError as failure:
        # 424: what this depends on failed. Not 5xx, or clients would retry by themselves.
        return HttpResponse(to_error(str(failure), "upstream_error"), 424, _NO_RETRY)


@dataclass(slots=True)
class CallTotals:
    """The sums over the calls of one trial, phase and role. None = not reported for at least one call."""

    calls: int = 0
    prompt: int | None = 0
    cached: int = 0
    completion: int | None = 0
    cost_usd: float | None = 0.0

    def add(self, call: Call) -> None:
        usage = call.usage
        self.calls += 1
        self.prompt = None if self.prompt is None or usage.prompt is None else self.prompt + usage.prompt
        reported = self.completion is not None and usage.completion is not None
        self.completion = (self.completion or 0) + (usage.completion or 0) if reported else None
        self.cached += usage.cached_read or 0
        known = self.cost_usd is not None and call.cost_usd is not None
        self.cost_usd = (self.cost_usd or 0.0) + (call.cost_usd or 0.0) if known else None


@dataclass(slots=True)
class _ProxyTrial:
    """One trial of a ``LedgerProxy``: its meter and the backend in front of it. One call at a time."""

    meter: Meter
    backend: OpenAIBackend
    lock: threading.Lock = field(default_factory=threading.Lock)


class LedgerProxy:
    """A proxy with its own ledger. ``/<trial>/<phase>/v1/...``; ``/v1/...`` is trial ``default``, phase write."""

    def __init__(self, model: Model, embedder: Embedder, ledger: Path, port: int = 0, leave_out: tuple[str, ...] = ()):
        """``ledger`` is a JSONL file that must not be there yet. Raises: UsageError."""
        self._model, self._embedder, self._path, self._leave_out = model, embedder, ledger, leave_out
        self._lock, self._closing = threading.Lock(), False
        self._trials: dict[str, _ProxyTrial] = {}
        self._totals: dict[tuple[str, str, str], CallTotals] = {}
        self._server = LoopbackServer(self._route, port)
        try:
            self._file = _create_ledger(ledger)
        except UsageError:
            self._server.close()
            raise

    @property
    def url(self) -> str:
        """The base URL of trial ``default`` and phase write."""
        return f"{self._server.address}/v1"

    def url_for(self, trial: str, phase: Phase) -> str:
        """Return the base URL whose calls are recorded under a trial and a phase."""
        return f"{self._server.address}/{trial}/{phase.value}/v1"

    @property
    def ignored_parameters(self) -> tuple[str, ...]:
        """Parameters that callers sent and that changed nothing, sorted."""
        with self._lock:
            return tuple(sorted({name for trial in self._trials.values() for name in trial.backend.ignored_parameters}))

    @property
    def totals(self) -> Mapping[tuple[str, str, str], CallTotals]:
        """By trial, phase and role, sorted."""
        with self._lock:
            return dict(sorted(self._totals.items()))

    def close(self) -> None:
        """Stop listening, and begin no call; return when those under way are recorded. Closing twice does nothing."""
        self._server.close()
        with self._lock:
            if self._closing:
                return
            self._closing = True
            trials = list(self._trials.values())
        for trial in trials:
            with trial.lock:  # its call has ended
                pass
        with self._lock:
            self._file.close()

    def _route(self, request: HttpRequest) -> HttpResponse:
        path = request.path
        if path.startswith("/v1/"):
            path = f"/default/{Phase.WRITE.value}{path}"
        name, phase, endpoint = _split_path(path)
        if phase not in {known.value for known in Phase}:
            raise BadRequest(f"phase: expected one of {', '.join(Phase)}, got {phase!r}", 404)
        if not (name.isascii() and name.isprintable() and 0 < len(name) <= _LONGEST_NAME):
            raise BadRequest(
                f"trial: expected a name of 1 to {_LONGEST_NAME} ASCII characters, got {name[:100]!r}", 404
            )
        trial = self._open_trial(scrub(name))
        with trial.lock, trial.meter.phase(Phase(phase)):
            try:
                return _dispatch(trial.backend, request, endpoint, Role.THIRD_PARTY)
            finally:
                trial.backend.clear_failure()  # the answer reports it, and there is no run here to end

    def _open_trial(self, name: str) -> _ProxyTrial:
        with self._lock:
            if name not in self._trials:
                meter = Meter(lambda call: self._commit(name, call), stopped=lambda: self._closing)
                backend = OpenAIBackend(
                    MeteredModel(self._model, meter), MeteredEmbedder(self._embedder, meter), self._leave_out
                )
                self._trials[name] = _ProxyTrial(meter, backend)
            return self._trials[name]

    def _commit(self, trial: str, call: Call) -> None:
        """Write one line to the disk before the reply is sent."""
        line = json.dumps({"trial": trial, **asdict(call)})
        with self._lock:
            try:
                self._file.write(line + "\n")
                self._file.flush()
                os.fsync(self._file.fileno())
            except (OSError, ValueError) as cause:
                raise StoreError(f"{self._path}: expected room for one more call, got {cause}") from cause
            self._totals.setdefault((trial, call.phase.value, call.role), CallTotals()).add(call)


def _create_ledger(ledger: Path) -> TextIO:
    try:
        return ledger.open("x", encoding="utf-8")
    except FileExistsError:
        raise UsageError(f"{ledger}: expected no file there, got one; name another with --out") from None
    except OSError as cause:
        raise UsageError(f"{ledger}: expected a place to write ({cause.strerror}); name another with --out") from None
