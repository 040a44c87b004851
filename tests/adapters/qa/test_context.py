"""Contexts in the shapes that data sets have become the same turns."""

from __future__ import annotations

import json
from datetime import date, datetime
from typing import Any

import pytest

from adapters.qa.context import read_date, read_turns
from bench.errors import DataError

TURNS = [("D1:1", "Ann", "I came."), ("D1:2", "Ben", "I stayed.")]


def read(value: Any, dates: Any = None) -> list[tuple[str, str, str]]:
    return [(turn.ref, turn.speaker, turn.text) for turn in read_turns(value, dates, "x")[0]]


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "ann", "content": "I came."}, {"role": "ben", "content": "I stayed."}],
        [{"speaker": "Ann", "text": "I came."}, {"speaker": "Ben", "text": "I\nstayed."}],
        [{"from": "Ann", "value": "I came."}, {"from": "Ben", "value": "I stayed."}],
        {"speaker": ["Ann", "Ben"], "text": ["I came.", "I stayed."]},
        [[{"name": "Ann", "message": "I came."}, {"name": "Ben", "message": [{"type": "text", "text": "I stayed."}]}]],
        [{"date": "1 May", "turns": [{"author": "Ann", "text": "I came."}, {"author": "Ben", "text": "I stayed."}]}],
        {"messages": [{"role": "Ann", "content": "I came."}, None, {"role": "Ben", "content": "I stayed."}]},
    ],
)
def test_read_turns_takes_messages_of_any_form(value: Any) -> None:
    found = read(value)
    assert [(speaker, text) for _, speaker, text in found] == [(speaker, text) for _, speaker, text in TURNS]
    assert read(json.dumps(value)) == found


def test_read_turns_takes_texts_as_turns() -> None:
    assert read("One.\n\n  Two. \n") == [("D1:1", "", "One."), ("D1:2", "", "Two.")]
    assert read(["One.", "", 2]) == [("D1:1", "", "One."), ("D1:3", "", "2")]
    assert read([["One."], ["Two."]]) == [("D1:1", "", "One."), ("D2:1", "", "Two.")]
    assert read("{no json} at all") == [("D1:1", "", "{no json} at all")]


def test_read_turns_dates_sessions() -> None:
    turns, _ = read_turns([["One."], ["Two."]], ["2023/05/30 (Tue) 23:40", datetime(2024, 1, 2, 3)], "x")
    assert [turn.time for turn in turns] == ["2023/05/30 (Tue) 23:40", "2024-01-02"]
    turns, _ = read_turns([{"text": "One.", "time": "9 May"}, {"text": "Two."}], "8 May", "x")
    assert [turn.time for turn in turns] == ["9 May", "8 May"]
    assert [read_date(one) for one in (None, 2020, date(2024, 1, 2))] == ["", "2020", "2024-01-02"]
    with pytest.raises(DataError, match=r"expected x to have 2 dates, one a session, got 1"):
        read_turns([["One."], ["Two."]], ["1 May"], "x")


def test_read_turns_says_what_is_not_shown() -> None:
    turns, repairs = read_turns([{"role": "a", "content": "One.", "image": "x.png", "ok": True}], None, "x")
    assert [(turn.text, turn.marks) for turn in turns] == [("One.", frozenset({"ok"}))]
    assert [(one.kind, one.where, one.was) for one in repairs] == [("hidden", "x turn D1:1", "image")]


@pytest.mark.parametrize("value", ["", [], [[]], [{"image": "x.png"}], None, {"a": 1}])
def test_read_turns_refuses_a_context_without_text(value: Any) -> None:
    with pytest.raises(DataError, match=r"expected x to have a context with text, got none"):
        read_turns(value, None, "x")
    with pytest.raises(DataError, match=r"expected x context to be text, turns or sessions, got int"):
        read_turns(7, None, "x")
