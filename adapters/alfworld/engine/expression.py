"""The small expressions inside text rules, such as ``o.indefinite + ' ' + o.name``, compiled without ``eval``.

Supported: bound names, their fields, string constants, ``+``, ``or``, ``and``. Anything else is refused when the
grammar is compiled. Knows no grammar rule.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from bench.errors import DataError

__all__ = ["Compute", "Info", "Lookup", "Value", "compile_expression", "find_names"]


@dataclass(frozen=True, slots=True)
class Info:
    """The name of an entity, for texts."""

    id: str
    type: str
    name: str
    definite: str = "the"
    indefinite: str = "a"
    noun: None = None
    adj: None = None
    desc: None = None
    room_type: None = None
    synonyms: None = None

    def __str__(self) -> str:
        return self.name


Value: TypeAlias = "str | Info | None"
Lookup: TypeAlias = "Callable[[str], Info]"
Compute: TypeAlias = "Callable[[Lookup], Value]"

_FIELDS = frozenset(Info.__dataclass_fields__)
_RESERVED = frozenset({"context", "self", "value"})


@lru_cache(maxsize=1024)
def compile_expression(source: str) -> Compute:
    """Return a function of a variable lookup. Raises DataError for what is not supported."""
    try:
        tree = ast.parse(source.strip(), mode="eval").body
    except SyntaxError:
        raise _build_error(source) from None
    return _compile(tree, source)


def find_names(source: str) -> frozenset[str]:
    """Return the variables that an expression reads."""
    return frozenset(node.id for node in ast.walk(ast.parse(source.strip(), mode="eval")) if isinstance(node, ast.Name))


def _compile(node: ast.expr, source: str) -> Compute:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        constant = node.value
        return lambda _lookup: constant
    if isinstance(node, ast.Name) and node.id not in _RESERVED:
        name = node.id
        return lambda lookup: lookup(name)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in _FIELDS:
        return _field(node.value.id, node.attr, source)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _sum(_compile(node.left, source), _compile(node.right, source), source)
    if isinstance(node, ast.BoolOp):
        return _choice(tuple(_compile(part, source) for part in node.values), isinstance(node.op, ast.Or))
    raise _build_error(source)


def _field(name: str, attribute: str, source: str) -> Compute:
    if name in _RESERVED:
        raise _build_error(source)
    if attribute == "name":
        return lambda lookup: lookup(name).name

    def compute(lookup: Lookup) -> Value:
        value: Value = getattr(lookup(name), attribute)
        return value

    return compute


def _sum(left: Compute, right: Compute, source: str) -> Compute:
    def compute(lookup: Lookup) -> Value:
        one, other = left(lookup), right(lookup)
        if not isinstance(one, str) or not isinstance(other, str):
            raise DataError(f"grammar: expected two texts around '+', got {one!r} and {other!r} in {source!r}")
        return one + other

    return compute


def _choice(parts: tuple[Compute, ...], first_true: bool) -> Compute:
    def compute(lookup: Lookup) -> Value:
        value: Value = None
        for part in parts:
            value = part(lookup)
            if bool(value) is first_true:
                break
        return value

    return compute


def _build_error(source: str) -> DataError:
    return DataError(
        f"grammar: expected names, their fields, texts, '+', 'or' and 'and' in an expression, got {source!r}; "
        "unsupported"
    )
