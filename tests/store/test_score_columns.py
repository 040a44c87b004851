"""Many records of scores to one column each: as if each record were read alone."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.store import score_columns
from bench.store.score_columns import read_score_columns

NAMES = st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=6)
RECORD = st.dictionaries(NAMES, st.none() | st.floats(allow_nan=False) | st.integers(-(2**50), 2**50), max_size=5)


@given(st.lists(RECORD, max_size=30))
def test_every_value_is_in_its_column(records: list[dict[str, float | None]]) -> None:
    columns = read_score_columns(json.dumps(record, ensure_ascii=False) for record in records)
    assert list(columns) == list(dict.fromkeys(name for record in records for name in record))
    for name, column in columns.items():
        expected = [record.get(name) for record in records]
        assert [None if math.isnan(value) else value for value in column.tolist()] == expected


def test_chunks_are_joined_and_gaps_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_columns, "_MANY", 2)
    columns = read_score_columns(['{"a":1}', "", '{"b":2,"a":null}', '{"a":3}', '{"b":4}'])
    assert list(columns) == ["a", "b"]
    assert [str(value) for value in columns["a"]] == ["1.0", "nan", "nan", "3.0", "nan"]
    assert [str(value) for value in columns["b"]] == ["nan", "nan", "2.0", "nan", "4.0"]


@pytest.mark.parametrize("text", ['{"a":1},{"a":2}', "[1]", "7", '{"a":"x"}', '{"a":[1]}', '{"a":{}}', '{"a":1'])
def test_text_that_is_no_record_is_refused(text: str) -> None:
    with pytest.raises((ValueError, TypeError)):
        read_score_columns(['{"a":1}', text])


def test_no_records_are_no_columns() -> None:
    assert read_score_columns([]) == {}
