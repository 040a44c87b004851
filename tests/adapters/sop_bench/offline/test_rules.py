"""The offline rule sees the messages alone: what a memory shows decides what it can do."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.sop_bench.offline.rules import RULES, Procedure, read_procedure
from adapters.sop_bench.suite import SUITE
from bench.agents import compose
from bench.config import RunConfig
from bench.protocols import Params, SuiteOptions
from bench.runner.batch import run
from bench.store.dataframe import read_items
from bench.types import Shape, Stimulus


def read_given(name: str) -> str:
    path = Path(__file__).parents[4] / "adapters" / "sop_bench" / "given" / f"{name}.txt"
    return path.read_text(encoding="utf-8")


def test_read_procedure_finds_the_rules_in_each_text() -> None:
    condensed, limits = read_procedure(read_given("condensed")), read_procedure(read_given("condensed-limits"))
    assert condensed == Procedure(checks_id=True, sums=True, imputes=True, too_many=3)
    assert read_procedure(read_given("redundant")) == condensed
    assert limits.limits == (("A", 7), ("B", 12), ("C", 16), ("D", 20))
    assert read_procedure("") == Procedure()
    assert read_procedure("two or more are too many").too_many == 2


@pytest.mark.data
def test_read_procedure_finds_the_rules_in_the_released_text(data_root: Path) -> None:
    text = (data_root / "sop_bench" / "dangerous_goods" / "sop.txt").read_text(encoding="utf-8")
    assert read_procedure(text) == read_procedure(read_given("condensed"))


def test_rule_asks_again_for_what_it_is_not_shown(tmp_path: Path) -> None:
    suite = SUITE.build(SuiteOptions("generated", Params(SUITE.params), tmp_path))
    env = suite.open(suite.tasks()[6])  # type: ignore[arg-type]  # a suite of episodes
    opening = env.reset()
    first = RULES[0].reply(compose(opening.frame, Stimulus(Shape.EPISODE, "", opening.goal, 1), ""))
    seen = env.step(first.removeprefix("Action: "))
    assert seen.valid
    stimulus = Stimulus(Shape.EPISODE, seen.text, opening.goal, 2)
    assert RULES[0].reply(compose(opening.frame, stimulus, "")) != first
    later = Stimulus(Shape.EPISODE, "There is no such command.", opening.goal, 3)
    assert RULES[0].reply(compose(opening.frame, later, "")) == first


def test_arms_differ_by_what_their_text_says(tmp_path: Path) -> None:
    arms = (
        "full-history",
        "given-text:text=redundant",
        "given-text:text=condensed",
        "given-text:text=condensed-limits",
    )
    run(RunConfig(suites=("sop-bench",), strategies=arms, model="offline/reader", split="generated"), tmp_path / "run")
    items = read_items([tmp_path / "run"])
    wins = items.groupby("strategy")["success"].sum().to_dict()
    assert wins[arms[3]] == 40
    assert wins[arms[1]] == wins[arms[2]]
    assert wins[arms[0]] < wins[arms[2]] < 40
