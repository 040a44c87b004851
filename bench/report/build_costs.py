"""What an artifact took, shared out among the tasks that it was evaluated on: the price of learning in a table's units.

Knows the data frame of items and the fields of a fingerprint that hold the totals; averages nothing.
"""

from __future__ import annotations

import json

import pandas as pd

__all__ = ["add_build_costs"]

_ROW = ["run", "suite", "split", "strategy", "model"]
_TOTALS = {
    "tokens_gather": "row.build_gather_tokens",
    "tokens_learn": "row.build_learn_tokens",
    "build_cost_usd": "row.build_cost_usd",
}
"""Columns, and the fields with the totals that they are shares of."""


def add_build_costs(items: pd.DataFrame) -> pd.DataFrame:
    """Return the items with their share of what the artifact of their row took; unchanged where nothing was learned.

    Every planned item of a row bears the same share. What is unknown (NaN) stays unknown in the sums.
    """
    learned = items["fingerprint"].astype(str).str.contains('"row.artifact"', regex=False)
    if not learned.any():
        return items
    items = items.copy()
    size = items.groupby(_ROW)["item"].transform("size").astype(float)
    fields = {text: json.loads(text) for text in items.loc[learned, "fingerprint"].astype(str).unique()}
    for column, field in _TOTALS.items():
        totals = items.loc[learned, "fingerprint"].map(lambda text, of=field: _read(fields[text].get(of)))
        items.loc[learned, column] = totals.astype(float) / size[learned]
    items["tokens_build"] = (items["tokens_gather"] + items["tokens_learn"]).where(learned, 0.0)
    items["tokens_with_build"] = items["tokens_total"].astype(float) + items["tokens_build"]
    return items


def _read(value: str | None) -> float:
    return float("nan") if value in (None, "unknown") else float(str(value))
