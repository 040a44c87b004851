"""The models of a trial as a program gets them: called one at a time, and only while a line of it is waited for.

So every call has its decision in the ledger, in the same order each time, and none is made when the trial has moved on.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bench.errors import StrategyError
from bench.protocols import Embedder, HasJsonMode, Model, Vectors
from bench.types import Message, Reply, Role

__all__ = ["Gate", "GatedEmbedder", "GatedModel"]

_NOT_ITS_OWN = (Role.EMBED, Role.JUDGE)
"""Roles that tables count apart."""


class Gate:
    """Open while the program has the turn; counts its calls. ``failed``: one of them did."""

    def __init__(self, most: int):
        """``most`` calls may be made for one decision; 0 = no limit."""
        self._most, self._calls, self._lock = most, 0, threading.Lock()
        self._is_open = self._decides = False
        self.failed = False

    @contextmanager
    def opened(self, *, decides: bool) -> Iterator[None]:
        """Let calls through inside the block; it ends when the last of them has. Only those of a decision count."""
        with self._lock:
            self._is_open, self._decides, self._calls = True, decides, 0
        try:
            yield
        finally:
            with self._lock:
                self._is_open = False

    @contextmanager
    def between_calls(self) -> Iterator[bool]:
        """Keep calls out inside the block; False if one is being made, and nothing is kept out."""
        free = self._lock.acquire(blocking=False)
        try:
            yield free
        finally:
            if free:
                self._lock.release()

    @contextmanager
    def call(self, role: str = "") -> Iterator[None]:
        """Wrap one call of a role, or one of the embedder's, which is not counted.

        Raises: StrategyError for one too many, one of another's role, or one at the wrong time.
        """
        with self._lock:
            try:
                if not self._is_open:
                    raise StrategyError(
                        "agent: expected model calls while a line is asked for, got one at another time"
                    )
                if role:
                    self._count(role)
                yield
            except BaseException:
                self.failed = True
                raise

    def _count(self, role: str) -> None:
        if role in _NOT_ITS_OWN:
            raise StrategyError(f"agent: expected a role of its own in the address, got {role}")
        self._calls += self._decides
        if self._most and self._calls > self._most:
            raise StrategyError(
                f"agent: expected at most {self._most} model calls for one decision, got one more; raise calls"
            )


class GatedModel:
    """A model behind a gate."""

    def __init__(self, model: Model, gate: Gate):
        self._model, self._gate = model, gate

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def json_mode(self) -> bool:
        """True if the model can be held to one JSON object."""
        return isinstance(self._model, HasJsonMode) and self._model.json_mode

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        """Return the reply. Raises: as the model does; StrategyError at the gate."""
        with self._gate.call(role):
            return self._model.chat(messages, role=role, max_tokens=max_tokens, stop=stop)

    def chat_json(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        """Return the reply, one JSON object where the model has that mode. Raises: as ``chat``."""
        if not isinstance(self._model, HasJsonMode):
            return self.chat(messages, role=role, max_tokens=max_tokens, stop=stop)
        with self._gate.call(role):
            return self._model.chat_json(messages, role=role, max_tokens=max_tokens, stop=stop)


class GatedEmbedder:
    """An embedder behind the same gate."""

    def __init__(self, embedder: Embedder, gate: Gate):
        self._embedder, self._gate = embedder, gate

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def in_process(self) -> bool:
        return self._embedder.in_process

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors. Raises: as the embedder does; StrategyError at the gate."""
        with self._gate.call():
            return self._embedder.embed(texts)
