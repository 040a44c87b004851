"""The actions that are possible in a believed state, by the conditions that the frame states. Knows no problem."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from adapters.pddl.domain import Atom, Domain, Operator, State, is_own, load_domain

__all__ = ["Move", "bind_operator", "list_moves"]


@dataclass(frozen=True, slots=True)
class Move:
    """An action with its objects, and the state that it leads to."""

    call: Atom
    after: State


@lru_cache(maxsize=1 << 14)
def list_moves(domain_name: str, state: State) -> tuple[Move, ...]:
    """Return every action that is possible and changes something, sorted."""
    domain = load_domain(domain_name)
    moves = {move.call: move for op in domain.operators for move in bind_operator(domain, op, state, {})}
    return tuple(moves[call] for call in sorted(moves))


@lru_cache(maxsize=1 << 12)
def _find_types(domain_name: str, state: State) -> Mapping[str, str]:
    """Return the narrowest type of each object that the facts about it imply."""
    domain = load_domain(domain_name)
    types = dict(domain.constants) if is_own(domain_name) else {}
    signatures = {signature.name: signature.types for signature in domain.predicates}
    for atom in sorted(state):
        for name, implied in zip(atom.args, signatures[atom.name], strict=True):
            if name not in types or domain.is_a(implied, types[name]):
                types[name] = implied
    return types


@lru_cache(maxsize=1 << 12)
def _index(state: State) -> Mapping[str, list[tuple[str, ...]]]:
    """Return the arguments of the facts by predicate, sorted."""
    index: dict[str, list[tuple[str, ...]]] = {}
    for atom in sorted(state):
        index.setdefault(atom.name, []).append(atom.args)
    return index


def bind_operator(domain: Domain, op: Operator, state: State, bound: Mapping[str, str]) -> Iterator[Move]:
    """Yield the possible instances of an operator whose variables are bound as given, as far as they are."""
    types = _find_types(domain.key, state)
    for matched in _match(list(op.pre), _index(state), dict(bound)):
        for binding in _complete(domain, op, matched):
            if not all(
                domain.is_a(types[binding[variable]], wanted) or domain.is_a(wanted, types[binding[variable]])
                for variable, wanted in zip(op.variables, op.types, strict=True)
            ):
                continue
            if any(binding.get(one, one) == binding.get(other, other) for one, other in op.distinct):
                continue
            action = op.ground(tuple(binding[variable] for variable in op.variables))
            if action.applies(state) and (after := action.result(state)) != state:
                yield Move(action.call, after)


def _complete(domain: Domain, op: Operator, binding: dict[str, str]) -> Iterator[dict[str, str]]:
    """Yield a binding with what no condition names: any constant of its type, or nothing where none is stated."""
    missing = [
        [(variable, name) for name, kind in domain.constants if domain.is_a(kind, wanted)]
        for variable, wanted in zip(op.variables, op.types, strict=True)
        if variable not in binding
    ]
    if not missing:
        yield binding
    elif is_own(domain.key):
        yield from ({**binding, **dict(chosen)} for chosen in product(*missing))


def _match(
    conditions: list[Atom], index: Mapping[str, list[tuple[str, ...]]], binding: dict[str, str]
) -> Iterator[dict[str, str]]:
    """Yield the bindings under which all conditions hold; the condition with fewest open variables goes first."""
    if not conditions:
        yield binding
        return
    first = min(conditions, key=lambda atom: (sum(arg not in binding for arg in atom.args), atom))
    rest = [atom for atom in conditions if atom is not first]
    for row in index.get(first.name, ()):
        if (longer := _unify(first.args, row, binding)) is not None:
            yield from _match(rest, index, longer)


def _unify(args: tuple[str, ...], row: tuple[str, ...], binding: Mapping[str, str]) -> dict[str, str] | None:
    """Return the binding with the variables of one condition; None if the row does not fit."""
    longer = dict(binding)
    for arg, value in zip(args, row, strict=True):
        if (longer.setdefault(arg, value) if arg.startswith("?") else arg) != value:
            return None
    return longer
