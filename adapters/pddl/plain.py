"""A plain wording for a domain that brings none: sentences, phrases and instructions, made from its names alone.

A fact ``(on b1 b2)`` is the sentence ``On b1 b2.``, an action ``(stack b1 b2)`` the command ``stack b1 b2``. So two
facts never have one sentence, and a domain needs no word beside its PDDL. Knows no state.
"""

from __future__ import annotations

from collections.abc import Iterable

from adapters.pddl.domain import Atom, Domain, Operator
from adapters.pddl.problem import Problem
from adapters.pddl.wording import Wording

__all__ = ["describe_actions", "describe_call", "describe_kinds", "describe_objects"]


def describe_actions(domain: Domain, words: Wording) -> str:
    """Return one line for each action: its phrase, the kinds of its arguments, conditions and effects."""
    return "\n".join(_describe(operator, words) for operator in domain.operators)


def describe_call(operator: Operator, words: Wording) -> str:
    """Return how an action is written, and of what kind each argument is: ``stack X Y (X block, Y block)``."""
    names = [variable.removeprefix("?").upper() for variable in operator.variables]
    kinds = ", ".join(f"{name} {kind}" for name, kind in zip(names, operator.types, strict=True))
    return words.phrase(Atom(operator.name, tuple(names))) + (f" ({kinds})" if kinds else "")


def _describe(operator: Operator, words: Wording) -> str:
    letters = {variable: variable.removeprefix("?").upper() for variable in operator.variables}

    def say(atoms: Iterable[Atom], before: str = "") -> list[str]:
        sentences = (words.sentence(atom.bind(letters)).removesuffix(".") for atom in atoms)
        return [f"{before}{text[:1].lower()}{text[1:]}" for text in sentences]

    differ = [f"{letters.get(one, one)} and {letters.get(other, other)} differ" for one, other in operator.distinct]
    needs = [*say(operator.pre), *say(operator.forbid, "not "), *differ]
    parts = [f"needs {'; '.join(needs) or 'nothing'}."]
    parts += [f"Makes {'; '.join(made)}." for made in [say(operator.add)] if made]
    parts += [f"Ends {'; '.join(ended)}." for ended in [say(operator.delete)] if ended]
    return f"- {describe_call(operator, words)}: {' '.join(parts)}"


def describe_kinds(domain: Domain) -> str:
    """Return a sentence about the types that are parts of others; empty where there are none."""
    parts = [f"{kind} is a kind of {parent}" for kind, parent in domain.parents if parent != "object"]
    return f"Kinds of things: {'; '.join(parts)}.\n" if parts else ""


def describe_objects(problem: Problem) -> str:
    """Return the objects by type: ``Things: b1, b2 (block); t1 (table).``"""
    kinds = sorted({kind for _, kind in problem.objects})
    named = {kind: ", ".join(name for name, its in problem.objects if its == kind) for kind in kinds}
    return f"Things: {'; '.join(f'{names} ({kind})' for kind, names in named.items())}."
