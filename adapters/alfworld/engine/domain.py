"""A PDDL domain as records: types, predicates, actions with ADL preconditions and effects.

Knows no problem and no state.

Source: what the translator of ``fast_downward_textworld`` 20.6.4 accepts, less axioms and numeric conditions, which are
refused. Costs are read and dropped: no player sees them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from adapters.alfworld.engine.condition import ROOT_TYPE, And, Condition, Literal, Parameter, Reader, parse_typed_list
from adapters.alfworld.engine.sexpr import Sexpr, items, read, show, word
from bench.errors import DataError

__all__ = ["Action", "Domain", "Effect", "compile_domain"]

_SECTIONS = (":requirements", ":types", ":constants", ":predicates", ":functions")


@dataclass(frozen=True, slots=True)
class Effect:
    """One literal made true or false, for all objects of the parameters' types under which the condition holds."""

    parameters: tuple[Parameter, ...]
    condition: Condition
    literal: Literal

    @property
    def plain(self) -> bool:
        """Whether it always happens, once."""
        return not self.parameters and self.condition == And(())


@dataclass(frozen=True, slots=True)
class Action:
    """An action schema."""

    name: str
    parameters: tuple[Parameter, ...]
    precondition: Condition
    effects: tuple[Effect, ...]


@dataclass(frozen=True, slots=True)
class Domain:
    """Everything that a domain text says."""

    name: str
    supertypes: Mapping[str, tuple[str, ...]]
    """Each type with all types above it, in the official order."""
    constants: tuple[Parameter, ...]
    arities: Mapping[str, int]
    actions: tuple[Action, ...]
    fluents: frozenset[str]
    """The predicates that some action changes."""


@lru_cache(maxsize=16)
def compile_domain(text: str, *, strict: bool = True) -> Domain:
    """Read a domain text; equal texts are read once. Raises DataError naming what is not supported."""
    who = "pddl_domain"
    parts = iter(read(text, who))
    if next(parts, "") != "define":
        raise DataError(f"{who}: expected (define (domain ...) ...), got another expression")
    head = [word(part, who) for part in items(next(parts, []), who)]
    if len(head) != 2 or head[0] != "domain":
        raise DataError(f"{who}: expected (domain NAME), got {head}")
    sections: dict[str, list[Sexpr]] = {}
    blocks: list[list[Sexpr]] = []
    for part in parts:
        block = items(part, who)
        tag = word(block[0], who) if block else ""
        if tag in _SECTIONS:
            if tag in sections:
                raise DataError(f"{who}: expected {tag} once, got it twice")
            sections[tag] = block[1:]
        elif tag == ":action":
            blocks.append(block)
        else:
            raise DataError(f"{who}: expected {', '.join(_SECTIONS)} or :action, got {show(block)}; unsupported")
    arities = _parse_arities(sections.get(":predicates", []), who)
    actions = tuple(action for block in blocks if (action := _parse_action(block, arities, strict)) is not None)
    names = [action.name for action in actions]
    if len(set(names)) < len(names):
        raise DataError(
            f"{who}: expected every action once, got {sorted(n for n in names if names.count(n) > 1)[0]} twice"
        )
    return Domain(
        name=head[1],
        supertypes=_compute_supertypes(parse_typed_list(sections.get(":types", []), who)),
        constants=parse_typed_list(sections.get(":constants", []), who),
        arities=arities,
        actions=actions,
        fluents=frozenset(effect.literal.predicate for action in actions for effect in action.effects),
    )


def _parse_arities(declarations: list[Sexpr], who: str) -> dict[str, int]:
    """Return predicate name -> number of arguments, equality included."""
    arities = {"=": 2}
    for declaration in declarations:
        parts = items(declaration, who)
        arities[word(parts[0] if parts else [], who)] = len(parse_typed_list(parts[1:], who))
    return arities


def _compute_supertypes(types: tuple[Parameter, ...]) -> dict[str, tuple[str, ...]]:
    """Return each type's ancestors, sorted: the official list is the sorted transitive closure."""
    parents: dict[str, set[str]] = {ROOT_TYPE: set()}
    for entry in types:
        parents.setdefault(entry.name, set()).add(entry.type)
        parents.setdefault(entry.type, set())
    closed: dict[str, tuple[str, ...]] = {}
    for name in parents:
        above: set[str] = set()
        pending = [name]
        while pending:
            fresh = parents[pending.pop()] - above
            above |= fresh
            pending.extend(fresh)
        closed[name] = tuple(sorted(above - {name}))
    return closed


def _parse_action(block: list[Sexpr], arities: Mapping[str, int], strict: bool) -> Action | None:
    """Read ``(:action NAME :parameters (...) :precondition (...) :effect (...))``; None for one without effects."""
    name = word(block[1], "pddl_domain") if len(block) > 1 else ""
    who = f"pddl_domain, action {name}"
    fields = block[2:]
    order = [":parameters", ":precondition", ":effect"]
    tags = [word(tag, who) for tag in fields[::2]]
    if len(fields) % 2 or tags != [tag for tag in order if tag in tags] or ":effect" not in tags:
        raise DataError(
            f"{who}: expected :parameters, :precondition and :effect in this order, got {tags}; unsupported"
        )
    blocks_of = {tag: items(fields[2 * at + 1], who) for at, tag in enumerate(tags)}
    parameters = parse_typed_list(blocks_of.get(":parameters", []), who, strict=strict)
    names = {parameter.name: parameter.name for parameter in parameters}
    if len(names) < len(parameters) or not all(name.startswith("?") for name in names):
        raise DataError(f"{who}: expected distinct ?variables as parameters, got {[p.name for p in parameters]}")
    reader = Reader(who, arities, strict)
    precondition = reader.read(blocks_of.get(":precondition", []), names)
    effects: list[Effect] = []
    _read_effect(blocks_of[":effect"], reader, names, Effect((), And(()), Literal("", ())), effects)
    return Action(name, parameters, precondition, tuple(effects)) if effects else None


def _read_effect(
    expression: Sexpr, reader: Reader, names: Mapping[str, str], around: Effect, found: list[Effect]
) -> None:
    """Append the single effects in ``expression``; ``around`` holds the quantifiers and conditions outside it."""
    parts = items(expression, reader.who)
    if not parts:
        return
    tag = word(parts[0], reader.who)
    if tag == "and":
        for part in parts[1:]:
            _read_effect(part, reader, names, around, found)
    elif tag == "increase" and len(parts) == 3 and parts[1] == ["total-cost"] and around.plain:
        return
    elif tag == "forall" and len(parts) == 3:
        parameters, inner = reader.bind(parts[1], names)
        _read_effect(
            parts[2], reader, inner, Effect(around.parameters + parameters, around.condition, around.literal), found
        )
    elif tag == "when" and len(parts) == 3:
        condition = reader.read(parts[1], names)
        both = condition if around.condition == And(()) else And((around.condition, condition))
        _read_effect(parts[2], reader, names, Effect(around.parameters, both, around.literal), found)
    else:
        literal = reader.literal(expression, names)
        if literal.predicate == "=":
            raise DataError(f"{reader.who}: expected an effect on a declared predicate, got {show(expression)}")
        _add_effect(Effect(around.parameters, around.condition, literal), found)


def _add_effect(effect: Effect, found: list[Effect]) -> None:
    """Append an effect; of two that contradict each other under one condition the positive one stays."""
    literal = effect.literal
    contrary = Effect(
        effect.parameters, effect.condition, Literal(literal.predicate, literal.args, not literal.negated)
    )
    if contrary in found:
        if literal.negated:
            return
        found.remove(contrary)
    found.append(effect)
