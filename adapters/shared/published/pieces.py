"""Pieces of the papers' prompts: a text in a JSON file, or a constant of a Python file, which is never run.

A constant is found in the syntax tree by its name, wherever it is assigned. Its value is what the tree shows: texts,
lists and dictionaries of texts, texts joined by ``+``. The slots of a formatted string stand as ``{name}``.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from adapters.shared.published.data import read_file
from bench.errors import DataError

__all__ = ["Piece", "read_constants", "read_piece"]


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


def read_constants(source: str) -> dict[str, list[Any]]:
    """Return the constants of a Python file by name, each name with its assignments in order. Runs nothing."""
    found: dict[str, list[Any]] = {}
    assigned = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Assign | ast.AugAssign))
    for node in sorted(assigned, key=lambda node: node.lineno):
        value = _read_value(node.value)
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(target, ast.Name) and value is not None:
                found.setdefault(target.id, []).append(value)
    return found


def _read_value(node: ast.expr) -> Any:
    """Return the value that an expression shows; None for all that would have to be computed."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.List | ast.Tuple):
        return [_read_value(item) for item in node.elts]
    if isinstance(node, ast.Dict):
        keys = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
        return {key: _read_value(value) for key, value in zip(keys, node.values, strict=True)}
    if isinstance(node, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.Constant) else f"{{{_name_slot(part)}}}" for part in node.values]
        return "".join(map(str, parts))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _read_value(node.left), _read_value(node.right)
        return left + right if isinstance(left, str) and isinstance(right, str) else None
    return None


def _name_slot(part: ast.expr) -> str:
    return ast.unparse(part.value) if isinstance(part, ast.FormattedValue) else ""
