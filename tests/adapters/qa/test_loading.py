"""Rows become questions with accepted answers and evidence; what does not fit is one line."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from adapters.qa.loading import load, simplify
from adapters.qa.mapping import Columns, choose_columns, read_value
from adapters.qa.suite import SUITE
from bench.errors import DataError, UsageError
from bench.protocols import Params

TURNS = [{"id": "a", "text": "Ann came.", "gold": True}, {"id": "b", "text": "Ben left.", "gold": False}]


def row(**more: Any) -> dict[str, Any]:
    return {"question": "Who came?", "answer": "Ann", "context": TURNS, **more}


@pytest.mark.parametrize(
    ("answer", "accepted"),
    [
        ("Ann", ("Ann",)), (["Ann", "ann", "Ann"], ("Ann", "ann")), (3, ("3",)), (True, ("yes", "true")),
        (None, ()), ("", ()), ([], ()),
    ],
)  # fmt: skip
def test_load_takes_one_answer_or_several_or_none(answer: Any, accepted: tuple[str, ...]) -> None:
    (asked,) = load([row(answer=answer)], Columns(), "t").questions
    assert (asked.id, asked.text, asked.accepted) == ("t/0000", "Who came?", accepted)
    assert asked.group == ("question" if accepted else "unanswerable")


def test_load_takes_several_questions_from_a_list_column() -> None:
    qa = [{"q": "Who came?", "a": ["Ann", "Anna"], "kind": "one"}, {"q": "Who left?", "a": "Ben", "kind": "two"}]
    columns = Columns(question="qa.q", answer="qa.a", group="qa.kind", date="day")
    asked = load([row(qa=qa, day="3 May"), row(qa=qa[:1], day="4 May")], columns, "t").questions
    assert [(one.id, one.accepted, one.group, one.time) for one in asked] == [
        ("t/0000", ("Ann", "Anna"), "one", "3 May"), ("t/0001", ("Ben",), "two", "3 May"),
        ("t/0002", ("Ann", "Anna"), "one", "4 May"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("evidence", "column", "refs"),
    [
        ([1], "needs", ("D1:2",)), (0, "needs", ("D1:1",)), (["b", "a"], "needs", ("D1:1", "D1:2")),
        ("Ben left", "needs", ("D1:2",)), ("D1:2", "needs", ("D1:2",)), ([9, "nowhere", None], "needs", ()),
        (None, "@gold", ("D1:1",)), (None, "@silver", ()),
    ],
)  # fmt: skip
def test_load_finds_evidence_by_number_id_text_or_mark(evidence: Any, column: str, refs: tuple[str, ...]) -> None:
    (asked,) = load([row(needs=evidence)], Columns(evidence=column), "t").questions
    assert asked.evidence == refs


def test_load_numbers_questions_so_that_their_ids_stay_in_order() -> None:
    loaded = load([row(n="z"), row(n=7), row(n=None)], Columns(id="n"), "t")
    assert [one.id for one in loaded.questions] == ["t/0000-z", "t/0001-7", "t/0002"]


def test_load_of_rows_that_share_a_context_takes_it_from_any() -> None:
    loaded = load([row(context=None), row(), row(context="")], Columns(), "t")
    assert [turn.ref for turn in loaded.turns] == ["D1:1", "D1:2"]
    assert len(loaded.questions) == 3


def test_lacks_answer_reads_a_mark_or_a_text() -> None:
    for column, value in (("bad", True), ("bad", "true"), ("name~_abs", "q7_abs")):
        top = column.partition("~")[0]
        (asked,) = load([row(**{top: value})], Columns(unanswerable=column), "t").questions
        assert asked.accepted == ()
        assert asked.evidence == ()
    assert not Columns(unanswerable="name~_abs").lacks_answer({"name": "q7"})


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        ([row(context="x"), row(context="y")], Columns(), "expected the rows of t to have one context, got 2"),
        ([row(context="")], Columns(), "expected the rows of t to have one context, got 0"),
        ([row(question="")], Columns(), "expected t/0000 to have a question that is not empty, got ''"),
        ([row(answer={"text": "Ann"})], Columns(), "as answer, got a record with text"),
        ([row(answer=[["Ann"]])], Columns(), "as answer, got a list in a list"),
        ([row(question=["a", "b"], answer=["a"])], Columns(), "expected t to have 2 of answer, one a question, got 1"),
        ([row(question=["a", "b"])], Columns(), "expected t to have 2 of answer, one a question, got 'Ann'"),
        ([row(question=[], answer=[])], Columns(), "expected a question about t, got none"),
        ([row(answer={"txt": 1})], Columns(answer="answer.text"), "expected 'text' below 'answer.text', got a record"),
        ([row()], Columns(answer="answer.text"), "expected 'text' below 'answer.text', got str"),
    ],
)
def test_load_of_rows_that_do_not_fit_is_one_line(rows: list[dict[str, Any]], columns: Columns, message: str) -> None:
    with pytest.raises(DataError) as caught:
        load(rows, columns, "t")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_check_names_the_columns_that_are_there_and_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        Columns(answer="answers.text").check("f.csv", ("question", "answer", "context"))
    assert str(caught.value) == (
        "qa: expected a column 'answers.text' for answer in f.csv, got question, answer, context; "
        "did you mean answer=answer?"
    )
    Columns(answer="a.b.c").check("f.csv", ("question", "a.b", "context"))
    assert read_value({"a.b": {"c": 7}}, "a.b.c") == 7


def test_choose_columns_lets_a_given_one_replace_that_of_a_preset() -> None:
    columns = choose_columns(Params(SUITE.params, {"preset": "squad", "id": "key"}))
    assert (columns.answer, columns.id, columns.context) == ("answers.text", "key", "context")
    assert choose_columns(Params(SUITE.params)) == Columns()


def test_simplify_gives_the_same_for_every_kind_of_file() -> None:
    assert simplify({"a": (1, None), "b": None, "c": datetime(2024, 1, 2, 3)}) == {"a": [1, None], "c": "2024-01-02"}
