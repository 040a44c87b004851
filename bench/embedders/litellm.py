"""Any provider's embedding model by its litellm name: ``litellm/text-embedding-3-small``, ``litellm/ollama/bge-m3``.
This file wraps litellm's embedding call; the library is in the extra ``litellm`` and is imported at the first call.
Keys and base URLs are litellm's own environment variables; they are neither read nor written here.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from bench.errors import ModelError, UsageError, boundary
from bench.protocols import Vectors

__all__ = ["PREFIX", "LitellmEmbedder"]

PREFIX = "litellm/"
_TEXTS_PER_CALL = 256  # providers cap a request at 2 048 texts or fewer; small ones also fail cheaply


class LitellmEmbedder:
    """Texts to unit float32 rows; the provider decides how many columns."""

    in_process = False

    def __init__(self, model: str, api_base: str | None = None):
        """``model`` is the litellm name, without ``litellm/``; ``api_base`` None = the provider's own address.

        Raises: UsageError for an empty name.
        """
        if not model:
            raise UsageError(f"embedder: expected {PREFIX}<model>, got {PREFIX!r}; name a model, as litellm does")
        self._model = model
        self._api_base = api_base
        self._client: Any = None

    @property
    def name(self) -> str:
        return PREFIX + self._model

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row a text. Raises: ModelError if the provider fails or replies with anything else."""
        if self._client is None:
            self._client = _load_litellm()
        if not texts:
            return np.zeros((0, 0), dtype=np.float32)
        chunks = [texts[i : i + _TEXTS_PER_CALL] for i in range(0, len(texts), _TEXTS_PER_CALL)]
        rows = [row for chunk in chunks for row in self._request(chunk)]
        with boundary(ModelError, self.name):
            vectors = np.asarray(rows, dtype=np.float64)
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise ModelError(f"{self.name}: expected finite vectors longer than 0, got some that are not; try again")
        return np.asarray(vectors / lengths, dtype=np.float32)

    def _request(self, texts: Sequence[str]) -> list[list[float]]:
        # Some providers refuse an empty text; a blank one is the same to them.
        inputs = [text or " " for text in texts]
        with boundary(ModelError, self.name):
            reply = self._client.embedding(model=self._model, input=inputs, api_base=self._api_base)
            by_index = {int(entry["index"]): list(entry["embedding"]) for entry in reply.data}
        if sorted(by_index) != list(range(len(texts))):
            raise ModelError(f"{self.name}: expected {len(texts)} vectors, got {len(by_index)}; try again")
        return [by_index[i] for i in range(len(texts))]


def _load_litellm() -> Any:
    # Otherwise the import fetches a price list from the network.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    try:
        import litellm  # noqa: PLC0415
    except ImportError as missing:
        raise UsageError(
            f"embedder: expected the extra 'litellm' for a {PREFIX}... embedder, got no package {missing.name}; "
            "pip install 'memfrontier[litellm]'"
        ) from missing
    return litellm
