"""Our retrieval measures against figures recorded from LongMemEval's own code, on rankings made at random.

One known deviation: where nothing is needed the original says recall_all 1 and the others 0; we leave such a question
unscored (``bench.scoring.evidence``).
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

import pytest

from bench.scoring.evidence import ndcg, ndcg_official, recall_all, recall_any, score_evidence
from bench.types import Context

FILE = Path(__file__).parent / "longmemeval_retrieval.csv"
CASES = list(csv.DictReader(FILE.read_text(encoding="utf-8").splitlines()))
NEEDED = [case for case in CASES if case["correct"]]


def split(case: Mapping[str, str]) -> tuple[list[str], list[str], int]:
    return case["ranking"].split(), case["correct"].split(), int(case["k"])


def test_there_is_something_to_compare() -> None:
    assert len(NEEDED) >= 100
    assert {case["k"] for case in NEEDED} == {"1", "3", "5", "10", "30", "50"}
    assert {case["recall_all"] for case in NEEDED} == {case["recall_any"] for case in NEEDED} == {"0.0", "1.0"}


@pytest.mark.parametrize("k", sorted({int(case["k"]) for case in NEEDED}))
def test_recall_and_ndcg_are_the_original_s(k: int) -> None:
    for case in (case for case in NEEDED if int(case["k"]) == k):
        ranking, needed, _ = split(case)
        assert recall_any(ranking[:k], needed) == float(case["recall_any"])
        assert recall_all(ranking[:k], needed) == float(case["recall_all"])
        assert ndcg_official(ranking, needed, k) == pytest.approx(float(case["ndcg_any"]), abs=1e-12)


def test_the_standard_ndcg_is_another_number() -> None:
    differ = [c for c in NEEDED if abs(ndcg(*split(c)) - float(c["ndcg_any"])) > 1e-6]
    assert len(differ) > len(NEEDED) / 10


def test_where_nothing_is_needed_we_count_and_the_original_averages() -> None:
    for case in (case for case in CASES if not case["correct"]):
        assert (case["recall_any"], case["recall_all"]) == ("0.0", "1.0")
        ranking, needed, _ = split(case)
        scores = score_evidence(Context(ranking=tuple(ranking)), needed, {})
        assert all(s.value is None for s in scores if s.name.startswith(("turn_", "session_")))
