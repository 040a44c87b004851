"""Which published number stands for which of ours."""

from __future__ import annotations

from pathlib import Path

from bench.papers.catalog import load_numbers
from bench.papers.matching import Line, count_other_models, match
from bench.papers.recipe import Recipe
from bench.papers.recipe_file import read_recipe
from tests.papers.conftest import NUMBERS, write_numbers


def read(path: Path) -> tuple[Recipe, tuple[Line, ...]]:
    recipe = read_recipe(path)
    return recipe, match(recipe, load_numbers(recipe, path))


def test_match_keeps_the_order_of_the_table_and_explains_gaps(recipe_file: Path) -> None:
    _, lines = read(recipe_file)
    published = [line for line in lines if line.published]
    assert [line.published.value for line in published if line.published] == [90, 12.5, 40, 3, 50, 100, 80]
    ours = [line.cell.strategy.ours if line.cell else line.why for line in published]
    none = "the recipe has no entry for it"
    assert ours == ["full-history", *["window:k=2"] * 3, none, "nobody knows the future", "full-history"]


def test_match_adds_what_only_we_measure_once(recipe_file: Path) -> None:
    _, lines = read(recipe_file)
    keys = [line.cell.key for line in lines if line.cell]
    assert len(keys) == len(set(keys))
    alone = [
        (line.cell.run, line.cell.strategy.ours, line.cell.metric.name)
        for line in lines
        if not line.published and line.cell
    ]
    assert ("talks", "window:k=2", "success_rate") in alone
    assert ("houses", "full-history", "context_pct") not in alone  # a share of itself says nothing


def test_settings_of_a_variant_must_all_be_named(recipe_file: Path) -> None:
    write_numbers(recipe_file.parent / "mine.csv", (NUMBERS[1].replace("k=2", "k=2;seed=1"),))
    _, lines = read(recipe_file)
    assert lines[0].cell is None
    recipe_file.write_text(recipe_file.read_text().replace('variant = "k=2"', 'variant = "*"'))
    assert read(recipe_file)[1][0].cell is not None


def test_gap_comes_before_an_entry_that_fits(recipe_file: Path) -> None:
    gap = '{ strategy = "window", metric = "context_pct", why = "another window" }'
    recipe_file.write_text(recipe_file.read_text().replace("gaps = [", f"gaps = [{gap}, "))
    _, lines = read(recipe_file)
    assert [line.why for line in lines if line.published and line.published.metric == "context_pct"] == [
        "another window"
    ]
    assert all(line.cell is None for line in lines if line.why)


def test_models_leave_out_others_and_count_them(recipe_file: Path) -> None:
    recipe = read_recipe(recipe_file)
    numbers = load_numbers(recipe, recipe_file)
    chosen = recipe.model_copy(update={"models": ("gpt-9",)})
    assert [line for line in match(chosen, numbers) if line.published] == []
    assert (count_other_models(chosen, numbers), count_other_models(recipe, numbers)) == (7, 0)
    talks = match(recipe.model_copy(update={"benchmarks": ("toy_talk",)}), numbers)
    assert [line.published for line in talks if line.published] == [numbers[6]]
