"""A model and a source with scripted replies: the fakes for tests and benchmarks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from bench.errors import ModelError
from bench.models.tokenizers import SIMPLE, count_tokens
from bench.protocols import Model
from bench.types import Message, Reply, Usage, UsageSource

__all__ = ["ScriptedModel", "ScriptedSource"]


class ScriptedModel:
    """Replies from a list, in order, or from a function of (messages, role).

    Raises: ModelError when a list has run out.
    """

    def __init__(self, replies: Sequence[str] | Callable[[Sequence[Message], str], str], name: str = "scripted"):
        self._replies = replies
        self._name = name
        self._calls = 0

    @property
    def name(self) -> str:
        return self._name

    @property
    def calls(self) -> int:
        """How often the model was called."""
        return self._calls

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        self._calls += 1
        text = self._next_reply(messages, role)
        usage = Usage(
            prompt=sum(count_tokens(message.content) for message in messages),
            completion=count_tokens(text),
            source=UsageSource.OFFLINE,
        )
        return Reply(text, usage, cost_usd=0.0)

    def _next_reply(self, messages: Sequence[Message], role: str) -> str:
        if callable(self._replies):
            return self._replies(messages, role)
        if self._calls > len(self._replies):
            raise ModelError(f"{self._name}: expected at most {len(self._replies)} calls, got one more; add replies")
        return self._replies[self._calls - 1]


class ScriptedSource:
    """A remote endpoint with scripted replies and a price: the fake for whole runs. Safe in threads.

    ``reply`` gets the messages, the role and the number of the call, from 1; what it raises, the call raises.
    """

    remote = True
    workers = 0
    tokenizer = SIMPLE

    def __init__(
        self, reply: Callable[[Sequence[Message], str, int], str], usd: float | None = 0.01, name: str = "remote/fake"
    ):
        self._reply, self._usd, self.name = reply, usd, name
        self.identity = f"{name} as scripted"
        self._lock = threading.Lock()
        self.calls = 0
        """How often a model of this source was called."""

    def model(self, _seed: int) -> Model:
        return self

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        with self._lock:
            self.calls += 1
            number = self.calls
        text = self._reply(messages, role, number)
        usage = Usage(prompt=sum(count_tokens(m.content) for m in messages), completion=count_tokens(text))
        return Reply(text, usage, self._usd, "2026-01-01")

    def close(self) -> None:
        pass
