"""What gathering and learning took, shared out among the evaluated tasks."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from bench.report.build_costs import add_build_costs
from bench.report.items import prepare


def make_items(**columns: object) -> pd.DataFrame:
    fields = {"row.artifact": "a1", "row.build_gather_tokens": "300", "row.build_learn_tokens": "60"}
    key = {"run": "r", "suite": "toy", "split": "houses", "strategy": "expel", "model": "m", "seed": 0, "attempt": 1}
    rows = [{**key, "item": name, "fingerprint": json.dumps(fields)} for name in ("t1", "t2")]
    return pd.DataFrame.from_records(rows).assign(**columns)


def test_each_task_bears_its_share() -> None:
    found = add_build_costs(make_items(tokens_total=[10.0, 20.0]))
    assert list(found["tokens_build"]) == [180.0, 180.0]
    assert list(found["tokens_with_build"]) == [190.0, 200.0]


def test_row_without_any_score_yet_has_what_it_was_built_for() -> None:
    about = {"offline": True, "status": "planned", "end": None, "error": None, "group": "", "cluster": "c"}
    found = prepare(make_items(task=["t1", "t2"], scored=False, **about))
    assert list(found["tokens_build"]) == pytest.approx([180.0, 180.0])
    assert "tokens_total" not in found
    assert found["tokens_with_build"].isna().all()
