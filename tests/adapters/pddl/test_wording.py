"""Sentences and action phrases, both ways."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.pddl.data import list_problem_files, read_problem
from adapters.pddl.domain import DOMAINS, Atom, load_domain
from adapters.pddl.generate import generate_tasks
from adapters.pddl.phrases import CHECK, LOOK, Command, read_command
from adapters.pddl.problem import Problem, parse_problem
from adapters.pddl.wording import Literal, load_wording
from adapters.pddl.world import build_world


def assert_injective(problem: Problem) -> None:
    """Every fact that can be said about the problem's objects reads back as itself, so no two share a sentence."""
    words = load_wording(problem.domain.name)
    seen: dict[str, Literal] = {}
    reachable = {a for action in build_world(problem).actions for a in action.add} | problem.init | set(problem.goal)
    for atom, holds in itertools.product(sorted(reachable), (True, False)):
        sentence = words.sentence(atom, holds)
        assert seen.setdefault(sentence, Literal(atom, holds)) == Literal(atom, holds)
        assert words.read(sentence) == Literal(atom, holds)
        assert all(re.search(rf"(?i)(?<![\w-]){re.escape(arg)}(?![\w-])", sentence) for arg in atom.args)
        assert sentence[0] == sentence[0].upper()
        assert sentence.count(".") == 1


def test_generated_facts_have_distinct_sentences() -> None:
    for item in generate_tasks():
        assert_injective(parse_problem(item.text, item.domain, item.task))


@pytest.mark.data
def test_agentboard_facts_have_distinct_sentences(data_root: Path) -> None:
    for file in list_problem_files():
        assert_injective(parse_problem(read_problem(data_root, file), file.domain, file.task))


@given(st.sampled_from(DOMAINS), st.data())
def test_read_inverts_sentence_for_any_names(name: str, data: st.DataObject) -> None:
    predicate = data.draw(st.sampled_from(load_domain(name).predicates))
    names = st.from_regex(r"[a-z][a-z0-9-]{0,6}", fullmatch=True)
    atom = Atom(predicate.name, tuple(data.draw(names) for _ in predicate.types))
    holds = data.draw(st.booleans())
    assert load_wording(name).read(load_wording(name).sentence(atom, holds)) == Literal(atom, holds)


def test_sentences_state_all_arguments() -> None:
    assert load_wording("barman").sentence(Atom("holding", ("left", "shot1"))) == "The hand left holds shot1."
    assert load_wording("barman").sentence(Atom("handempty", ("left",))) == "The hand left is empty."
    assert load_wording("gripper").sentence(Atom("carry", ("ball1", "left"))) == "Ball1 is carried by the arm left."
    assert load_wording("tyreworld").sentence(Atom("free", ("the-hub1",))) == "The hub the-hub1 has no wheel."
    assert load_wording("blockworld").read("The hub the-hub1 has no wheel.") is None


def test_sentence_of_unknown_predicate_is_an_error() -> None:
    with pytest.raises(KeyError):
        load_wording("gripper").sentence(Atom("contains", ("a", "b")))


def test_state_text_is_sorted() -> None:
    atoms = parse_problem(generate_tasks()[0].text, "barman", "g").init
    told = load_wording("barman").state(atoms).removeprefix("Current state: ").replace(". ", ".\n").splitlines()
    assert told == sorted(told)
    assert len(told) == len(atoms)


OBJECTS = {
    "blockworld": {"b1", "b2"},
    "gripper": {"rooma", "roomb", "ball1", "left"},
    "barman": {"left", "right", "shot1", "shaker1", "ingredient1", "dispenser1", "l0", "l1"},
    "tyreworld": {"wrench", "jack", "boot", "nuts1", "the-hub1", "r1"},
}


@pytest.mark.parametrize(
    ("name", "text", "call"),
    [
        ("blockworld", "pickup b1", Atom("pickup", ("b1",))),
        ("blockworld", "  Pick up the block B1, please.", Atom("pickup", ("b1",))),
        ("blockworld", "stack b1 on top of b2", Atom("stack", ("b1", "b2"))),
        ("blockworld", "unstack b1 from b2 and then b1", Atom("unstack", ("b1", "b2"))),
        ("gripper", "move from rooma to roomb", Atom("move", ("rooma", "roomb"))),
        ("gripper", "pick up ball1 at rooma with arm left", Atom("pick", ("ball1", "rooma", "left"))),
        ("gripper", "drop ball1 in rooma from left", Atom("drop", ("ball1", "rooma", "left"))),
        ("barman", "left grasp shot1", Atom("grasp", ("left", "shot1"))),
        ("barman", "grasp left shot1", Atom("grasp", ("left", "shot1"))),
        (
            "barman",
            "refill-shot shot1 ingredient1 left right dispenser1",
            Atom("refill-shot", ("shot1", "ingredient1", "left", "right", "dispenser1")),
        ),
        (
            "barman",
            "Fill shot shot1 with ingredient1, left, right, dispenser1",
            Atom("fill-shot", ("shot1", "ingredient1", "left", "right", "dispenser1")),
        ),
        ("tyreworld", "fetch wrench from the boot", Atom("fetch", ("wrench", "boot"))),
        (
            "tyreworld",
            "loosen the nut nuts1 on the hub the-hub1 with the wrench",
            Atom("loosen", ("nuts1", "the-hub1")),
        ),
        ("tyreworld", "jack up the-hub1", Atom("jack-up", ("the-hub1",))),
        ("tyreworld", "put on wheel r1 on hub the-hub1", Atom("put-on-wheel", ("r1", "the-hub1"))),
        ("tyreworld", "put away jack in boot", Atom("put-away", ("jack", "boot"))),
    ],
)
def test_read_command_accepts_free_wording(name: str, text: str, call: Atom) -> None:
    assert read_command(text, name, OBJECTS[name]) == Command(call)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("blockworld", ""),
        ("blockworld", "stack b1"),
        ("blockworld", "stack b1 on b9"),
        ("blockworld", "dance"),
        ("blockworld", "restack b1 b2"),
        ("barman", "fill-shot shot1 ingredient1 left right"),
        ("tyreworld", "inflate wheel r7"),
        ("blockworld", "To stack b1 on b2, I first need to unstack b3 from b1"),
        ("blockworld", "I stack b1 on b2"),
        ("blockworld", "b1 is clear, so pickup b1"),
        ("blockworld", "check whether the action stack b1 b2 is possible"),
    ],
)
def test_read_command_rejects_other_texts(name: str, text: str) -> None:
    assert read_command(text, name, OBJECTS[name]) == Command()


def test_read_command_knows_two_helper_commands() -> None:
    assert read_command("Check valid actions.", "barman", ()).asks == CHECK
    assert read_command("check the valid actions", "barman", ()).asks == CHECK
    assert read_command("look around", "barman", ()).asks == LOOK
    assert read_command("check the boot", "tyreworld", OBJECTS["tyreworld"]) == Command()


@pytest.mark.parametrize("name", DOMAINS)
def test_read_command_inverts_phrase(name: str) -> None:
    for item in generate_tasks():
        if item.domain == name:
            problem = parse_problem(item.text, name, item.task)
            objects = {thing for thing, _ in problem.objects}
            for action in build_world(problem).actions:
                assert read_command(load_wording(name).phrase(action.call), name, objects) == Command(action.call)
