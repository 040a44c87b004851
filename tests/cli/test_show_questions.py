"""``bench show`` on a conversation: one question by its name, what it was worth, means and not the first of many."""

from __future__ import annotations

import re
from typing import Any

import pytest


@pytest.fixture
def ran(bench: Any) -> Any:
    rows = ("-s", "full-history,window:k=2", "--judge", "offline/reader")
    assert bench("run", "toy-talk:talks=2", *rows, "-o", "r").code == 0
    return bench


def test_show_prints_one_question_with_its_scores(ran: Any) -> None:
    listed = ran("show", "r", "full-history@talk-00").out
    names = [line.split()[0] for line in listed.splitlines() if "success 1" in line and "/" in line.split()[0]]
    assert len(names) == 6
    one = ran("show", "r", f"full-history@{names[3]}")
    assert one.code == 0
    assert names[3] in one.out
    assert names[2] not in one.out
    assert "judge_accuracy" in one.out
    assert "context, " in ran("show", "r", f"full-history@{names[3]}", "--context").out


def test_a_conversation_shows_means_of_its_questions(ran: Any) -> None:
    told = ran("show", "r", "window:k=2@talk-00").out
    assert "means of 6 questions" in told
    assert "success 1 " not in told.splitlines()[1]
    assert len([line for line in ran("show", "r").out.splitlines() if "talk-0" in line]) == 4


def test_question_says_in_one_line_what_it_needed_and_what_failed(ran: Any) -> None:
    lines = [line.strip() for line in ran("show", "r", "window:k=2@talk-00").out.splitlines()]
    told = [line for line in lines if line.startswith("needs ")]
    assert any(re.fullmatch(r"needs D\d:\d; out of reach D\d:\d; error: construction", line) for line in told)
    full = ran("show", "r", "full-history@talk-00").out
    assert "all recalled" in full
    assert "error:" not in full


def test_errors_prints_the_causes_and_draws_them(ran: Any) -> None:
    done = ran("errors", "r", "-o", "e.svg")
    assert done.code == 0
    assert "errors: drawn in e.svg" in done.err
    line = next(line.split() for line in done.out.splitlines() if line.startswith("window:k=2"))
    assert float(line[3]) == pytest.approx(100 - float(line[2]), abs=0.2)
    assert ran("errors", "r", "-o", "e.gif").code == 2


def test_errors_of_a_run_without_evidence_is_wrong_usage(bench: Any) -> None:
    assert bench("run", "toy", "-s", "window:k=2", "--limit", "1", "-o", "t").code == 0
    done = bench("errors", "t")
    assert done.code == 2
    assert "expected runs whose questions or decisions have evidence" in done.err


def test_a_step_that_is_not_there_is_wrong_usage(ran: Any) -> None:
    done = ran("show", "r", "full-history@talk-00", "--step", "99")
    assert done.code == 2
    assert "expected a step from 1 to 6, got 99" in done.err


def test_budgets_have_a_column_where_there_are_any(bench: Any, ran: Any) -> None:
    assert "budget" not in ran("table", "r", "--format", "md").out.splitlines()[2]
    assert bench("run", "toy-talk:talks=2", "-s", "bm25", "--budget-tokens", "40", "-o", "b").code == 0
    told = bench("table", "b", "--format", "md").out
    assert "| budget |" in told
    assert "- budget: the most tokens a context was allowed" in told


def test_one_conversation_is_compared_with_a_warning_and_tabled_without_a_p(bench: Any) -> None:
    assert bench("run", "toy-talk:talks=1", "-s", "full-history,window:k=2", "-o", "one").code == 0
    assert "All of it is one conversation" in bench("compare", "one", "window:k=2", "full-history").out
    assert "| p |" not in bench("table", "one", "--format", "md").out


def test_shares_are_compared_in_points(ran: Any) -> None:
    told = ran("compare", "r", "window:k=2", "full-history", "--metric", "evidence_recall").out
    assert "points" in told
    assert "%" in told


def test_a_trial_that_never_took_a_step_is_shown_with_its_error(bench: Any) -> None:
    assert bench("run", "toy-talk:talks=1", "-s", "full-history", "--budget-tokens", "1", "-o", "none").code == 1
    done = bench("show", "none", "full-history@talk-00")
    assert done.code == 0
    assert "strategy-error" in done.out
