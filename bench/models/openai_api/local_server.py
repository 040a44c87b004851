"""A local model behind OpenAI's chat completions on this machine: ``bench serve``.

The same model answers in the same way as inside a run, so that the path over HTTP can be tested against it: equal
replies at temperature 0, equal counts. What a request does not say is as in a run: temperature 0.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import replace

from bench.errors import ContextOverflow, ModelError
from bench.models.local.llama_cpp import Sampling, open_llama
from bench.models.local.source import PREFIX, weights_file
from bench.models.openai_api.format import BadRequest, ChatAsked, completion, error, models, read_chat
from bench.models.openai_api.http_server import Answer, Asked, Loopback

__all__ = ["LocalServer"]


class LocalServer:
    """One local model at one address, until it is closed."""

    def __init__(self, name: str, port: int = 0):
        """``name`` with or without ``local/``. Raises: UsageError as for a run, or if the port is taken."""
        self.name = name.removeprefix(PREFIX)
        self._llama = open_llama(weights_file(self.name))
        self._numbers = itertools.count(1)
        self._loopback = Loopback(self._route, port)

    @property
    def url(self) -> str:
        """What a client calls its base URL."""
        return f"{self._loopback.address}/v1"

    def close(self) -> None:
        self._loopback.close()

    def __enter__(self) -> LocalServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _route(self, asked: Asked) -> Answer:
        if (asked.method, asked.path) == ("GET", "/v1/models"):
            return Answer(models([self.name]))
        if (asked.method, asked.path) == ("POST", "/v1/chat/completions"):
            return self._chat(read_chat(asked.body))
        raise BadRequest(f"{asked.method} {asked.path}: expected POST /v1/chat/completions or GET /v1/models", 404)

    def _chat(self, asked: ChatAsked) -> Answer:
        if asked.model.removeprefix(PREFIX) != self.name:
            # Answering under another name would put that name into a table.
            raise BadRequest(f"model: expected {self.name}, got {asked.model!r}", 404)
        sampling = Sampling(seed=asked.seed)
        if asked.temperature is not None:
            sampling = replace(sampling, temperature=asked.temperature)
        if asked.top_p is not None:
            sampling = replace(sampling, top_p=asked.top_p)
        try:
            reply = self._llama.complete(asked.messages, sampling, asked.max_tokens, asked.stop)
        except ContextOverflow as long:
            return Answer(error(str(long), "invalid_request_error", "context_length_exceeded"), 400)
        except ModelError as failure:
            return Answer(error(str(failure), "server_error"), 500)
        return Answer(completion(reply, self.name, f"chatcmpl-{next(self._numbers)}", int(time.time())))
