"""Embedders by name: ``hash`` (the default, needs nothing), ``minilm`` (extra), ``litellm/<any name>`` (extra).

Importing this package imports no heavy library; making an embedder may.
"""

from __future__ import annotations

from bench.embedders.hash import HashEmbedder
from bench.embedders.litellm import PREFIX, LiteLLMEmbedder
from bench.embedders.minilm import MiniLMEmbedder
from bench.errors import unknown_name
from bench.protocols import Embedder

__all__ = ["EMBEDDERS", "load_embedder"]

EMBEDDERS = ("hash", "litellm/<model>", "minilm")


def load_embedder(name: str) -> Embedder:
    """Return the embedder called ``name``. Raises: UsageError for an unknown name or a missing extra."""
    if name == "hash":
        return HashEmbedder()
    if name == "minilm":
        return MiniLMEmbedder()
    if name.startswith(PREFIX) and name != PREFIX:
        return LiteLLMEmbedder(name.removeprefix(PREFIX))
    raise unknown_name("embedder", "an embedder", name, EMBEDDERS)
