"""A local model behind OpenAI's chat completions on this machine: ``bench serve``.

The model replies as it does inside a run, so that the way over HTTP can be tested against it: equal replies at
temperature 0, equal counts. The defaults are those of a run: temperature 0.
"""

from __future__ import annotations

from dataclasses import replace

from bench.models.local.llama_cpp import Sampling, open_llama
from bench.models.local.source import PREFIX, find_weights
from bench.models.openai_api.chat_server import ChatServer
from bench.models.openai_api.format import ChatRequest
from bench.types import Reply

__all__ = ["LocalServer"]


class LocalServer(ChatServer):
    """One local model at one address, until it is closed."""

    def __init__(self, name: str, port: int = 0):
        """``name`` with or without ``local/``. Raises: UsageError as for a run, or if the port is taken."""
        name = name.removeprefix(PREFIX)
        self._llama = open_llama(find_weights(name))
        super().__init__((name, f"{PREFIX}{name}"), self._sample, port)

    def _sample(self, request: ChatRequest) -> Reply:
        sampling = Sampling(seed=request.seed)
        if request.temperature is not None:
            sampling = replace(sampling, temperature=request.temperature)
        if request.top_p is not None:
            sampling = replace(sampling, top_p=request.top_p)
        return self._llama.complete(request.messages, sampling, request.max_tokens, request.stop)
