"""What has to be known to read a comparison: whose numbers, which models, where the protocols differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.papers.comparing import Beside
from bench.papers.numbers import read_papers
from bench.papers.planning import PlannedRun
from bench.papers.recipe import Recipe
from bench.report.role_models import RULE_BASED, is_rule_based

__all__ = ["Notes", "write_notes"]

_READING = (
    "difference: measured minus published, in points for percentages; [95 % interval over tasks, or conversations]. "
    "Published numbers are shown as printed and are never ranked with measured ones."
)
_DRY = (
    f"{RULE_BASED}: no language model played, so this is a dry exercise: it shows how the table is made, and says "
    "nothing about the paper."
)


@dataclass(frozen=True, slots=True)
class Notes:
    """The sentences below a comparison."""

    texts: tuple[str, ...]
    offline: bool


def write_notes(recipe: Recipe, plans: Sequence[PlannedRun], lines: Sequence[Beside], left_out: int) -> Notes:
    """Return the notes of a comparison. ``left_out``: numbers of models that the recipe leaves out."""
    models = sorted({one.measured.model for one in lines if one.measured.model})
    judges = sorted({plan.config.judge for plan in plans if plan.config.judge})
    offline = any(map(is_rule_based, (*models, *judges)))
    texts = [_DRY] if offline else []
    texts.append(_READING)
    texts.append(_describe_source(recipe, lines))
    texts.append(_describe_models(recipe, models, judges))
    if left_out:
        texts.append(f"{left_out} more numbers of these tables are of other models and left out here.")
    for plan in plans:
        if plan.changes:
            texts.append(f"Changed of the paper's protocol, run {plan.name}: {'; '.join(plan.changes)}.")
    texts += [f"Not here: {one}" for one in recipe.absent]
    texts += [f"Differs: {one}" for one in recipe.differences]
    return Notes(tuple(texts), offline)


def _describe_source(recipe: Recipe, lines: Sequence[Beside]) -> str:
    paper = read_papers().get(recipe.paper)
    tables = ", ".join(recipe.tables)
    kinds = sorted({one.line.published.source_kind for one in lines if one.line.published})
    from_where = f", read from: {', '.join(kinds).replace('_', ' ')}" if kinds else "; none of its values is known"
    return f"Published: {paper.source if paper else recipe.paper}, {tables}{from_where}."


def _describe_models(recipe: Recipe, models: Sequence[str], judges: Sequence[str]) -> str:
    theirs = recipe.model or "not stated"
    text = f"Model of the paper: {theirs}; measured with {', '.join(models) or 'none'}."
    if recipe.judge or judges:
        text += f" Judge of the paper: {recipe.judge or 'none'}; measured with {', '.join(judges) or 'none'}."
    return text
