"""Generated products: seeded texts and scores, decided by the letter of the procedure.

Forty products, so that every rule is needed often: all scores, one, two or three missing, an invalid id. The class
limits are those of the text ``condensed-limits``.
"""

from __future__ import annotations

import random
from functools import cache

from adapters.sop_bench.products import UNDECIDED, Product, is_sound_id

__all__ = ["decide", "generate_products"]

_COUNT = 40
_LIMITS = ((7, "A"), (12, "B"), (16, "C"), (20, "D"))
_WORDS = (
    ("Harmless", "Slightly irritating", "Irritating", "Corrosive", "Highly toxic"),
    ("Open shelf", "Dry shelf", "Ventilated room", "Locked cabinet", "Guarded bunker"),
    ("No conditions", "Upright only", "Padded crate", "Escorted truck", "Armoured convoy"),
    ("Household bin", "Recycling point", "Collection point", "Special plant", "Sealed deposit"),
)
"""For each text, in the order of ``COLUMNS``, what a score of 1 to 5 is called."""
_THINGS = ("powder", "paste", "liquid", "gas", "granules", "resin")


def decide(product_id: str, scores: tuple[int | None, ...]) -> str:
    """Return the class that the procedure's text gives: more than two scores that are missing or 0 are too many."""
    missing = sum(not score for score in scores)
    if missing > 2 or not is_sound_id(product_id):
        return UNDECIDED
    top = max(score or 0 for score in scores)
    total = sum(score or top for score in scores)
    return next(f"Hazard Class {letter}" for limit, letter in _LIMITS if total <= limit)


@cache
def generate_products() -> tuple[Product, ...]:
    """Return the products, sorted by id; equal on every machine."""
    return tuple(sorted((_make(number) for number in range(_COUNT)), key=lambda product: product.id))


def _make(number: int) -> Product:
    rng = random.Random(f"sop-bench-v1/{number}")
    centre = 1 + number % 5
    levels = [min(5, max(1, centre + rng.choice((-1, 0, 0, 1)))) for _ in _WORDS]
    thing = rng.choice(_THINGS)
    texts = tuple(f"{words[level - 1]} {thing}" for words, level in zip(_WORDS, levels, strict=True))
    scores: list[int | None] = [*levels]
    missing = (0, 0, 1, 2, 0, 1, 0, 3)[number % 8]
    for place in rng.sample(range(4), missing):
        scores[place] = rng.choice((0, None))
    code = f"{20_000 + 7 * number}"
    product_id = rng.choice((f"PX_{code}", f"P_{code}7", f"Item-{code}")) if number % 8 == 4 else f"P_{code}"
    return Product(product_id, texts, tuple(scores), decide(product_id, tuple(scores)))
