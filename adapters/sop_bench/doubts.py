"""Products of the released table whose label contradicts the procedure, listed in ``doubtful.txt``.

The list has digests only, no text of the data. A product is known by the digest of its row: of another row nothing is
known. Knows no score: callers decide whether such products count.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from adapters.sop_bench.products import Product

__all__ = ["find_doubtful"]


@cache
def _load() -> frozenset[str]:
    lines = (Path(__file__).parent / "doubtful.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(line.split()[0] for line in lines if line and not line.startswith("#"))


def find_doubtful(products: Iterable[Product]) -> tuple[Product, ...]:
    """Return the products whose label the procedure's text contradicts."""
    return tuple(product for product in products if product.digest[:16] in _load())
