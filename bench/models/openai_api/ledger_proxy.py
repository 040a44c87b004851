"""A proxy that needs no run (``bench proxy``): a ledger of calls by trial and phase.

Its address names the trial and the phase, and each call is a line of a JSONL file before the caller has its reply.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TextIO

from bench.errors import StoreError, UsageError
from bench.models.ledger.embedder import MeteredEmbedder
from bench.models.ledger.meter import Meter
from bench.models.ledger.metered import MeteredModel
from bench.models.openai_api.client import OpenAIBackend
from bench.models.openai_api.format import BadRequest
from bench.models.openai_api.http_server import HttpRequest, HttpResponse, LoopbackServer
from bench.models.openai_api.proxy import dispatch, split_path
from bench.protocols import Embedder, Model
from bench.secrets import scrub
from bench.types import Call, Phase, Role

__all__ = ["CallTotals", "LedgerProxy"]

_LONGEST_NAME = 200


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
        name, phase, endpoint = split_path(path)
        if phase not in {known.value for known in Phase}:
            raise BadRequest(f"phase: expected one of {', '.join(Phase)}, got {phase!r}", 404)
        if not (name.isascii() and name.isprintable() and 0 < len(name) <= _LONGEST_NAME):
            raise BadRequest(
                f"trial: expected a name of 1 to {_LONGEST_NAME} ASCII characters, got {name[:100]!r}", 404
            )
        trial = self._open_trial(scrub(name))
        with trial.lock, trial.meter.phase(Phase(phase)):
            try:
                return dispatch(trial.backend, request, endpoint, Role.THIRD_PARTY)
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
