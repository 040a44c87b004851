"""The recipes that come with this project, by name (``hiagent/table1``), and those of a user, by path."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from bench.errors import UsageError, unknown_name
from bench.papers.numbers import Published, find_folder, read_numbers
from bench.papers.recipe import Recipe

__all__ = ["find_recipe", "list_recipes", "load_numbers"]

_SUFFIX = ".toml"


@cache
def list_recipes() -> Mapping[str, Path]:
    """Return the files of the recipes by name, sorted."""
    root = Path(str(files("bench.papers"))) / "recipes"
    found = {path.relative_to(root).with_suffix("").as_posix(): path for path in root.rglob(f"*{_SUFFIX}")}
    return dict(sorted(found.items()))


def find_recipe(text: str) -> Path:
    """Return the file of a recipe: a name of this project's, or a path. Raises: UsageError with the nearest names."""
    if text.endswith(_SUFFIX):
        return Path(text)
    known = list_recipes()
    if text in known:
        return known[text]
    if of_paper := [name for name in known if name.startswith(f"{text}/")]:
        raise UsageError(f"reproduce: expected a table of the paper, got {text!r} alone; it has {', '.join(of_paper)}")
    raise unknown_name("reproduce", "a table of `bench list papers` or a recipe.toml", text, known)


def load_numbers(recipe: Recipe, path: Path) -> tuple[Published, ...]:
    """Return the numbers of the recipe that was read from ``path``: those of its own CSV, or of this project.

    Raises: UsageError.
    """
    if recipe.numbers:
        return read_numbers(path.parent / recipe.numbers)
    shipped = {file.stem: file for file in sorted(find_folder().glob("*.csv")) if file.stem != "papers"}
    if recipe.paper not in shipped:
        raise unknown_name(str(path), "a paper with published numbers, or numbers of its own", recipe.paper, shipped)
    return read_numbers(shipped[recipe.paper])
