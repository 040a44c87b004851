from __future__ import annotations

from collections.abc import Mapping

import pytest

from adapters.alfworld.engine.condition import (
    And,
    Exists,
    ForAll,
    Literal,
    Or,
    Parameter,
    Reader,
    free_variables,
    literals,
)
from adapters.alfworld.engine.domain import compile_domain
from adapters.alfworld.engine.sexpr import read
from bench.errors import DataError

ARITIES = {"=": 2, "p": 1, "q": 2}
BASE = "(define (domain d) (:types a b - a) (:predicates (p ?x - a) (q ?x ?y - a)) %s)"


def condition(text: str, strict: bool = True) -> object:
    return Reader("t", ARITIES, strict).read(read(text, "t"), {"?x": "?x"})


def test_read_moves_negation_inward() -> None:
    p, q = Literal("p", ("?x",)), Literal("q", ("?x", "k"))
    assert condition("(not (and (p ?x) (not (q ?x k))))") == Or((Literal("p", ("?x",), True), q))
    assert condition("(imply (p ?x) (q ?x k))") == Or((Literal("p", ("?x",), True), q))
    assert condition("(not (imply (p ?x) (q ?x k)))") == And((p, Literal("q", ("?x", "k"), True)))
    assert condition("()") == And(())
    assert isinstance(condition("(not (exists (?y - a) (p ?y)))"), ForAll)
    assert isinstance(condition("(not (forall (?y - a) (p ?y)))"), Exists)


def test_read_renames_shadowed_variables() -> None:
    outer = condition("(exists (?x - a) (and (p ?x) (exists (?x - b) (p ?x))))")
    assert isinstance(outer, Exists)
    names = [literal.args[0] for literal in literals(outer)]
    assert len(set(names)) == 2
    assert "?x" not in names
    assert free_variables(outer) == frozenset()


def test_comma_is_part_of_type_only_if_strict() -> None:
    for strict, kind in ((True, "a,"), (False, "a")):
        found = condition("(exists (?y - a, ?z - b) (q ?y ?z))", strict)
        assert isinstance(found, Exists)
        assert [p.type for p in found.parameters] == [kind, "b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(r ?x)", r"declared predicate, got \(r \?x\)"),
        ("(> 3 4)", "declared predicate"),
        ("(p ?x ?x)", "1 argument"),
        ("(p ?free)", "bound variable"),
        ("(not (p ?x) (p ?x))", "one condition after 'not'"),
        ("(imply (p ?x))", "two conditions"),
        ("(exists (?y -) (p ?y))", "a type after '-'"),
        ("(exists (?y) (p ?y) (p ?y))", "parameters and one condition"),
    ],
)
def test_read_rejects_other_conditions(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        condition(text)


def test_compile_domain_splits_effects_and_keeps_positive_one() -> None:
    action = """(:action go :parameters (?x - a) :effect
      (and (not (p ?x)) (p ?x) (increase (total-cost) 3)
           (forall (?y - b) (when (p ?y) (and (q ?x ?y) (when (q ?x ?x) (not (p ?y))))))))"""
    (go,) = compile_domain(BASE % action).actions
    first, second, third = go.effects
    assert (first.literal, first.plain) == (Literal("p", ("?x",)), True)
    assert second.parameters == third.parameters == (Parameter("?y@0", "b"),)
    assert second.condition == Literal("p", ("?y@0",))
    assert third.condition == And((Literal("p", ("?y@0",)), Literal("q", ("?x", "?x"))))
    assert third.literal.negated


def test_compile_domain_is_cached(texts: Mapping[str, str]) -> None:
    domain = compile_domain(texts["pddl_domain"])
    assert compile_domain("".join(texts["pddl_domain"])) is domain
    assert domain.supertypes["lamp"] == ("object", "tool")
    assert domain.supertypes["object"] == ()
    assert {"in", "lit", "seen"} <= domain.fluents
    assert "door" not in domain.fluents


def test_compile_domain_drops_actions_without_effects() -> None:
    assert compile_domain(BASE % "(:action idle :parameters () :effect (and))").actions == ()


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("(:derived (p ?x) (q ?x ?x))", "unsupported"),
        ("(:durative-action fly)", "unsupported"),
        ("(:types c)", ":types once"),
        ("(:action go :parameters (?x ?x) :effect (p ?x))", "distinct"),
        ("(:action go :parameters (?x) :precondition (p ?x))", "in this order"),
        ("(:action go :effect (p k) :precondition (p k))", "in this order"),
        ("(:action go :parameters (?x) :effect (assign (p ?x) 3))", "declared predicate"),
        ("(:action go :parameters (?x) :effect (= ?x ?x))", "an effect on a declared predicate"),
        ("(:action go :parameters (?x) :effect (when (p ?x) (increase (total-cost) 1)))", "declared predicate"),
        ("(:action go :effect (p k)) (:action go :effect (p k))", "'?go'? twice"),
    ],
)
def test_compile_domain_names_unsupported_construct(part: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        compile_domain(BASE % part)
    assert str(caught.value).startswith("pddl_domain")


@pytest.mark.parametrize("text", ["(defun x)", "(define (problem p))"])
def test_compile_domain_rejects_other_expressions(text: str) -> None:
    with pytest.raises(DataError, match="pddl_domain: expected"):
        compile_domain(text)
