"""PDDL conditions in negation normal form: literals joined by and, or, exists and forall. Knows no state and no action.

Variables are renamed on reading, so that no two quantifiers in one condition share a name.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from adapters.alfworld.engine.sexpr import Sexpr, items, show, word
from bench.errors import DataError

__all__ = [
    "And",
    "Condition",
    "Exists",
    "ForAll",
    "Literal",
    "Or",
    "Parameter",
    "Reader",
    "free_variables",
    "literals",
    "parse_typed_list",
]

ROOT_TYPE = "object"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A typed variable, or a typed object."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A predicate over variables (``?x``) and objects, or its negation."""

    predicate: str
    args: tuple[str, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class And:
    """True when every part is; true when there is none."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """True when some part is; false when there is none."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Exists:
    """True when some objects of the types make the body true."""

    parameters: tuple[Parameter, ...]
    body: Condition


@dataclass(frozen=True, slots=True)
class ForAll:
    """True when all objects of the types make the body true."""

    parameters: tuple[Parameter, ...]
    body: Condition


Condition: TypeAlias = Literal | And | Or | Exists | ForAll


@dataclass(slots=True)
class Reader:
    """Reads the conditions of one action or goal."""

    who: str
    arities: Mapping[str, int]
    strict: bool = True
    _fresh: Iterator[int] = field(default_factory=itertools.count)

    def read(self, expression: Sexpr, names: Mapping[str, str], *, negated: bool = False) -> Condition:
        """Return the condition, its variables renamed by ``names``. Raises DataError for anything not ADL."""
        parts = items(expression, self.who)
        if not parts:
            return Or(()) if negated else And(())
        tag, rest = word(parts[0], self.who), parts[1:]
        if tag in ("and", "or"):
            inner = tuple(self.read(part, names, negated=negated) for part in rest)
            return And(inner) if (tag == "and") != negated else Or(inner)
        if tag == "not":
            self._expect(len(rest) == 1, expression, "one condition after 'not'")
            return self.read(rest[0], names, negated=not negated)
        if tag == "imply":
            self._expect(len(rest) == 2, expression, "two conditions after 'imply'")
            sides = (self.read(rest[0], names, negated=not negated), self.read(rest[1], names, negated=negated))
            return And(sides) if negated else Or(sides)
        if tag in ("exists", "forall"):
            self._expect(len(rest) == 2, expression, f"parameters and one condition after {tag!r}")
            parameters, inner_names = self.bind(rest[0], names)
            body = self.read(rest[1], inner_names, negated=negated)
            return Exists(parameters, body) if (tag == "exists") != negated else ForAll(parameters, body)
        return self.literal(expression, names, negated=negated)

    def literal(self, expression: Sexpr, names: Mapping[str, str], *, negated: bool = False) -> Literal:
        """Return a literal over known predicates."""
        parts = items(expression, self.who)
        tag = word(parts[0], self.who) if parts else ""
        if tag == "not":
            self._expect(len(parts) == 2, expression, "one atom after 'not'")
            return self.literal(parts[1], names, negated=not negated)
        if tag not in self.arities:
            raise DataError(
                f"{self.who}: expected and, or, not, imply, exists, forall or a declared predicate, "
                f"got {show(expression)}; unsupported"
            )
        args = tuple(word(part, self.who) for part in parts[1:])
        self._expect(len(args) == self.arities[tag], expression, f"{self.arities[tag]} argument(s) for {tag!r}")
        for arg in args:
            self._expect(not arg.startswith("?") or arg in names, expression, f"a bound variable, not {arg}")
        return Literal(tag, tuple(names.get(arg, arg) for arg in args), negated)

    def bind(self, expression: Sexpr, names: Mapping[str, str]) -> tuple[tuple[Parameter, ...], dict[str, str]]:
        """Return a quantifier's parameters under fresh names, and the names that hold inside it."""
        inner = dict(names)
        parameters = []
        for parameter in parse_typed_list(items(expression, self.who), self.who, strict=self.strict):
            inner[parameter.name] = f"{parameter.name}@{next(self._fresh)}"
            parameters.append(Parameter(inner[parameter.name], parameter.type))
        return tuple(parameters), inner

    def _expect(self, truth: bool, expression: Sexpr, what: str) -> None:
        if not truth:
            raise DataError(f"{self.who}: expected {what}, got {show(expression)}")


def parse_typed_list(words: list[Sexpr], who: str, *, strict: bool = True) -> tuple[Parameter, ...]:
    """Read ``?a ?b - type ?c``. Under ``strict`` a comma stays part of the type's name, as it does officially."""
    found: list[Parameter] = []
    pending: list[str] = []
    tokens = iter(words)
    for token in tokens:
        if token == "-":
            kind = word(next(tokens, ""), who)
            if not kind:
                raise DataError(f"{who}: expected a type after '-', got the end of the list")
            found.extend(Parameter(name, kind if strict else kind.rstrip(",")) for name in pending)
            pending = []
        else:
            pending.append(word(token, who))
    return (*found, *(Parameter(name, ROOT_TYPE) for name in pending))


def literals(condition: Condition) -> Iterator[Literal]:
    """Yield every literal in the condition."""
    if isinstance(condition, Literal):
        yield condition
    elif isinstance(condition, And | Or):
        for part in condition.parts:
            yield from literals(part)
    else:
        yield from literals(condition.body)


def free_variables(condition: Condition) -> frozenset[str]:
    """Return the variables that no quantifier inside binds."""
    if isinstance(condition, Literal):
        return frozenset(arg for arg in condition.args if arg.startswith("?"))
    if isinstance(condition, And | Or):
        return frozenset().union(*(free_variables(part) for part in condition.parts))
    return free_variables(condition.body) - {parameter.name for parameter in condition.parameters}
