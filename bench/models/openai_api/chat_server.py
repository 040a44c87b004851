"""One model of this process behind OpenAI's chat completions, at an address on this machine."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from typing import Self

from bench.errors import ContextOverflow, ModelError
from bench.models.openai_api.format import BadRequest, ChatRequest, read_chat, to_completion, to_error, to_model_list
from bench.models.openai_api.http_server import HttpRequest, HttpResponse, LoopbackServer
from bench.types import Reply

__all__ = ["ChatServer"]


class ChatServer:
    """One model at one address, until it is closed."""

    def __init__(self, names: Sequence[str], complete: Callable[[ChatRequest], Reply], port: int = 0):
        """``names``: what a request may call the model; the first is its name in replies.

        ``complete`` is called from any thread; it raises ContextOverflow, ModelError or BadRequest.
        Raises: UsageError if the port is taken.
        """
        self.name, self._names = names[0], frozenset(names)
        self._complete = complete
        self._numbers = itertools.count(1)
        self._server = LoopbackServer(self._route, port)

    @property
    def url(self) -> str:
        """The base URL for a client."""
        return f"{self._server.address}/v1"

    def close(self) -> None:
        self._server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _route(self, request: HttpRequest) -> HttpResponse:
        if (request.method, request.path) == ("GET", "/v1/models"):
            return HttpResponse(to_model_list([self.name]))
        if (request.method, request.path) == ("POST", "/v1/chat/completions"):
            return self._chat(read_chat(request.body))
        raise BadRequest(f"{request.method} {request.path}: expected POST /v1/chat/completions or GET /v1/models", 404)

    def _chat(self, request: ChatRequest) -> HttpResponse:
        if request.model not in self._names:
            # A reply under another name would put that name into a table.
            raise BadRequest(f"model: expected {self.name}, got {request.model!r}", 404)
        try:
            reply = self._complete(request)
        except ContextOverflow as long:
            return HttpResponse(to_error(str(long), "invalid_request_error", "context_length_exceeded"), 400)
        except ModelError as failure:
            return HttpResponse(to_error(str(failure), "server_error"), 500)
        return HttpResponse(to_completion(reply, self.name, f"chatcmpl-{next(self._numbers)}", int(time.time())))
