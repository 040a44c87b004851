"""What the ``pddl`` library (AI-Planning/pddl) returns, as plain values: atoms, parts of a conjunction, names of types.

The only file, with ``domain`` and ``problem``, that knows the library.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from pddl.logic.base import And, Or  # type: ignore[import-untyped]
from pddl.logic.predicates import Predicate  # type: ignore[import-untyped]
from pddl.logic.terms import Constant  # type: ignore[import-untyped]

__all__ = ["Atom", "keep_tracebacks", "name_term", "name_type", "split_conjunction", "to_atom"]


class Atom(NamedTuple):
    """A fact, a fact with variables (arguments that start with ``?``), or a ground action: a name and its arguments."""

    name: str
    args: tuple[str, ...] = ()

    def bind(self, binding: dict[str, str]) -> Atom:
        """Return the atom with its variables replaced."""
        return Atom(self.name, tuple(binding.get(arg, arg) for arg in self.args))


def split_conjunction(formula: Any) -> tuple[Any, ...]:
    """Return the parts of a conjunction, also of one within another.

    The library replaces a conjunction of one part by that part, and ``()`` by an empty disjunction.
    """
    if isinstance(formula, And):
        return tuple(part for operand in formula.operands for part in split_conjunction(operand))
    return () if isinstance(formula, Or) and not formula.operands else (formula,)


def to_atom(literal: Any) -> Atom:
    """Return the library's positive literal as an atom, names in lower case. Raises: ValueError if it is not one."""
    if not isinstance(literal, Predicate):
        text = " ".join(str(literal).split())[:80]
        raise ValueError(f"expected plain facts, negated or not, got {type(literal).__name__.lower()} {text}")
    return Atom(str(literal.name).lower(), tuple(name_term(t) for t in literal.terms))


@contextmanager
def keep_tracebacks() -> Iterator[None]:
    """Restore ``sys.tracebacklimit``: the library leaves tracebacks switched off if a parse fails."""
    missing = object()
    before: Any = getattr(sys, "tracebacklimit", missing)
    try:
        yield
    finally:
        if before is not missing:
            sys.tracebacklimit = before
        elif hasattr(sys, "tracebacklimit"):
            del sys.tracebacklimit


def name_term(term: Any) -> str:
    name = str(term.name).lower()
    return name if isinstance(term, Constant) else f"?{name}"


def name_type(term: Any) -> str:
    tags = sorted(str(tag) for tag in term.type_tags)
    if len(tags) > 1:
        raise ValueError(f"?{term.name} of either type {' or '.join(tags)}, which is not supported")
    return tags[0] if tags else "object"
