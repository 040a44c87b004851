"""The runs of a recipe: what a user may change, and commands that ask the same questions."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import typer

from bench.cli.options import RunOptions, take_run_options
from bench.cli.run import read_question
from bench.config import difference
from bench.errors import UsageError
from bench.papers.catalog import find_recipe, list_recipes
from bench.papers.planning import plan_runs, write_command
from bench.papers.recipe_file import read_recipe
from bench.runner.resolve import resolve_run

FREE = sorted(set(list_recipes()) - {"horma/table1", "horma/table2", "horma/table3", "horma/figure2", "horma/figure3"})
"""Those whose runs need nothing that another one learned."""


def parse(command: str) -> tuple[list[str], RunOptions]:
    """Read a command as the command line does."""
    found: list[tuple[list[str], RunOptions]] = []
    app = typer.Typer()

    @app.command()
    @take_run_options
    def run(*, targets: list[str], options: RunOptions, out: Path | None = typer.Option(None, "-o")) -> None:
        assert out == Path("somewhere/new")
        found.append((targets, options))

    words = shlex.split(command)
    assert words[0] == "bench"
    app(words[2:], standalone_mode=False)
    return found[0]


@pytest.mark.parametrize("name", FREE)
def test_write_command_asks_the_question_of_the_run(name: str) -> None:
    for plan in plan_runs(read_recipe(find_recipe(name)), {"model": "openai/gpt-4o", "limit": 3}):
        question = read_question(*parse(write_command(plan, Path("somewhere/new"))))
        assert difference(resolve_run(plan.config).config, question.config) == []


def test_plan_runs_takes_what_was_given_and_says_what_that_changes(recipe_file: Path) -> None:
    recipe = read_recipe(recipe_file)
    houses, talks = plan_runs(
        recipe, {"steps": 7, "model": "openai/x", "judge": "openai/y", "strategies": ["window:k=2"]}
    )
    assert houses.changes == ("steps: 0 -> 7",)
    assert (houses.config.strategies, houses.config.judge) == (("window:k=2",), "")
    assert (talks.config.model, talks.config.judge) == ("openai/x", "openai/y")


def test_plan_runs_lets_the_offline_player_judge_its_own_exercise(recipe_file: Path) -> None:
    recipe = read_recipe(recipe_file)
    assert [plan.config.judge for plan in plan_runs(recipe, {})] == ["", "offline/reader"]
    assert [plan.config.judge for plan in plan_runs(recipe, {"model": "openai/x"})] == ["", ""]


def test_plan_runs_refuses_a_strategy_that_the_recipe_does_not_play(recipe_file: Path) -> None:
    with pytest.raises(UsageError, match="expected a strategy of the recipe, got 'windo'; did you mean window:k=2"):
        plan_runs(read_recipe(recipe_file), {"strategies": ["windo"]})


def test_learning_options_reach_only_runs_that_learn() -> None:
    plans = {plan.name: plan for plan in plan_runs(read_recipe(find_recipe("horma/table3")), {"learn": {"tasks": 2}})}
    assert plans["alfworld"].config.learn is None
    learn = plans["skills-houses"].config.learn
    assert learn is not None
    assert (learn.tasks, learn.split) == (2, "valid_train")
    assert plans["skills-houses"].changes == ("learn tasks: 96 -> 2",)
    assert plans["alfworld"].changes == ()
    assert (plans["longmemeval"].artifacts_of, plans["longmemeval"].foreign) == ("skills-talks", True)
    assert (plans["locomo"].artifacts_of, plans["locomo"].foreign) == ("skills-talks", False)
    assert plans["skills-talks"].only_learns
