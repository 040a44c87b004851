"""The calls that a memory library makes inside, put into the ledger: a client with the face of OpenAI's.

``MeteredClient(kit.model, kit.embedder)`` goes where a library wants ``openai.OpenAI()``. Each call is the kit's own:
committed before the library sees the reply, under the phase that the trial is in (observe writes, recall reads)
and the role ``third-party``, or another that the strategy names. The run decides model and sampling: what a library
says about those is set aside, and ``set_aside`` names it. Libraries like to swallow errors: the first one is kept, ends
every later call at once, and is raised by ``guard``. Calls of one trial are made one after the other.

A library that goes on working after its method has returned is booked under the phase of that later moment.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from types import SimpleNamespace
from typing import Any

from bench.errors import StrategyError
from bench.models.openai_api.format import BadRequest, completion, embeddings, read_chat, read_texts
from bench.models.tokenizers import count_tokens
from bench.protocols import Embedder, Model

__all__ = ["THIRD_PARTY", "AttrDict", "MeteredClient", "OpenAIBackend"]

THIRD_PARTY = "third-party"
_RUN_DECIDES = ("temperature", "top_p", "seed")


class OpenAIBackend:
    """The one way by which a library's calls reach the models of a trial; safe to use from threads."""

    def __init__(self, model: Model, embedder: Embedder, leave_out: tuple[str, ...] = ()):
        """``leave_out``: parameters that may be ignored although they could change a reply."""
        self._model, self._embedder, self._leave_out = model, embedder, frozenset(leave_out)
        self._lock = threading.Lock()
        self._failure: BaseException | None = None
        self._numbers = itertools.count(1)
        self._set_aside: set[str] = set()

    @property
    def model_name(self) -> str:
        return self._model.name

    @property
    def set_aside(self) -> tuple[str, ...]:
        """What the library said that the run decides, or that ``leave_out`` names: sorted names of parameters."""
        return tuple(sorted(self._set_aside))

    def chat(self, fields: Mapping[str, Any], role: str = THIRD_PARTY) -> dict[str, Any]:
        """Answer a chat request with the model of the run.

        Raises: BenchError, which ``guard`` raises again even if the library swallows this one.
        """
        with self._one(fields):
            asked = read_chat(fields, self._leave_out)
            reply = self._model.chat(asked.messages, role=role, max_tokens=asked.max_tokens, stop=asked.stop)
            # No clock and no chance: a library that keeps what it got stays deterministic.
            return completion(reply, self._model.name, f"chatcmpl-{next(self._numbers)}", 0)

    def embed(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Answer an embedding request with the embedder of the run. Raises: as ``chat``."""
        with self._one(fields):
            asked = read_texts(fields, self._leave_out)
            vectors = self._embedder.embed(asked.texts)
            return embeddings(vectors, asked, self._embedder.name, sum(map(count_tokens, asked.texts)))

    @contextmanager
    def _one(self, fields: object) -> Iterator[None]:
        with self._lock:
            if self._failure is not None:
                raise self._failure
            try:
                if isinstance(fields, Mapping):
                    mine = {*_RUN_DECIDES, *self._leave_out}
                    self._set_aside |= {name for name, value in fields.items() if value is not None and name in mine}
                yield
            except BadRequest as bad:
                self._failure = StrategyError(f"third-party library: {bad}")
                raise self._failure from bad
            except BaseException as cause:
                self._failure = cause
                raise

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Around every use of the library: what went wrong in its calls is raised here, whatever it made of that.

        Raises: ModelError, Refused, ContextOverflow, StrategyError, … as the call did.
        """
        try:
            yield
        except Exception as cause:
            self._raise(cause)
            raise
        self._raise(None)

    def forgive(self) -> None:
        """Let the next call be made whatever became of the last."""
        with self._lock:
            self._failure = None

    def _raise(self, cause: BaseException | None) -> None:
        with self._lock:
            failure, self._failure = self._failure, None
        if failure is not None and failure is not cause:
            raise failure from cause


class AttrDict(SimpleNamespace):
    """An answer as OpenAI's library gives it: attributes all the way down, ``model_dump()`` for plain values."""

    def model_dump(self, **_: object) -> dict[str, Any]:
        plain: dict[str, Any] = _plain(self)
        return plain


def _given(value: Any) -> Any:
    if isinstance(value, Mapping):
        return AttrDict(**{name: _given(inner) for name, inner in value.items()})
    return [_given(inner) for inner in value] if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    if isinstance(value, AttrDict):
        return {name: _plain(inner) for name, inner in vars(value).items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


class MeteredClient:
    """``client.chat.completions.create(...)`` and ``client.embeddings.create(...)`` on the models of a trial."""

    def __init__(self, model: Model, embedder: Embedder, *, role: str = THIRD_PARTY, leave_out: tuple[str, ...] = ()):
        """``leave_out``: parameters that may be ignored although they could change a reply."""
        self._door = OpenAIBackend(model, embedder, leave_out)
        self.chat = _Chat(self._door, role)
        self.embeddings = _Embeddings(self._door)

    def as_role(self, role: str) -> MeteredClient:
        """Return the same client under another role of the ledger, for a library that takes one client a purpose."""
        other = copy(self)
        other.chat = _Chat(self._door, role)
        return other

    def guard(self) -> AbstractContextManager[None]:
        """See ``OpenAIBackend.guard``: around every use of the library."""
        return self._door.guard()

    @property
    def set_aside(self) -> tuple[str, ...]:
        """See ``OpenAIBackend.set_aside``."""
        return self._door.set_aside


class _Completions:
    def __init__(self, door: OpenAIBackend, role: str):
        self._door, self._role = door, role

    def create(self, **fields: Any) -> Any:
        """Return the completion. Raises: BenchError."""
        return _given(self._door.chat(fields, self._role))


class _Chat:
    def __init__(self, door: OpenAIBackend, role: str):
        self.completions = _Completions(door, role)


class _Embeddings:
    def __init__(self, door: OpenAIBackend):
        self._door = door

    def create(self, **fields: Any) -> Any:
        """Return the embedding list. Raises: BenchError."""
        return _given(self._door.embed(fields))
