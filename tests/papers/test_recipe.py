"""Recipes: those of this project, and what one of one's own may get wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.errors import UsageError
from bench.papers.catalog import find_recipe, list_recipes, load_numbers
from bench.papers.matching import match
from bench.papers.numbers import read_papers
from bench.papers.planning import plan_runs
from bench.papers.recipe_file import read_recipe

ASKED = (
    *(f"hiagent/{name}" for name in ("table1", "table2", "table3", "figure3", "figure4", "wilcoxon")),
    *("h2r/table1", "h2r/table2"),
    *(f"horma/{name}" for name in ("table1", "table2", "table3", "figure2", "figure3")),
    *("generic-agent/locomo", "generic-agent/dangerous-goods", "expel/alfworld", "react/alfworld"),
    *("reflexion/alfworld", "mem0/locomo", "a-mem/locomo", "longmemeval/oracle", "longmemeval/s", "longmemeval/m"),
)


def test_list_recipes_has_every_table() -> None:
    assert sorted(ASKED) == list(list_recipes())


@pytest.mark.parametrize("name", ASKED)
def test_recipe_resolves_and_explains_every_number(name: str) -> None:
    path = find_recipe(name)
    recipe = read_recipe(path)
    assert recipe.paper in read_papers()
    lines = match(recipe, load_numbers(recipe, path))
    assert lines
    # Whatever is not measured has a reason of the recipe's own.
    assert [line for line in lines if line.published and not line.cell and "no entry" in line.why] == []
    tables = {line.published.table for line in lines if line.published}
    assert tables == set(recipe.tables) or not tables or name.startswith(("longmemeval", "horma/figure", "react"))
    assert plan_runs(recipe, {})


def test_find_recipe_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="got 'hiagent/tabel1'; did you mean hiagent/table1"):
        find_recipe("hiagent/tabel1")
    with pytest.raises(UsageError, match="got 'h2r' alone; it has h2r/table1, h2r/table2"):
        find_recipe("h2r")
    with pytest.raises(UsageError, match=r"expected a table of `bench list papers` or a recipe\.toml, got ''"):
        find_recipe("")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('ours = "window:k=2" }', 'ours = "windw" }', "expected a strategy of the recipe's runs, got 'windw'"),
        ('strategies = ["full-history", "window:k=2"]', 'strategies = ["windw"]', "got 'windw'; did you mean window?"),
        ('title = "', '# "', "expected a recipe with title, got none; write it as docs/papers.md says"),
        ("[[runs]]", "[[runes]]", "expected a recipe with runs, got none"),
        ('model = "gpt-0"', 'modle = "gpt-0"', "expected a known field, got 'modle'; did you mean model or models?"),
        ('ours = "steps"', 'ours = "stepps"', "expected a metric of docs/metrics.md, got 'stepps'"),
        ('run = "talks"', 'run = "tales"', "expected a run of the recipe, got 'tales'; did you mean talks?"),
        ('name = "talks"', 'name = "houses"', "expected runs with names of their own, got houses, houses"),
        ('name = "talks"', 'name = "../up"', "expected runs.1.name to be valid, got '../up'"),
        ('suites = ["toy:houses=4"]', "steps = -1", "run houses: expected"),
        (', statistic = "relative"', "", "expected strategies to compare with (against) beside a statistic other than"),
        ('subset = "all", run = "talks"', 'subset = "all"', "expected every strategy or every subset to name its run"),
        ('name = "talks"', 'name = "talks"\nartifacts_of = "later"', "expected an earlier run for artifacts_of"),
        ("[[runs]]", "[[runs]", "expected TOML, got a file that is not"),
        ('differences = ["the paper has larger houses"]', "differences = []", "expected differences to be valid"),
    ],
)  # fmt: skip
def test_read_recipe_says_in_one_line_what_does_not_fit(old: str, new: str, said: str, recipe_file: Path) -> None:
    text = recipe_file.read_text()
    assert old in text
    recipe_file.write_text(text.replace(old, new))
    with pytest.raises(UsageError) as refused:
        read_recipe(recipe_file)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_read_recipe_refuses_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected a TOML file, got nothing there"):
        read_recipe(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="expected TOML, got a file that is not"):
        read_recipe(tmp_path / "bytes.toml")


def test_load_numbers_of_an_unknown_paper_names_the_nearest(recipe_file: Path) -> None:
    recipe = read_recipe(recipe_file)
    unknown = recipe.model_copy(update={"numbers": "", "paper": "hiagnt"})
    with pytest.raises(UsageError, match="got 'hiagnt'; did you mean hiagent"):
        load_numbers(unknown, recipe_file)
    with pytest.raises(UsageError, match="got nothing there"):
        load_numbers(recipe.model_copy(update={"numbers": "gone.csv"}), recipe_file)
