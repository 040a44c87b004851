"""A source for models that are ready and compute right here: the offline reader, a scripted model."""

from __future__ import annotations

from bench.protocols import Model

__all__ = ["ReadySource"]


class ReadySource:
    """Hands out one model to every trial; nothing about it depends on a seed."""

    remote = False

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
