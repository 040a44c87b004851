"""A PDDL problem as records: objects by type, initial facts, goal. Knows no action and no text grammar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from adapters.alfworld.engine.condition import ROOT_TYPE, Condition, Parameter, Reader, parse_typed_list
from adapters.alfworld.engine.domain import Domain
from adapters.alfworld.engine.facts import Relation, Row
from adapters.alfworld.engine.sexpr import Sexpr, items, read, show, word
from bench.errors import DataError

__all__ = ["Problem", "read_problem"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Everything that a problem text says."""

    types: Mapping[str, str]
    """Object -> its declared type."""
    members: Mapping[str, tuple[str, ...]]
    """Type -> its objects and those of the types below it, sorted."""
    initial: Mapping[str, Relation]
    goal: Condition


def read_problem(text: str, domain: Domain, *, strict: bool = True) -> Problem:
    """Read a problem text. Raises DataError naming what is not supported."""
    who = "pddl_problem"
    parts = read(text, who)
    heads = [items(part, who) for part in parts[1:]]
    tags = [show(head[0]) if head else "()" for head in heads]
    known = ["problem", ":domain", ":requirements", ":objects", ":init", ":goal", ":metric"]
    if parts[0] != "define" or tags != [tag for tag in known if tag in tags]:
        raise DataError(f"{who}: expected (define {' '.join(known)}), got {' '.join(tags)}; unsupported")
    sections = dict(zip(tags, heads, strict=True))
    for tag in ("problem", ":domain", ":init", ":goal"):
        if tag not in sections:
            raise DataError(f"{who}: expected a ({tag} ...) block, got {' '.join(tags)}; fetch the file again")
    if sections[":domain"][1:] != [domain.name]:
        raise DataError(f"{who}: expected domain {domain.name!r}, got {show(sections[':domain'])}")
    objects = (*domain.constants, *parse_typed_list(sections.get(":objects", [])[1:], who))
    types, members = _group_by_type(objects, domain, who)
    facts = _parse_initial(sections[":init"][1:], who)
    for name, rows in facts.items():
        wrong = [row for row in rows if len(row) != domain.arities.get(name, len(row))]
        if wrong:
            raise DataError(f"{who}: expected {domain.arities[name]} argument(s), got ({name} {' '.join(wrong[0])})")
    goal = sections[":goal"][1:]
    if len(goal) != 1:
        raise DataError(f"{who}: expected one goal, got {len(goal)}")
    condition = Reader(f"{who}, goal", domain.arities, strict).read(goal[0], {})
    initial = {name: Relation(facts.get(name, ())) for name in dict.fromkeys((*domain.arities, *facts)) if name != "="}
    return Problem(types, members, initial, condition)


def _group_by_type(
    objects: tuple[Parameter, ...], domain: Domain, who: str
) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """Return each object's type and each type's objects."""
    types: dict[str, str] = {}
    members: dict[str, list[str]] = {kind: [] for kind in domain.supertypes}
    for entry in objects:
        if entry.name in types:
            raise DataError(f"{who}: expected every object once, got {entry.name!r} twice")
        if entry.type not in domain.supertypes:
            raise DataError(f"{who}: expected a declared type for {entry.name!r}, got {entry.type!r}")
        types[entry.name] = entry.type
        for kind in dict.fromkeys((entry.type, *domain.supertypes[entry.type], ROOT_TYPE)):
            members[kind].append(entry.name)
    return types, {kind: tuple(sorted(names)) for kind, names in members.items()}


def _parse_initial(entries: list[Sexpr], who: str) -> dict[str, set[Row]]:
    """Return the facts that hold at first. Numbers are costs and dropped."""
    facts: dict[str, set[Row]] = {}
    denied: set[tuple[str, Row]] = set()
    for entry in entries:
        parts = items(entry, who)
        if parts and parts[0] == "=" and len(parts) == 3:
            number = word(parts[2], who)
            if not number.replace(".", "", 1).isdigit() or float(number) % 1:
                raise DataError(f"{who}: expected a whole number in :init, got {show(entry)}; unsupported")
        elif len(parts) == 2 and parts[0] == "not":
            name, *args = [word(part, who) for part in items(parts[1], who)] or [""]
            if not name:
                raise DataError(f"{who}: expected a ground fact after 'not' in :init, got {show(entry)}; unsupported")
            denied.add((name, tuple(args)))
        elif parts and all(isinstance(part, str) for part in parts):
            name, *args = [part for part in parts if isinstance(part, str)]
            facts.setdefault(name, set()).add(tuple(args))
        else:
            raise DataError(f"{who}: expected a ground fact in :init, got {show(entry)}; unsupported")
    for name, row in denied:
        if row in facts.get(name, ()):
            raise DataError(f"{who}: expected a consistent :init, got ({name} {' '.join(row)}) both true and false")
    return facts
