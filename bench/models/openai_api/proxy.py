"""An OpenAI-compatible proxy that records the calls of a memory library which takes nothing but an address.

Two proxies on 127.0.0.1. ``ProxyServer`` belongs to one trial of a run: its address holds a secret token, so that
trials that run at the same time stay separate, and its calls are recorded like those of ``MeteredClient``.
``ledger_proxy.LedgerProxy`` needs no run. Any key is accepted; none is needed. No streaming, no tools.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from bench.errors import BenchError, ContextOverflow, Refused, StrategyError
from bench.models.openai_api.client import OpenAIBackend
from bench.models.openai_api.format import BadRequest, to_error, to_model_list
from bench.models.openai_api.http_server import HttpRequest, HttpResponse, LoopbackServer
from bench.protocols import Embedder, Model
from bench.types import Role

__all__ = ["ProxyServer", "dispatch", "split_path"]

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
        token, role, endpoint = split_path(request.path)
        if not secrets.compare_digest(token.encode(), self._token.encode()):
            raise BadRequest(f"{request.path}: expected an address of this trial", 404)
        return dispatch(self._backend, request, endpoint, role)


def split_path(path: str) -> tuple[str, str, str]:
    """Return a, b and the rest of ``/a/b/v1/chat/completions``. Raises: BadRequest."""
    first, second, version, *rest = (*path.strip("/").split("/"), "", "", "")
    if version != "v1":
        raise BadRequest(f"{path}: expected /<trial>/<phase or role>/v1/..., got another path", 404)
    return first, second, "/".join(filter(None, rest))


def dispatch(backend: OpenAIBackend, request: HttpRequest, endpoint: str, role: str) -> HttpResponse:
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
