"""Pieces of the papers' prompts: a text in a JSON file, or a constant of a Python file; cut, and its slots filled."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from adapters.shared.published.constants import read_constants
from adapters.shared.published.data import read_file
from bench.errors import DataError

__all__ = ["Piece", "read_piece"]


@dataclass(frozen=True, slots=True)
class Piece:
    """Where one text stands, and which part of it is taken."""

    file: str
    """Below ``prompts/``."""
    name: str = ""
    """Python files: the name that the text is assigned to."""
    number: int = 0
    """Python files: which of the assignments to that name, from 0."""
    key: str = ""
    """The path within the value, such as ``examples/{type}``; a list is joined without anything between."""
    after: str = ""
    """Take what follows this mark; empty = from the start."""
    before: str = ""
    """Take what precedes this mark; empty = to the end."""
    fill: Mapping[str, str] = field(default_factory=dict)
    """What stands for a slot: ``{"{max_steps}": "{steps}"}``."""


def read_piece(data_root: Path, piece: Piece, slots: Mapping[str, str]) -> str:
    """Return a text with its slots filled. ``slots``: what ``{type}`` and ``{steps}`` in a piece stand for.

    Raises: DataError if the file is missing or altered, or does not hold the piece.
    """
    text = _read_text(data_root, piece.file, piece.name, piece.number, _fill(piece.key, slots))
    for mark in filter(None, (piece.after, piece.before)):
        if mark not in text:
            raise _build_error(piece.file, f"the mark {mark!r} in {piece.name or piece.key}", "a text without it")
    text = text.partition(piece.after)[2] if piece.after else text
    text = text.partition(piece.before)[0] if piece.before else text
    return _replace(text, {slot: _fill(value, slots) for slot, value in piece.fill.items()}).strip("\n")


def _fill(text: str, slots: Mapping[str, str]) -> str:
    return _replace(text, {f"{{{name}}}": value for name, value in slots.items()})


def _replace(text: str, values: Mapping[str, str]) -> str:
    for slot, value in values.items():
        text = text.replace(slot, value)
    return text


@cache
def _read_text(data_root: Path, file: str, name: str, number: int, key: str) -> str:
    content = read_file(data_root, file)
    if file.endswith(".py"):
        constants = read_constants(content).get(name, [])
        if number >= len(constants):
            raise _build_error(file, f"{number + 1} texts named {name}", str(len(constants)))
        value = constants[number]
    else:
        value = json.loads(content)
    for part in filter(None, key.split("/")):
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]
        except (KeyError, IndexError, ValueError, TypeError):
            raise _build_error(file, f"the key {key}", f"none at {part!r}") from None
    parts = value if isinstance(value, list) else [value]
    if not all(isinstance(part, str) for part in parts):
        raise _build_error(file, f"a text at {name or key}", type(value).__name__)
    return "".join(parts)


def _build_error(file: str, expected: str, got: str) -> DataError:
    return DataError(f"prompts/{file}: expected {expected}, got {got}; correct the protocol file that names it")
