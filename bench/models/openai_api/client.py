"""A client with the interface of OpenAI's that records the calls a memory library makes inside.

``MeteredClient(kit.model, kit.embedder)`` goes where a library expects ``openai.OpenAI()``. Each call is the kit's own:
committed before the library sees the reply, under the phase that the trial is in (observe writes, recall reads) and the
role ``third-party``, or another that the strategy names. The run decides model and sampling: such parameters of the
library are ignored, and ``ignored_parameters`` lists them; a JSON object as ``response_format`` is passed on to a model
that has that mode. Libraries tend to swallow errors: the first one is stored, ends every later call at once, and is
raised by ``guard``. Calls of one trial are made one after the other.

A call that a library makes after its method has returned is recorded under the phase of that later moment.
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
from bench.models.openai_api.format import (
    JSON_OBJECT,
    RESPONSE_FORMAT,
    BadRequest,
    ChatRequest,
    read_chat,
    read_texts,
    to_completion,
    to_embedding_list,
)
from bench.models.tokenizers import count_tokens
from bench.protocols import Embedder, HasJsonMode, Model
from bench.types import Reply, Role

__all__ = ["AttrDict", "MeteredClient", "OpenAIBackend"]

_SET_BY_RUN = ("temperature", "top_p", "seed")


class OpenAIBackend:
    """Answers a library's calls with the models of a trial; safe to use from threads."""

    def __init__(self, model: Model, embedder: Embedder, leave_out: tuple[str, ...] = ()):
        """``leave_out``: parameters that may be ignored although they could change a reply."""
        self._model, self._embedder, self._leave_out = model, embedder, frozenset(leave_out)
        self._lock = threading.Lock()
        self._failure: BaseException | None = None
        self._numbers = itertools.count(1)
        self._ignored: set[str] = set()

    @property
    def model_name(self) -> str:
        return self._model.name

    @property
    def ignored_parameters(self) -> tuple[str, ...]:
        """Names of the parameters that the library sent and that changed nothing, sorted."""
        return tuple(sorted(self._ignored))

    def chat(self, fields: Mapping[str, Any], role: str = Role.THIRD_PARTY) -> dict[str, Any]:
        """Answer a chat request with the model of the run.

        Raises: BenchError, which ``guard`` raises again even if the library swallows this one.
        """
        with self._serialize(fields):
            request = read_chat(fields, self._leave_out, json_mode=self._json_mode)
            reply = self._send(request, role)
            # No time and no random id: a library that stores its responses stays deterministic.
            return to_completion(reply, self._model.name, f"chatcmpl-{next(self._numbers)}", 0)

    def _send(self, request: ChatRequest, role: str) -> Reply:
        if request.json_object and isinstance(self._model, HasJsonMode):
            return self._model.chat_json(request.messages, role=role, max_tokens=request.max_tokens, stop=request.stop)
        return self._model.chat(request.messages, role=role, max_tokens=request.max_tokens, stop=request.stop)

    @property
    def _json_mode(self) -> bool:
        return isinstance(self._model, HasJsonMode) and self._model.json_mode

    def embed(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Answer an embedding request with the embedder of the run. Raises: as ``chat``."""
        with self._serialize(fields):
            request = read_texts(fields, self._leave_out)
            vectors = self._embedder.embed(request.texts)
            return to_embedding_list(vectors, request, self._embedder.name, sum(map(count_tokens, request.texts)))

    @contextmanager
    def _serialize(self, fields: object) -> Iterator[None]:
        """Make one call at a time; the first failure ends this call and all later ones."""
        with self._lock:
            if self._failure is not None:
                raise self._failure
            try:
                if isinstance(fields, Mapping):
                    self._ignored |= self._list_ignored(fields)
                yield
            except BadRequest as bad:
                self._failure = StrategyError(f"third-party library: {bad}")
                raise self._failure from bad
            except BaseException as cause:
                self._failure = cause
                raise

    def _list_ignored(self, fields: Mapping[str, Any]) -> set[str]:
        ignorable = {*_SET_BY_RUN, *self._leave_out}
        if self._json_mode and fields.get(RESPONSE_FORMAT) == JSON_OBJECT:
            ignorable.discard(RESPONSE_FORMAT)
        return {name for name, value in fields.items() if value is not None and name in ignorable}

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Wrap every use of the library: the first error of its calls is raised here, even if the library swallowed it.

        Raises: ModelError, Refused, ContextOverflow, StrategyError, … as the call did.
        """
        try:
            yield
        except Exception as cause:
            self._raise_failure(cause)
            raise
        self._raise_failure(None)

    def clear_failure(self) -> None:
        """Allow the next call whatever happened to the last."""
        with self._lock:
            self._failure = None

    def _raise_failure(self, cause: BaseException | None) -> None:
        with self._lock:
            failure, self._failure = self._failure, None
        if failure is not None and failure is not cause:
            raise failure from cause


class AttrDict(SimpleNamespace):
    """A response as OpenAI's library gives it: attributes at every level, ``model_dump()`` for plain values."""

    def model_dump(self, **_: object) -> dict[str, Any]:
        plain: dict[str, Any] = _to_plain(self)
        return plain


def _to_attributes(value: Any) -> Any:
    if isinstance(value, Mapping):
        return AttrDict(**{name: _to_attributes(inner) for name, inner in value.items()})
    return [_to_attributes(inner) for inner in value] if isinstance(value, list) else value


def _to_plain(value: Any) -> Any:
    if isinstance(value, AttrDict):
        return {name: _to_plain(inner) for name, inner in vars(value).items()}
    return [_to_plain(inner) for inner in value] if isinstance(value, list) else value


class MeteredClient:
    """``client.chat.completions.create(...)`` and ``client.embeddings.create(...)`` on the models of a trial."""

    def __init__(
        self, model: Model, embedder: Embedder, *, role: str = Role.THIRD_PARTY, leave_out: tuple[str, ...] = ()
    ):
        """``leave_out``: parameters that may be ignored although they could change a reply."""
        self._backend = OpenAIBackend(model, embedder, leave_out)
        self.chat = _Chat(self._backend, role)
        self.embeddings = _Embeddings(self._backend)

    def as_role(self, role: str) -> MeteredClient:
        """Return the same client under another role, for a library that takes one client for each purpose."""
        other = copy(self)
        other.chat = _Chat(self._backend, role)
        return other

    def guard(self) -> AbstractContextManager[None]:
        """See ``OpenAIBackend.guard``: wrap every use of the library."""
        return self._backend.guard()

    @property
    def ignored_parameters(self) -> tuple[str, ...]:
        """See ``OpenAIBackend.ignored_parameters``."""
        return self._backend.ignored_parameters


class _Completions:
    def __init__(self, backend: OpenAIBackend, role: str):
        self._backend, self._role = backend, role

    def create(self, **fields: Any) -> Any:
        """Return the completion. Raises: BenchError."""
        return _to_attributes(self._backend.chat(fields, self._role))


class _Chat:
    def __init__(self, backend: OpenAIBackend, role: str):
        self.completions = _Completions(backend, role)


class _Embeddings:
    def __init__(self, backend: OpenAIBackend):
        self._backend = backend

    def create(self, **fields: Any) -> Any:
        """Return the embedding list. Raises: BenchError."""
        return _to_attributes(self._backend.embed(fields))
