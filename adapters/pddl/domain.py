"""The four domains as records: types, constants, predicates and operators, parsed from the texts in ``domains/``.

The ``pddl`` library (AI-Planning/pddl) parses; this module converts its objects into small frozen records, and the rest
of the adapter uses only those. Knows no problem, no state and no sentence.
The semantics equal those of AgentBoard's domain files. The texts are our own: ``in`` is declared in the argument order
in which it is used, requirements are stated, and the tyre tools are constants that a problem may declare again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pddl.logic.base import And, Not  # type: ignore[import-untyped]
from pddl.logic.predicates import Predicate  # type: ignore[import-untyped]
from pddl.logic.terms import Constant  # type: ignore[import-untyped]
from pddl.parser.domain import DomainParser  # type: ignore[import-untyped]

__all__ = [
    "DOMAINS",
    "Atom",
    "Domain",
    "GroundAction",
    "Operator",
    "Signature",
    "State",
    "keep_tracebacks",
    "load_domain",
    "split_conjunction",
    "to_atom",
]

DOMAINS = ("barman", "blockworld", "gripper", "tyreworld")


class Atom(NamedTuple):
    """A fact, a fact with variables (arguments that start with ``?``), or a ground action: a name and its arguments."""

    name: str
    args: tuple[str, ...] = ()

    def bind(self, binding: dict[str, str]) -> Atom:
        """Return the atom with its variables replaced."""
        return Atom(self.name, tuple(binding.get(arg, arg) for arg in self.args))


State = frozenset[Atom]


@dataclass(frozen=True, slots=True)
class Signature:
    """A name with the type of each argument; ``object`` is the type of everything."""

    name: str
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GroundAction:
    """An operator with objects for its variables."""

    call: Atom
    pre: State
    add: State
    delete: State

    def applies(self, state: State) -> bool:
        """True if every condition holds."""
        return self.pre <= state

    def result(self, state: State) -> State:
        """Return the state after the action; its conditions are not checked."""
        return (state - self.delete) | self.add


@dataclass(frozen=True, slots=True)
class Operator:
    """A STRIPS action with variables. An added fact wins over the same fact deleted."""

    name: str
    variables: tuple[str, ...]
    types: tuple[str, ...]
    pre: tuple[Atom, ...]
    add: tuple[Atom, ...]
    delete: tuple[Atom, ...]

    def ground(self, objects: tuple[str, ...]) -> GroundAction:
        """Return it with an object for each variable, in their order."""
        binding = dict(zip(self.variables, objects, strict=True))
        parts = (frozenset(atom.bind(binding) for atom in part) for part in (self.pre, self.add, self.delete))
        return GroundAction(Atom(self.name, objects), *parts)


@dataclass(frozen=True, slots=True)
class Domain:
    """One domain. ``name`` is the group of its tasks; ``pddl_name`` is the ``:domain`` of its problem files."""

    name: str
    pddl_name: str
    parents: tuple[tuple[str, str], ...]
    constants: tuple[tuple[str, str], ...]
    predicates: tuple[Signature, ...]
    operators: tuple[Operator, ...]

    def operator(self, name: str) -> Operator:
        """Return the operator of that name. Raises: KeyError."""
        return next(op for op in self.operators if op.name == name)

    def is_a(self, kind: str, ancestor: str) -> bool:
        """True if type ``kind`` is ``ancestor`` or below it."""
        parents = dict(self.parents)
        while kind != ancestor and kind in parents:
            kind = parents[kind]
        return ancestor in ("object", kind)

    @property
    def static(self) -> frozenset[str]:
        """Names of the predicates that no action changes."""
        changed = {atom.name for op in self.operators for atom in op.add + op.delete}
        return frozenset(p.name for p in self.predicates if p.name not in changed)


@cache
def load_domain(name: str) -> Domain:
    """Return one of ``DOMAINS``, parsed once per process."""
    text = (Path(__file__).parent / "domains" / f"{name}.pddl").read_text(encoding="utf-8")
    with keep_tracebacks():
        parsed: Any = DomainParser()(text)
    return Domain(
        name,
        str(parsed.name).lower(),
        tuple(sorted((str(kind), str(parent or "object")) for kind, parent in parsed.types.items())),
        tuple(sorted((str(c.name), str(c.type_tag)) for c in parsed.constants)),
        tuple(sorted((_signature(p.name, p.terms) for p in parsed.predicates), key=lambda s: s.name)),
        tuple(sorted((_operator(a) for a in parsed.actions), key=lambda op: op.name)),
    )


def split_conjunction(formula: Any) -> tuple[Any, ...]:
    """Return the parts of a conjunction; the library replaces a conjunction of one part by that part."""
    return tuple(formula.operands) if isinstance(formula, And) else (formula,)


def to_atom(literal: Any) -> Atom:
    """Return the library's positive literal as an atom, names in lower case. Raises: ValueError if it is not one."""
    if not isinstance(literal, Predicate):
        raise ValueError(f"expected a plain fact, got {literal}")
    return Atom(str(literal.name).lower(), tuple(_term(t) for t in literal.terms))


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


def _term(term: Any) -> str:
    name = str(term.name).lower()
    return name if isinstance(term, Constant) else f"?{name}"


def _signature(name: Any, terms: Iterable[Any]) -> Signature:
    return Signature(str(name).lower(), tuple(_type(t) for t in terms))


def _type(term: Any) -> str:
    return min((str(tag) for tag in term.type_tags), default="object")


def _operator(action: Any) -> Operator:
    effects = split_conjunction(action.effect)
    return Operator(
        str(action.name).lower(),
        tuple(f"?{p.name}" for p in action.parameters),
        tuple(_type(p) for p in action.parameters),
        tuple(sorted(map(to_atom, split_conjunction(action.precondition)))),
        tuple(sorted(to_atom(e) for e in effects if not isinstance(e, Not))),
        tuple(sorted(to_atom(e.argument) for e in effects if isinstance(e, Not))),
    )
