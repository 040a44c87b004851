from __future__ import annotations

from collections.abc import Mapping

import pytest

from adapters.alfworld.engine.domain import compile_domain
from adapters.alfworld.engine.names import display_names
from adapters.alfworld.engine.problem import read_problem
from bench.errors import DataError


def test_read_problem_finds_objects_facts_and_goal(texts: Mapping[str, str]) -> None:
    problem = read_problem(texts["pddl_problem"], compile_domain(texts["pddl_domain"]))
    assert problem.types["lamp_bar__plus_1"] == "lamp"
    assert problem.members["tool"] == (
        "box_bar_basin",
        "crate_bar_7",
        "lamp_bar__minus_2",
        "lamp_bar__plus_1",
        "saw_bar_1",
    )
    assert "hall" in problem.members["room"]
    assert problem.members["object"] == tuple(sorted(problem.types))
    assert problem.initial["in"].rows == {("robot1", "hall")}
    assert problem.initial["lit"].rows == frozenset()
    assert not any(name[0].isdigit() for name in problem.initial)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("(:goal", "(:aim", "unsupported"),
        ("(:domain workshop)", "(:domain kitchen)", "domain 'workshop'"),
        ("robot1 - robot", "robot1 - droid", "declared type for 'robot1'"),
        ("robot1 - robot", "robot1 robot1 - robot", "'robot1' twice"),
        ("(in robot1 Hall)", "(in robot1 Hall) (not (in robot1 Hall))", "both true and false"),
        ("(in robot1 Hall)", "(at 5 (in robot1 Hall))", "a ground fact"),
        ("4)", "(length))", "a whole number|a word"),
        ("4)", "4.5)", "a whole number"),
        ("(:metric", "(:init) (:metric", "unsupported"),
        ("(lit ?l)", "(glows ?l)", "declared predicate"),
    ],
)
def test_read_problem_names_error(texts: Mapping[str, str], old: str, new: str, message: str) -> None:
    assert old in texts["pddl_problem"]
    with pytest.raises(DataError, match=message) as caught:
        read_problem(texts["pddl_problem"].replace(old, new), compile_domain(texts["pddl_domain"]))
    assert str(caught.value).startswith("pddl_problem")


def test_display_names_number_in_reverse_order() -> None:
    ids = ["mug_bar__plus_1", "mug_bar__minus_1", "sink_bar_1", "sink_bar_1_bar_sinkbasin", "agent1", "loc_bar_2"]
    assert display_names(ids) == {
        "agent1": "agent1 ",
        "loc_bar_2": "loc 1",
        "mug_bar__minus_1": "mug 2",
        "mug_bar__plus_1": "mug 1",
        "sink_bar_1": "sink 1",
        "sink_bar_1_bar_sinkbasin": "sinkbasin 1",
    }


def test_display_names_rejects_id_without_kind() -> None:
    with pytest.raises(DataError, match="plain word before"):
        display_names(["a_dot_b_bar_1"])
