"""Attempts at a task, folded into one line of it."""

from __future__ import annotations

import json

import pandas as pd

from bench.report.items import prepare


def test_run_without_any_score_yet_folds_into_tasks_that_are_unknown() -> None:
    key = {
        "run": "r",
        "suite": "toy",
        "split": "houses",
        "strategy": "reflexion",
        "model": "m",
        "task": "t1",
        "seed": 0,
    }
    more = {"item": "t1", "scored": False, "fingerprint": json.dumps({"row.attempts": "2"})}
    more |= {"offline": True, "status": "planned", "end": None, "error": None, "group": "", "cluster": "t1"}
    found = prepare(pd.DataFrame.from_records([{**key, **more, "attempt": attempt} for attempt in (1, 2)]))
    assert not {"success", "tokens_total"} & {*found}
    assert list(found["attempt"]) == [1]
    assert found["success_at_n"].isna().all()
    assert found["tokens_at_n"].isna().all()
