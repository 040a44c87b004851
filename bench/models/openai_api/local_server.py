"""A local model behind OpenAI's chat completions on this machine: ``bench serve``.

The model replies as it does inside a run, so that the way over HTTP can be tested against it: equal replies at
temperature 0, equal counts. The defaults are those of a run: temperature 0.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import replace

from bench.errors import ContextOverflow, ModelError
from bench.models.local.llama_cpp import Sampling, open_llama
from bench.models.local.source import PREFIX, find_weights
from bench.models.openai_api.format import (
    BadRequest,
    ChatRequest,
    read_chat,
    to_completion,
    to_error,
    to_model_list,
)
from bench.models.openai_api.http_server import HttpRequest, HttpResponse, LoopbackServer

__all__ = ["LocalServer"]


class LocalServer:
    """One local model at one address, until it is closed."""

    def __init__(self, name: str, port: int = 0):
        """``name`` with or without ``local/``. Raises: UsageError as for a run, or if the port is taken."""
        self.name = name.removeprefix(PREFIX)
        self._llama = open_llama(find_weights(self.name))
        self._numbers = itertools.count(1)
        self._server = LoopbackServer(self._route, port)

    @property
    def url(self) -> str:
        """The base URL for a client."""
        return f"{self._server.address}/v1"

    def close(self) -> None:
        self._server.close()

    def __enter__(self) -> LocalServer:
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
        if request.model.removeprefix(PREFIX) != self.name:
            # A reply under another name would put that name into a table.
            raise BadRequest(f"model: expected {self.name}, got {request.model!r}", 404)
        sampling = Sampling(seed=request.seed)
        if request.temperature is not None:
            sampling = replace(sampling, temperature=request.temperature)
        if request.top_p is not None:
            sampling = replace(sampling, top_p=request.top_p)
        try:
            reply = self._llama.complete(request.messages, sampling, request.max_tokens, request.stop)
        except ContextOverflow as long:
            return HttpResponse(to_error(str(long), "invalid_request_error", "context_length_exceeded"), 400)
        except ModelError as failure:
            return HttpResponse(to_error(str(failure), "server_error"), 500)
        return HttpResponse(to_completion(reply, self.name, f"chatcmpl-{next(self._numbers)}", int(time.time())))
