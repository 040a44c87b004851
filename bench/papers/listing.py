"""What ``bench list papers`` lists: each recipe with how many published numbers it has, how many of these are measured
and why the others are not."""

from __future__ import annotations

from bench.papers.catalog import list_recipes, load_numbers
from bench.papers.comparing import count_by_reason
from bench.papers.matching import match
from bench.papers.recipe_file import read_recipe

__all__ = ["list_papers"]


def list_papers() -> list[dict[str, object]]:
    """Return a record for each recipe of this project, by name."""
    records: list[dict[str, object]] = []
    for name, path in list_recipes().items():
        recipe = read_recipe(path)
        lines = match(recipe, load_numbers(recipe, path))
        published = [line for line in lines if line.published is not None]
        measured = sum(line.cell is not None for line in published)
        reasons = [f"{why} ({count})" for why, count in count_by_reason(lines).items()]
        if not published:
            reasons = ["no value of it is published: measured alone"]
        complete = measured == len(published) and not recipe.absent
        records.append(
            {
                "table": name,
                "title": recipe.title,
                "model": recipe.model,
                "judge": recipe.judge,
                "suites": sorted({label for run in recipe.runs for label in run.configure().suites}),
                "numbers": len(published),
                "measured": measured,
                "runnable": "yes" if complete else "in part" if measured or not published else "no counterpart",
                "not_measured": "; ".join((*recipe.absent, *reasons)),
            }
        )
    return records
