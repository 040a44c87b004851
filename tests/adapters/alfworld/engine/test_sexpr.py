from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.alfworld.engine.sexpr import Sexpr, items, read, show, word
from bench.errors import DataError

WORDS = st.text("abz09-_@:", min_size=1, max_size=5)
LISTS = st.recursive(WORDS, lambda inner: st.lists(inner, max_size=4), max_leaves=20).filter(
    lambda x: isinstance(x, list)
)


def text(expression: Sexpr) -> str:
    return expression if isinstance(expression, str) else "(" + " ".join(text(part) for part in expression) + ")"


@given(LISTS)
def test_read_inverts_show(expression: list[Sexpr]) -> None:
    assert read(text(expression), "t") == expression


@given(LISTS, st.integers(0, 200))
def test_read_rejects_truncated_text(expression: list[Sexpr], at: int) -> None:
    whole = text(expression)
    if at < len(whole) - 1:
        with pytest.raises(DataError, match=r"^t: expected"):
            read(whole[: at + 1].rstrip(")") or "x", "t")


def test_read_handles_comments_case_and_question_marks() -> None:
    assert read("(AND ; (not this)\n (p ?x?y)) ; é", "t") == ["and", ["p", "?x", "?y"]]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", r"'\(' first, got 'nothing'"),
        ("a (b)", r"'\(' first, got 'a'"),
        ("(a (b)", r"1 more '\)', got the end"),
        ("(a) b", "the end after"),
        ("(é)", "plain ASCII"),
    ],
)
def test_read_names_text_that_is_not_one_expression(source: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(source, "t")


def test_word_and_items_reject_each_other() -> None:
    with pytest.raises(DataError, match=r"a word, got \(a\)"):
        word(["a"], "t")
    with pytest.raises(DataError, match="a bracketed expression, got 'a'"):
        items("a", "t")
    assert show(["a"] * 100).endswith("...")
