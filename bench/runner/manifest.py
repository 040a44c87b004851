"""What the ``manifest.toml`` of an artifact holds: a fault in it is found when it is read, not where it is used."""

from __future__ import annotations

from pydantic import BaseModel

__all__ = ["Manifest"]


class _Task(BaseModel):
    spec: str
    kind: str


class _File(BaseModel):
    tasks: tuple[str, ...]


class Manifest(BaseModel):
    """The whole file; the texts of the artifact lie beside it."""

    format: int
    digest: str
    strategy: str
    label: str
    suite: str
    split: str
    policy: str
    seed: int
    model: str
    pool: str
    trials: int
    won: int
    collectors: tuple[str, ...]
    costs: dict[str, float]
    frames: dict[str, str]
    tasks: dict[str, _Task]
    files: dict[str, _File]
    every: str = "run"
    rehearsed: int = 0
    questions: int = 0
    control: str = ""
    origin: str = ""
