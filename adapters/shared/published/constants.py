"""The constants of a Python file, read from its syntax tree: the file is never run.

A constant is found by its name, wherever it is assigned. Its value is what the tree shows: texts, lists and
dictionaries of texts, texts joined by ``+``. The slots of a formatted string stand as ``{name}``.
"""

from __future__ import annotations

import ast
from typing import Any

__all__ = ["read_constants"]


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
