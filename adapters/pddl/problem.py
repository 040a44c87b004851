"""One problem as a record: typed objects, initial facts and goal facts, parsed from PDDL text.

It accepts domain constants that are declared again as objects, as AgentBoard's files do, and rejects everything else
that does not fit the domain. Knows no files: the caller names the text in errors.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from pddl.logic.functions import EqualTo  # type: ignore[import-untyped]
from pddl.parser.problem import ProblemParser  # type: ignore[import-untyped]

from adapters.pddl.domain import Atom, Domain, is_own, load_domain
from adapters.pddl.formula import keep_tracebacks, split_conjunction, to_atom
from bench.errors import DataError

__all__ = ["Problem", "name_family", "parse_problem"]

_OBJECTS = re.compile(r"\(:objects([^)]*)\)")
_TYPE = re.compile(r"\s-\s+[\w-]+")
_FACT = re.compile(r"\((?!and\b)[\w-]+[^()]*\)")


@dataclass(frozen=True, slots=True)
class Problem:
    """A task of one domain. ``objects`` are (name, type), sorted; the constants of the domain are among them."""

    domain: Domain
    objects: tuple[tuple[str, str], ...]
    init: frozenset[Atom]
    goal: tuple[Atom, ...]
    """Distinct and sorted; all must hold at the same time."""

    def count_satisfied(self, state: frozenset[Atom]) -> int:
        """Return how many goal facts hold."""
        return sum(atom in state for atom in self.goal)


@lru_cache(maxsize=512)
def parse_problem(text: str, key: str, who: str) -> Problem:
    """Return the problem in ``text`` for the domain of a key; the same text is parsed once per process.

    Raises: DataError naming ``who`` if it is not PDDL or does not fit the domain.
    """
    try:
        domain = load_domain(key)
        return _parse(text.replace("\r\n", "\n").lower() if is_own(key) else text, domain)
    except Exception as cause:  # the parser raises many kinds; for a user each means a broken file
        reason = " ".join(str(cause).split())[:200] or type(cause).__name__
        raise DataError(
            f"{who}: expected a {'planning' if is_own(key) else key} problem in PDDL, got {reason!r}; "
            + ("mend the file" if is_own(key) else "restore the file (bench data check names what differs)")
        ) from cause


def _parse(text: str, world: Domain) -> Problem:
    with keep_tracebacks():
        parsed: Any = _build_parser()(text)
    if str(parsed.domain_name).lower() != world.pddl_name:
        raise ValueError(f":domain {parsed.domain_name} instead of {world.pddl_name}")
    objects = dict(world.constants)
    for item in parsed.objects:
        name, kind = str(item.name).lower(), str(item.type_tag or "object").lower()
        if objects.setdefault(name, kind) != kind:
            raise ValueError(f"object {name} of type {kind} and {objects[name]}")
    init = frozenset(to_atom(part) for part in parsed.init if not isinstance(part, EqualTo))  # costs are left out
    goal = tuple(sorted({to_atom(part) for part in split_conjunction(parsed.goal)}))
    if not goal:
        raise ValueError("an empty goal")
    for atom in sorted(init) + list(goal):
        _check(atom, objects, world)
    return Problem(world, tuple(sorted(objects.items())), init, goal)


def name_family(text: str, domain_name: str) -> str:
    """Return the shape of a problem: domain and counts, ``gripper/9 objects/4 goals``.

    Problems of one shape differ in names and start only. The text is not parsed, so that a broken one has a family too.
    """
    objects = _OBJECTS.search(text.lower())
    names = _TYPE.sub(" ", objects[1]).split() if objects else []
    goals = _FACT.findall(text.lower().partition("(:goal")[2])
    return f"{domain_name}/{len(names)} objects/{len(goals)} goals"


@cache
def _build_parser() -> Any:
    """Return the library's parser; building it takes forty times as long as parsing a problem."""
    return ProblemParser()


def _check(atom: Atom, objects: dict[str, str], world: Domain) -> None:
    known = {p.name: p.types for p in world.predicates}
    if atom.name not in known or len(known[atom.name]) != len(atom.args):
        raise ValueError(f"unknown fact {atom.name} with {len(atom.args)} arguments")
    for arg, kind in zip(atom.args, known[atom.name], strict=True):
        if arg not in objects:
            raise ValueError(f"unknown object {arg} in {atom.name}")
        if not world.is_a(objects[arg], kind):
            raise ValueError(f"object {arg} of type {objects[arg]} where {atom.name} wants {kind}")
