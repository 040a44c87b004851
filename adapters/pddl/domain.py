"""A domain as a record: types, constants, predicates and operators; the four of ``domains/``, or one of a user's own.

A domain is known by its key: one of ``DOMAINS``, or what ``name_own`` makes of a user's text. So a key can travel to
another process, and a file that changes during a run changes nothing.

The ``pddl`` library (AI-Planning/pddl) parses; this module converts its objects into small frozen records, and the rest
of the adapter uses only those. Knows no problem, no state and no sentence.
A user's domain may have types, constants, negated conditions and ``(not (= ?a ?b))``; action costs are left out.
Anything else is an error that names it.
The semantics of the four equal those of AgentBoard's domain files. The texts are our own: ``in`` is declared in the
argument order in which it is used, requirements are stated, and the tyre tools are constants that a problem may
declare again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pddl.logic.base import Not  # type: ignore[import-untyped]
from pddl.logic.functions import Increase  # type: ignore[import-untyped]
from pddl.logic.predicates import EqualTo  # type: ignore[import-untyped]
from pddl.parser.domain import DomainParser  # type: ignore[import-untyped]

from adapters.pddl.formula import Atom, keep_tracebacks, name_term, name_type, split_conjunction, to_atom

__all__ = [
    "DOMAINS",
    "Atom",
    "Domain",
    "GroundAction",
    "Operator",
    "Signature",
    "State",
    "is_own",
    "load_domain",
    "name_own",
    "own_wording",
]

DOMAINS = ("barman", "blockworld", "gripper", "tyreworld")

_REQUIREMENTS = re.compile(r"\(:requirements[^)]*\)")
_DOMAIN_NAME = re.compile(r"\(domain\s+[^\s()]+\s*\)")
_ALL_REQUIREMENTS = (
    "(:requirements :strips :typing :equality :negative-preconditions :disjunctive-preconditions :conditional-effects "
    ":universal-preconditions :existential-preconditions :numeric-fluents :action-costs)"
)
"""Published domains often declare less than they use; what they use is checked here, action by action."""


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
    forbid: State = frozenset()

    def applies(self, state: State) -> bool:
        """True if every condition holds, and no forbidden fact."""
        return self.pre <= state and self.forbid.isdisjoint(state)

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
    forbid: tuple[Atom, ...] = ()
    """Facts that must not hold before."""
    distinct: tuple[tuple[str, str], ...] = ()
    """Pairs of variables or constants that must not be the same object."""

    def ground(self, objects: tuple[str, ...]) -> GroundAction:
        """Return it with an object for each variable, in their order."""
        binding = dict(zip(self.variables, objects, strict=True))
        every = (self.pre, self.add, self.delete, self.forbid)
        parts = (frozenset(atom.bind(binding) for atom in part) for part in every)
        return GroundAction(Atom(self.name, objects), *parts)


@dataclass(frozen=True, slots=True)
class Domain:
    """One domain. ``name`` is the group of its tasks; ``pddl_name`` is the ``:domain`` of its problem files."""

    key: str
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


def name_own(domain_text: str, wording: str = "") -> str:
    """Return the key of a user's domain: its text in lower case, and its table of wording where there is one."""
    plain = domain_text.replace("\r\n", "\n").lower()
    return json.dumps([plain, wording.replace("\r\n", "\n")])


def is_own(key: str) -> bool:
    """True for the key of a user's domain."""
    return key not in DOMAINS


def own_wording(key: str) -> str:
    """Return the table of wording that a user gave with the domain; empty if there is none."""
    return str(json.loads(key)[1])


@cache
def load_domain(key: str) -> Domain:
    """Return the domain of a key, parsed once per process. Raises: ValueError for what is not supported, and more."""
    if is_own(key):
        bare = _REQUIREMENTS.sub("", json.loads(key)[0])
        text = _DOMAIN_NAME.sub(lambda name: f"{name[0]} {_ALL_REQUIREMENTS}", bare, count=1)
    else:
        text = (Path(__file__).parent / "domains" / f"{key}.pddl").read_text(encoding="utf-8")
    with keep_tracebacks():
        parsed: Any = DomainParser()(text)
    name = str(parsed.name).lower()
    if parsed.derived_predicates:
        raise ValueError("derived predicates, which are not supported")
    domain = Domain(
        key,
        name if is_own(key) else key,
        name,
        tuple(sorted((str(kind), str(parent or "object")) for kind, parent in parsed.types.items())),
        tuple(sorted((str(c.name), str(c.type_tag or "object")) for c in parsed.constants)),
        tuple(sorted((_signature(p.name, p.terms) for p in parsed.predicates), key=lambda s: s.name)),
        tuple(sorted((_operator(a) for a in parsed.actions), key=lambda op: op.name)),
    )
    _check(domain)
    return domain


def _check(domain: Domain) -> None:
    """Refuse what the library lets pass. Raises: ValueError."""
    arity = {p.name: len(p.types) for p in domain.predicates}
    constants = {name for name, _ in domain.constants}
    for op in domain.operators:
        known = constants.union(op.variables)
        for atom in (*op.pre, *op.add, *op.delete, *op.forbid, *(Atom("", pair) for pair in op.distinct)):
            if atom.name and arity.get(atom.name) != len(atom.args):
                raise ValueError(f"action {op.name}: unknown fact {atom.name} with {len(atom.args)} arguments")
            if unknown := sorted(set(atom.args) - known):
                raise ValueError(f"action {op.name}: unknown argument {unknown[0]}")


def _signature(name: Any, terms: Iterable[Any]) -> Signature:
    return Signature(str(name).lower(), tuple(name_type(t) for t in terms))


def _operator(action: Any) -> Operator:
    name = str(action.name).lower()
    conditions = split_conjunction(action.precondition)
    effects = [part for part in split_conjunction(action.effect) if not isinstance(part, Increase)]
    negated = [part.argument for part in conditions if isinstance(part, Not)]
    try:
        return Operator(
            name,
            tuple(f"?{p.name}" for p in action.parameters),
            tuple(name_type(p) for p in action.parameters),
            tuple(sorted(to_atom(part) for part in conditions if not isinstance(part, Not))),
            tuple(sorted(to_atom(part) for part in effects if not isinstance(part, Not))),
            tuple(sorted(to_atom(part.argument) for part in effects if isinstance(part, Not))),
            tuple(sorted(to_atom(part) for part in negated if not isinstance(part, EqualTo))),
            tuple(
                sorted((name_term(part.left), name_term(part.right)) for part in negated if isinstance(part, EqualTo))
            ),
        )
    except ValueError as cause:
        raise ValueError(f"action {name}: {cause}") from cause
