"""The interfaces of a chat model, a source of models, an embedder and a rule of the offline model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from bench.types import Attempt, Message, Reply

__all__ = [
    "Embedder",
    "Estimate",
    "HasJsonMode",
    "HasPrice",
    "HasRequestChanges",
    "HasStop",
    "HasTries",
    "Model",
    "ModelSource",
    "OfflineDialect",
    "OfflineRule",
    "Tokenizer",
    "Tries",
    "Vectors",
]


Vectors = npt.NDArray[np.float32]
"""Shape (n, d), one row a text, rows of unit length."""


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A way of counting tokens; ``name`` stands in a run's record and changes with any count."""

    name: str
    count: Callable[[str], int]


class Model(Protocol):
    """A chat model. Raises ModelError when there is no usable reply after its own retries."""

    @property
    def name(self) -> str: ...

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        """Return the reply to the messages. ``role`` is a ``Role``, or a strategy's own (``acme/route``)."""


@runtime_checkable
class HasJsonMode(Protocol):
    """A model that can be held to one JSON object as its reply (``response_format`` in OpenAI's protocol)."""

    @property
    def json_mode(self) -> bool:
        """True if a call is sent that way; False if ``chat_json`` is ``chat``."""

    def chat_json(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        """Return the reply. Raises: as ``chat``."""


Estimate = Callable[[], tuple[int, float]]
"""What one try may take: tokens of prompt and reply, US dollars (0 where the price is unknown). Called under a limit
alone."""


class Tries(Protocol):
    """Keeps account of the tries at one call as they are made."""

    def begin(self, estimate: Estimate) -> None:
        """Wait until one more try may be made. Raises: BudgetStop, Interrupted: it may not."""

    def fail(self, attempt: Attempt) -> None:
        """Record a try that gave no usable reply. Raises: StoreError."""


@runtime_checkable
class HasTries(Protocol):
    """A model that tries again by itself, and can tell of every try."""

    def watched(self, tries: Tries) -> Model:
        """Return the same model, whose replies and errors then carry no attempts: ``tries`` has them."""


class ModelSource(Protocol):
    """Where the models of a run come from: one endpoint, shared by all its trials and safe to call from threads."""

    @property
    def name(self) -> str: ...

    @property
    def remote(self) -> bool:
        """True if a call waits outside Python: such a run plays in many threads, not in one process a core."""

    @property
    def workers(self) -> int:
        """The number of trials at once that serves this source best; 0 = the run decides."""

    @property
    def tokenizer(self) -> Tokenizer:
        """What counts the tokens of contexts and budgets in a run with this source."""

    @property
    def identity(self) -> str:
        """Everything but the messages that decides a reply, as text: model, address, sampling parameters."""

    def model(self, seed: int) -> Model:
        """Return the model for trials of this seed. Raises: UsageError for a missing key, before any work."""

    def close(self) -> None: ...


@runtime_checkable
class HasRequestChanges(Protocol):
    """A source whose endpoint may not take a request as it is asked for."""

    @property
    def request_changes(self) -> tuple[str, ...]:
        """What is changed in every request, as far as it is known by now: one text each, sorted."""


@runtime_checkable
class HasPrice(Protocol):
    """A source that knows beforehand whether its calls have a price."""

    @property
    def price_known(self) -> bool: ...


@runtime_checkable
class HasStop(Protocol):
    """A source whose calls may have to wait before they begin, or are tried again."""

    def stop(self) -> None:
        """End every such wait, now and later, by raising Interrupted in the call; calls under way are let finish.

        Called from any thread, any number of times, when a run ends early.
        """


class Embedder(Protocol):
    """Texts to unit vectors."""

    @property
    def name(self) -> str: ...

    @property
    def in_process(self) -> bool:
        """True if the vectors are computed here, for nothing; False if a call is paid and its vectors are cached."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return float32 unit rows, shape (len(texts), d). Raises ModelError."""


class OfflineRule(Protocol):
    """What the offline model replies to one prompt of one role; it sees the messages of the call and nothing else."""

    @property
    def role(self) -> str:
        """The role of the calls it understands, such as ``act``."""

    @property
    def header(self) -> str:
        """The first sentence of the prompts it understands; what follows it is ignored."""

    def reply(self, messages: Sequence[Message]) -> str:
        """Return the reply text; a pure function of the messages."""


@runtime_checkable
class OfflineDialect(Protocol):
    """What the offline model adds to a suite's acting for a strategy that extends the reply grammar (sub-goals, ...).

    It too sees nothing but the messages of the call.
    """

    @property
    def role(self) -> str: ...

    @property
    def block(self) -> str:
        """The text that the strategy puts into the system message, and by which the dialect is known."""

    def reply_with(self, messages: Sequence[Message], ask: Callable[[Sequence[Message]], str]) -> str:
        """Return the reply; ``ask`` gives the reply of the suite's rule to the messages without the dialect."""
