"""Texts of models and worlds as they are printed: nothing that a terminal obeys, and everything that writing needs."""

from __future__ import annotations

import io
import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.report.formats import guard_cell
from bench.store.printing import escape_json, make_line, make_printable, say

ANY = st.text(st.characters())


@given(ANY)
def test_make_printable_and_make_line_leave_no_control_character(text: str) -> None:
    allowed = {"\n", "\t", "\u200c", "\u200d"}
    assert not [char for char in make_printable(text) if unicodedata.category(char)[0] == "C" and char not in allowed]
    assert len(make_printable(text)) == len(text)
    assert not [char for char in make_line(text) if char in "\n\r\t\x85\u2028"]


@pytest.mark.parametrize(
    "text", ["", "plain", "日本 ü", "10\u00a0%", "\U0001f468\u200d\U0001f469", "می\u200cخواهم", "a\tb\nc"]
)
def test_make_printable_keeps_what_writing_needs(text: str) -> None:
    assert make_printable(text) == text


def test_make_line_is_one_line() -> None:
    assert make_line("a\r\n\x1b[1mb\tc") == "a \ufffd[1mb c"


@given(st.recursive(ANY, lambda inner: st.lists(inner) | st.dictionaries(ANY, inner)))
def test_escape_json_says_the_same_harmlessly(value: object) -> None:
    text = escape_json(json.dumps(value, ensure_ascii=False, indent=1))
    assert json.loads(text) == value
    assert make_printable(text) == text


@pytest.mark.parametrize("text", ["=1+1", "+cmd", "-x", "@a", "\t=1", "\r=1", "--", "-1+1", "+1 (555) 1"])
def test_guard_cell_takes_the_power_from_a_formula(text: str) -> None:
    assert guard_cell(text) == f"'{make_line(text)}"


@pytest.mark.parametrize("value", [-1, -0.5, None, True, "-1", "+2.5e-3", "-.5", "a=b", "full-history", ""])
def test_guard_cell_leaves_numbers_and_plain_texts(value: object) -> None:
    assert guard_cell(value) is value


def test_say_prints_one_line() -> None:
    out = io.StringIO()
    say("a\nrun: all is well\x07", out)
    assert out.getvalue() == "a run: all is well\ufffd\n"
