"""The room that a context has, and the choice of what fits it, the best first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from bench.protocols import Kit

__all__ = ["find_room", "select_fitting"]

T = TypeVar("T")


def find_room(kit: Kit) -> int:
    """Return the tokens that a context may have: the run's budget, or the parameter ``tokens`` where it sets none."""
    return kit.params.integer("tokens") if kit.budget.tokens is None else kit.budget.tokens


def select_fitting(
    ranking: Iterable[T], budget_tokens: int | None, render: Callable[[Sequence[T]], str], count: Callable[[str], int]
) -> list[T]:
    """Return the items that fit together, in the order of the ranking; one that does not fit is passed over.

    ``render`` gives the text of some items, ``count`` its tokens; no budget means that everything fits.
    """
    chosen: list[T] = []
    for item in ranking:
        # Whole texts are counted: a tokenizer may merge over a line break, so counts of lines do not add up.
        if budget_tokens is None or count(render([*chosen, item])) <= budget_tokens:
            chosen.append(item)
    return chosen
