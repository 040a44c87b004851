"""Turns of any kind: what can be read is shown, the rest is named, and nothing raises."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.shared.turn_text import Repair, Spoken, list_unknown, read_spoken, summarise

ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("value", "spoken"),
    [
        ("Hi\n you", Spoken("Hi you")),
        (None, Spoken("")),
        ([], Spoken("")),
        (0, Spoken("0")),
        (2.50, Spoken("2.5")),
        (True, Spoken("true")),
        (["a", ["b", 3]], Spoken("a b 3")),
        ({"type": "text", "text": "Hi"}, Spoken("Hi")),
        ({"text": ["a", {"text": "b"}]}, Spoken("a b")),
        ([{"type": "image_url", "image_url": {"url": "x"}}, "see"], Spoken("see", ("record with image_url",))),
        ({"text": "Hi", "mood": None}, Spoken("Hi")),
        ("a\ud800", Spoken("a\ufffd", ("half a character",))),
        ("\ud83d\ude00", Spoken("\U0001f600", ("half a character",))),
    ],
)
def test_read_spoken_shows_what_can_be_read_and_names_the_rest(value: object, spoken: Spoken) -> None:
    assert read_spoken(value) == spoken


@given(ANY)
def test_read_spoken_gives_one_line_of_valid_unicode_for_any_value(value: object) -> None:
    spoken = read_spoken(json.loads(json.dumps(value)))
    assert spoken.text.splitlines() == [spoken.text] * bool(spoken.text)
    assert spoken.text.encode().decode() == spoken.text
    assert spoken == read_spoken([value])


def test_list_unknown_names_fields_that_hold_something() -> None:
    assert list_unknown({"text": "a", "b": 0, "a": [1], "c": None, "d": []}, ("text",)) == ("a", "b")


def test_summarise_counts_each_kind_and_names_its_first_place() -> None:
    found = [Repair("hidden", "x", "audio", ""), Repair("dates", "y", "1", "2"), Repair("hidden", "z", "a" * 99, "")]
    assert summarise("f.json", found) == (
        "f.json: repaired (dates): 1, first y: '1' became '2'",
        "f.json: not shown: 2, first x: 'audio'",
    )
    assert len(summarise("f", found[2:])[0]) < 100
    assert summarise("f", []) == ()
