"""The library ``mem0ai`` behind a small interface: add messages, search memories. The one file that imports it.

Nothing leaves the machine and nothing stays on it: telemetry is off before the import, the folder in which the library
wants to keep a user's id is a temporary one, vectors and history lie in memory, and what it would download if it could
(a spaCy model for entity links, fastembed's BM25) is switched off, so that a score does not depend on what else is
installed. The library's model and embedder are replaced by the trial's own, and today's date, which it writes into its
prompt, by the date of the session: a replay must find the same prompt tomorrow.
"""

from __future__ import annotations

import json
import logging
import os
import re
import tempfile
import threading
import warnings
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from bench.errors import StrategyError, UsageError
from bench.models.openai_api.client import MeteredClient

__all__ = ["Hit", "Message", "Package", "load"]

_USER = "conversation"
_EVERY = 1_000_000
_DATES = re.compile(r"(^## (?:Observation|Current) Date\n)\d{4}-\d\d-\d\d$", re.MULTILINE)
_NO_DATE = "not known"
_IMPORTING = threading.Lock()


@dataclass(frozen=True, slots=True)
class Message:
    """One message as the library takes it: ``role`` is user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory that was found, and the batch it came from."""

    text: str
    date: str
    refs: tuple[str, ...]
    at: int


@cache
def _memory_class() -> Any:
    """Import the library, quietly. Raises: UsageError if it is not installed."""
    before = {name: os.environ.get(name) for name in ("MEM0_TELEMETRY", "MEM0_DIR")}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=folder)
        try:
            from mem0.memory.main import Memory  # noqa: PLC0415 - heavy and optional
            from mem0.utils import spacy_models  # noqa: PLC0415
        except ImportError as missing:
            raise UsageError(
                f"mem0-package: expected the library mem0ai, got {missing}; pip install 'memfrontier[mem0]'"
            ) from missing
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
    logging.getLogger("mem0").setLevel(logging.CRITICAL)  # what it fails at is counted by its caller
    spacy_models._load_failed_full = spacy_models._load_failed_lemma = True
    return Memory


def load() -> Any:
    """Return the library's ``Memory``. Raises: UsageError if it is not installed."""
    with _IMPORTING:
        return _memory_class()


class Package:
    """One memory of the library's own for one trial."""

    def __init__(self, client: MeteredClient, dimensions: int):
        """``dimensions``: columns of the embedder's vectors."""
        self._chat, self._texts = _Chat(client), _Texts(client)
        unused = {"config": {"api_key": "unused"}, "provider": "openai"}  # replaced below, never called
        store = {"collection_name": "memories", "embedding_model_dims": dimensions, "path": ":memory:"}
        self._memory = load().from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "llm": unused,
                "embedder": unused,
                "history_db_path": ":memory:",
            }
        )
        self._memory.llm, self._memory.embedding_model = self._chat, self._texts
        self._memory.vector_store._bm25_encoder = False
        weakref.finalize(self, self._memory.close)

    def add(self, messages: Sequence[Message], date: str, refs: Sequence[str], at: int) -> None:
        """Let the library take its facts from messages. Raises: whatever it makes of the model's reply."""
        self._chat.date = date or _NO_DATE
        entries = [{"role": message.role, "content": message.content} for message in messages]
        self._memory.add(entries, user_id=_USER, metadata={"said_on": date, "refs": list(refs), "at": at})

    @property
    def unusable(self) -> int:
        """Replies from which the library took nothing without a word."""
        return self._chat.unusable

    def search(self, text: str, count: int) -> list[Hit]:
        """Return what the library finds for a text, best first."""
        found = self._memory.search(text, filters={"user_id": _USER}, top_k=count)["results"]
        return [_make_hit(one["memory"], one["metadata"]) for one in found]

    def list_refs(self) -> frozenset[str]:
        """Return the refs of the batches that the library's memories came from."""
        found = self._memory.get_all(filters={"user_id": _USER}, top_k=_EVERY)["results"]
        return frozenset(ref for one in found for ref in one["metadata"]["refs"])


def _make_hit(text: str, metadata: dict[str, Any]) -> Hit:
    return Hit(" ".join(text.split()), metadata["said_on"], tuple(metadata["refs"]), metadata["at"])


class _Chat:
    """What the library takes for a language model."""

    def __init__(self, client: MeteredClient):
        self._client = client
        self.date = _NO_DATE
        self.unusable = 0
        """Replies from which the library, which does not say so, takes nothing."""

    def generate_response(self, messages: list[dict[str, str]], response_format: object = None, **_: object) -> str:
        """Return the reply of the run's model (role ``extract``). Raises: BenchError."""
        *before, last = messages
        content, dates = _DATES.subn(lambda found: found[1] + self.date, last["content"])
        if not dates:
            raise StrategyError(
                "mem0-package: expected today's date in the library's prompt, got a prompt without; "
                "this version of mem0ai is another than the one that is wrapped here"
            )
        dated_messages = [*before, {**last, "content": content}]
        response = self._client.chat.completions.create(messages=dated_messages, response_format=response_format)
        text: str = response.choices[0].message.content
        self.unusable += not _holds_memories(text)
        return text


def _holds_memories(reply: str) -> bool:
    """True if a reply holds the object with a list that the library looks for."""
    start, end = reply.find("{"), reply.rfind("}")
    try:
        value = json.loads(reply[start : end + 1])
    except ValueError:
        return False
    return isinstance(value, dict) and isinstance(value.get("memory"), list)


class _Texts:
    """What the library takes for an embedding model."""

    def __init__(self, client: MeteredClient):
        self._client = client

    def embed(self, text: str, _action: str | None = None, **_: object) -> list[float]:
        """Return one vector. Raises: BenchError."""
        return self.embed_batch([text])[0]

    def embed_batch(self, texts: list[str], _action: str | None = None, **_: object) -> list[list[float]]:
        """Return one vector a text. Raises: BenchError; TypeError for what is no text, which the library expects."""
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("expected texts")
        return [row.embedding for row in self._client.embeddings.create(input=texts).data] if texts else []
