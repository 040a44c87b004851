"""A product, and the products of the released table. Knows no prompt and no command."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from dataclasses import astuple, dataclass
from pathlib import Path

from adapters.sop_bench.data import PRODUCTS, read_text
from bench.errors import DataError

__all__ = ["CLASSES", "COLUMNS", "UNDECIDED", "Product", "is_sound_id", "read_products"]

UNDECIDED = "Unable to Decide"
CLASSES = (*(f"Hazard Class {letter}" for letter in "ABCD"), UNDECIDED)
COLUMNS = {
    "sds_label_text": "sds_label_score",
    "handling_and_storage_guidelines": "handling_score",
    "transportation_requirements": "transportation_score",
    "disposal_guidelines": "disposal_score",
}
"""The column of each text, and that of the score that a tool gives for it."""
_SOUND_ID = re.compile(r"P_[0-9]{5}")


def is_sound_id(product_id: str) -> bool:
    """True for the form that the procedure asks for: ``P_`` and five digits."""
    return _SOUND_ID.fullmatch(product_id) is not None


@dataclass(frozen=True, slots=True)
class Product:
    """One row: what an agent is shown, what its tools return, and the reference answer."""

    id: str
    texts: tuple[str, ...]
    """In the order of ``COLUMNS``."""
    scores: tuple[int | None, ...]
    """The same order; None where the table has no score, so that the tool fails."""
    hazard_class: str

    @property
    def kind(self) -> str:
        """What makes the product simple or hard to decide; the group of its task."""
        if not is_sound_id(self.id):
            return "invalid id"
        missing = sum(not score for score in self.scores)
        return ("all scores", "one missing", "two missing", "more missing")[min(missing, 3)]

    @property
    def digest(self) -> str:
        """SHA-256 of the row."""
        return hashlib.sha256(json.dumps(astuple(self)).encode()).hexdigest()

    @property
    def twins(self) -> str:
        """A short digest of the four texts: what products with the same texts have in common."""
        return hashlib.sha256(json.dumps(self.texts).encode()).hexdigest()[:12]


def read_products(data_root: Path) -> tuple[Product, ...]:
    """Return the products of the released table, sorted by id.

    Raises: DataError for a file that is missing, lacks a column, or holds a score or class that cannot be.
    """
    text, path = read_text(data_root, PRODUCTS), data_root / PRODUCTS
    try:
        rows = [_read_row(row) for row in csv.DictReader(text.splitlines())]
    except (KeyError, ValueError, AttributeError) as cause:
        raise DataError(
            f"sop-bench: expected the columns and classes of the released table in {path}, got {cause}; "
            "fetch it with: bench data get sop-bench"
        ) from cause
    if len({row.id for row in rows}) < len(rows) or not rows:
        raise DataError(f"sop-bench: expected rows with an id of their own in {path}, got none, or an id twice")
    return tuple(sorted(rows, key=lambda row: row.id))


def _read_row(row: dict[str, str]) -> Product:
    if row["hazard_class"] not in CLASSES:
        raise ValueError(f"the class {row['hazard_class']!r}")
    scores = tuple(int(float(row[name])) if row[name].strip() else None for name in COLUMNS.values())
    return Product(row["product_id"], tuple(row[name] for name in COLUMNS), scores, row["hazard_class"])
