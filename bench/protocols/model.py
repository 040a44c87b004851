"""What a chat model, a source of models, an embedder and a rule of the offline player have to be able to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from bench.types import Message, Reply

__all__ = [
    "Embedder",
    "Model",
    "ModelSource",
    "OfflineDialect",
    "OfflineRule",
    "Vectors",
]


Vectors = npt.NDArray[np.float32]
"""Shape (n, d), one row a text, rows of unit length."""


class Model(Protocol):
    """A chat model. Raises ModelError when there is no usable reply after its own retries."""

    @property
    def name(self) -> str: ...

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply: ...


class ModelSource(Protocol):
    """Where the models of a run come from: one endpoint, shared by all its trials and safe to call from threads."""

    @property
    def name(self) -> str: ...

    @property
    def remote(self) -> bool:
        """True if a call waits for somebody else: such a run plays in many threads, not in one process a core."""

    @property
    def identity(self) -> str:
        """Everything but the messages that decides a reply, as text: model, address, sampling parameters."""

    def model(self, seed: int) -> Model:
        """Return the model for trials of this seed. Raises: UsageError for a missing key, before any work."""

    def close(self) -> None: ...


class Embedder(Protocol):
    """Texts to unit vectors."""

    @property
    def name(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return float32 unit rows, shape (len(texts), d). Raises ModelError."""


class OfflineRule(Protocol):
    """What the offline model does for one role under one frame, told from the messages of the call alone."""

    def matches(self, messages: Sequence[Message], role: str) -> bool:
        """True if this rule understands the call; must look at nothing but its arguments."""

    def reply(self, messages: Sequence[Message], role: str) -> str:
        """Return the reply text; a pure function of the messages."""


@runtime_checkable
class OfflineDialect(Protocol):
    """What a strategy's dialect adds to a suite's own acting: asks the suite's rule, and says more around its reply.

    Only one that extends the reply grammar (sub-goals, a branch) needs this; it too sees nothing but the messages.
    """

    def matches(self, messages: Sequence[Message], role: str) -> bool: ...

    def reply_with(self, messages: Sequence[Message], role: str, ask: Callable[[Sequence[Message]], str]) -> str:
        """Return the reply; ``ask`` gives the reply of the other rules to messages of this rule's making."""
