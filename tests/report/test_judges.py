"""Judges side by side: rates, gaps, agreement, and who changes places."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from bench.report.judges import Judged, compare_judges, render_judges

BLOCK = {"suite": "talks", "split": "test", "model": "m"}


def items(verdicts: dict[str, list[float | None]]) -> pd.DataFrame:
    rows = [
        {**BLOCK, "strategy": name, "task": f"t{n // 2}", "seed": 0, "item": f"q{n}", "cluster": f"t{n // 2}"}
        | {"judge_accuracy": value}
        for name, values in verdicts.items()
        for n, value in enumerate(values)
    ]
    return pd.DataFrame(rows)


STRICT = Judged("strict", False, items({"a": [1, 1, 1, 0], "b": [1, 0, 0, 0]}))
MILD = Judged("offline/mild", True, items({"a": [1, 1, 0, None], "b": [1, 1, 1, 1]}))


def test_answer_without_a_verdict_is_in_no_rate() -> None:
    rows = {(row.strategy, row.judge): row for row in compare_judges([STRICT, MILD]).rows}
    assert rows["a", "strict"].accuracy == 0.75
    assert (rows["a", "offline/mild"].n, rows["a", "offline/mild"].unscored) == (3, 1)
    assert rows["a", "offline/mild"].accuracy == pytest.approx(2 / 3)
    interval = rows["b", "offline/mild"].interval
    assert interval is not None
    assert interval.low < 1.0


def test_answer_that_a_lone_judge_gave_no_verdict_on_is_unscored() -> None:
    failed = frozenset({("talks", "test", "m", "a", "t1", 0, "q3")})
    found = compare_judges([Judged("shy", False, items({"a": [1, 1, 0, None]}), failed)])
    assert [(row.n, row.unscored) for row in found.rows] == [(3, 1)]
    assert not found.pairs


def test_strategies_that_change_places_are_named() -> None:
    pair = compare_judges([STRICT, MILD]).pairs[0]
    assert pair.swaps == (("a", "b"),)
    assert pair.tau_b == -1
    assert pair.agreement is not None
    assert (pair.agreement.n, pair.agreement.raw) == (7, pytest.approx(3 / 7))
    text = render_judges(compare_judges([STRICT, MILD]), "md")
    assert "Only strict puts a above b: offline/mild sees it the other way round." in text
    assert "offline/mild, rule-based" in text


def test_adversarial_questions_count_for_agreement_alone() -> None:
    strict, mild = (
        one.items.assign(judge_adversarial=[None, None, None, 1.0] * 2, judge_accuracy=[1.0, 1.0, 1.0, None] * 2)
        for one in (STRICT, MILD)
    )
    found = compare_judges([Judged("x", False, strict), Judged("y", False, mild)])
    assert {row.n for row in found.rows} == {3}
    assert found.pairs[0].agreement is not None
    assert found.pairs[0].agreement.n == 8
    assert found.pairs[0].agreement.kappa is None


def test_judges_of_different_answers_have_no_agreement() -> None:
    other = Judged("late", False, items({"c": [1, 0]}))
    pair = compare_judges([STRICT, other]).pairs[0]
    assert pair.agreement is None
    assert pair.tau_b is None
    text = render_judges(compare_judges([STRICT, other]), "json")
    assert json.loads(text)["pairs"][0]["agreement"] is None
    assert "–" in render_judges(compare_judges([STRICT, other]), "rich")
