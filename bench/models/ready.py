"""A source for a model that is built already and computes in-process: the offline reader, a scripted model."""

from __future__ import annotations

from bench.models.tokenizers import SIMPLE
from bench.protocols import Model

__all__ = ["ReadySource"]


class ReadySource:
    """Gives the same model to every trial, whatever the seed."""

    remote = False
    workers = 0
    tokenizer = SIMPLE

    def __init__(self, model: Model):
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def identity(self) -> str:
        return self._model.name

    def model(self, _seed: int) -> Model:
        return self._model

    def close(self) -> None:
        pass
