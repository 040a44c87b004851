"""A model that repeats the last line of its prompt, and an embedder that counts letters. Source: an example."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bench.models.options import ModelOptions
from bench.models.ready import ReadySource
from bench.protocols import ModelSource, Vectors
from bench.types import Message, Reply, Usage


class Parrot:
    def __init__(self, name: str):
        self.name = name

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        words = messages[-1].content.split()
        return Reply("Action: " + " ".join(words[-3:]), Usage(prompt=len(words), completion=3), cost_usd=0.0)


def source(name: str, _options: ModelOptions) -> ModelSource:
    return ReadySource(Parrot(name))


class Letters:
    name, in_process = "letters", True

    def embed(self, texts: Sequence[str]) -> Vectors:
        counts = np.array([[1 + text.lower().count(letter) for letter in "aeiou"] for text in texts], np.float32)
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)
