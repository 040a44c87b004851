"""Domains, problems and the simulator."""

from __future__ import annotations

import sys

import pytest

from adapters.pddl.domain import DOMAINS, Atom, load_domain
from adapters.pddl.generate import problem_text
from adapters.pddl.problem import parse_problem
from adapters.pddl.wording import load_wording
from adapters.pddl.world import World, build_world
from bench.errors import DataError

TYRES = """
(define (problem t) (:domain tyreworld)
  (:objects wrench jack pump - tool boot - container r1 - wheel the-hub1 - hub nuts1 - nut)
  (:init (in pump boot) (have wrench) (have jack) (isopen boot) (unlocked boot)
         (on-ground the-hub1) (fastened the-hub1) (tight nuts1 the-hub1))
  (:goal (have pump)))
"""


def test_load_domain_has_expected_operators() -> None:
    arities = {name: {op.name: len(op.variables) for op in load_domain(name).operators} for name in DOMAINS}
    assert arities["blockworld"] == {"pickup": 1, "putdown": 1, "stack": 2, "unstack": 2}
    assert arities["gripper"] == {"move": 2, "pick": 3, "drop": 3}
    assert (len(arities["barman"]), len(arities["tyreworld"])) == (12, 13)
    assert arities["barman"]["shake"] == arities["barman"]["pour-shaker-to-shot"] == 6


def test_is_a_follows_the_type_tree() -> None:
    barman = load_domain("barman")
    assert barman.is_a("shot", "container")
    assert barman.is_a("cocktail", "beverage")
    assert barman.is_a("shot", "object")
    assert not barman.is_a("container", "shot")
    assert barman.static == {"next", "dispenses", "cocktail-part1", "cocktail-part2", "shaker-empty-level"}


def test_parse_problem_accepts_repeated_constants() -> None:
    problem = parse_problem(TYRES, "tyreworld", "t")
    assert dict(problem.objects)["wrench"] == "tool"
    assert Atom("in", ("pump", "boot")) in problem.init


def test_parse_problem_adds_missing_constants() -> None:
    text = TYRES.replace("wrench jack pump - tool ", "")
    assert parse_problem(text, "tyreworld", "t").objects == parse_problem(TYRES, "tyreworld", "t").objects


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ("(define (problem t) (:domain tyreworld", ""),
        (TYRES.replace("tyreworld", "barman"), ":domain barman"),
        (TYRES.replace("have pump", "owns pump"), "unknown fact owns"),
        (TYRES.replace("have pump", "have spanner"), "spanner"),
        (TYRES.replace("(:goal (have pump))", "(:goal (have the-hub1))"), "the-hub1 of type hub"),
        (TYRES.replace("(in pump boot)", "(in boot pump)"), "boot of type container"),
        (TYRES.replace("pump - tool", "- tool pump - wheel"), "pump of type wheel and tool"),
        (TYRES.replace("(have pump)", "(or (have pump) (have jack))"), "disjunctive"),
        (TYRES.replace("(in pump boot)", "(not (in pump boot))"), "plain fact"),
        (TYRES.replace("(have pump)", "(and)"), ""),
    ],
)
def test_parse_problem_error_names_the_file(broken: str, reason: str) -> None:
    before = getattr(sys, "tracebacklimit", 1000)
    with pytest.raises(DataError, match=r"some/file\.pddl: expected a tyreworld problem") as caught:
        parse_problem(broken, "tyreworld", "some/file.pddl")
    assert reason in str(caught.value)
    assert getattr(sys, "tracebacklimit", 1000) == before  # the library switches tracebacks off when it fails


def test_result_adds_and_deletes_effects() -> None:
    world = build_world(parse_problem(TYRES, "tyreworld", "t"))
    loosen = world.action(Atom("loosen", ("nuts1", "the-hub1")))
    assert loosen is not None
    assert loosen.applies(world.problem.init)
    after = loosen.result(world.problem.init)
    assert after - world.problem.init == {Atom("loose", ("nuts1", "the-hub1"))}
    assert world.problem.init - after == {Atom("tight", ("nuts1", "the-hub1"))}


def test_result_keeps_fact_that_is_added_and_deleted() -> None:
    text = problem_text("gripper", 1)
    world = build_world(parse_problem(text, "gripper", "g"))
    here = next(a.args[0] for a in world.problem.init if a.name == "at-robby")
    stay = world.action(Atom("move", (here, here)))
    assert stay is not None
    assert stay.result(world.problem.init) == world.problem.init
    assert stay not in world.valid(world.problem.init)


def test_grounding_respects_types_and_static_facts() -> None:
    problem = parse_problem(problem_text("barman", 1), "barman", "g")
    world = World(problem)
    calls = {action.call for action in world.actions}
    assert all(Atom("dispenses", (c.args[4], c.args[1])) in problem.init for c in calls if c.name == "fill-shot")
    assert world.action(Atom("grasp", ("shot1", "left"))) is None
    assert [a.call for a in world.actions] == sorted(calls)


def test_wording_covers_every_predicate_and_action() -> None:
    for name in DOMAINS:
        words = {t.name for t in load_wording(name).templates}
        assert words == {p.name for p in load_domain(name).predicates}
        assert {form.name for form in load_wording(name).actions} == {op.name for op in load_domain(name).operators}
