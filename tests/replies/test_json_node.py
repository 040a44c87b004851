"""JSON is found wherever it stands; what is wrong has a path, and does not take the rest with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.replies import JsonNode, ReplyError, read_json

PLAIN = '{"event": "ADD", "id": 3}'


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        f"```json\n{PLAIN}\n```",
        f"```JSON\n{PLAIN}\n```",
        f"Here it is:\n\n```\n{PLAIN}\n```\nI hope this helps {{a lot}}.",
        f"I fill in the {{placeholders}} of [this]: {PLAIN} and {{}}",
        f'<think>{{"event": "NOOP"}}</think>{PLAIN}',
        f"{PLAIN}\n{{\"event\": \"NOOP\"}}",
        f"[{PLAIN}]",
        '{"event": "ADD",\r\n\u00a0"id": 3}',
        f"See [1]. {PLAIN}",
    ],
)  # fmt: skip
def test_first_object_is_found(text: str) -> None:
    assert read_json(text).value == {"event": "ADD", "id": 3}


def test_array_is_found_where_asked() -> None:
    assert read_json('See [1]: ["ferry", "work"]', arrays=True).value == ["ferry", "work"]
    assert read_json(f"[{PLAIN}, {PLAIN}]", arrays=True).value == [{"event": "ADD", "id": 3}] * 2
    assert read_json("[]", arrays=True).value == []
    with pytest.raises(ReplyError, match="one JSON object, got a list of 2"):
        read_json(f"[{PLAIN}, {PLAIN}]")


@pytest.mark.parametrize(
    ("text", "got"),
    [
        ("", "got nothing"),
        ("none", "got 'none'"),
        ('{"facts": "a', "got"),
        ('{"te', "got"),
        ('{"a" is the key and "b" the value}', "got"),
        ("{'a', 'b'}", "got"),
        ('{"a": 1}'[:-1] + "]", "got"),
        ("{'a': " * 100_000, "got"),
        ('<think>{"a": 1}', "got a thought without an end"),
        ('{"a": ' * 100_000, "got"),
        ("[" * 100_000, "got"),
    ],
)
def test_reply_without_json_is_an_error(text: str, got: str) -> None:
    with pytest.raises(ReplyError, match=got):
        read_json(text)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"event": "ADD", "id": 3,}', "trailing-comma"),
        ('{"event": "ADD", "id": 3, "more": [],}', "trailing-comma"),
        ("{'event': 'ADD', 'id': 3}", "quotes"),
        ("{“event”: “ADD”, “id”: 3}", "quotes"),
        ('{"event": "ADD", "id": 3, "more": None}', "python-names"),
        ('{"event": "ADD", // it is new\n "id": 3}', "comment"),
        ('{ // it is new\n "event": "ADD", "id": 3}', "comment"),
        ('{"event": "ADD"\n"id": 3}', "missing-comma"),
        ('{"id": 3, "event": "ADD"', "cut-off"),
        ('```json\n{"event": "ADD", "id": 3\n```', "cut-off"),
        ('{"event": "ADD", "id": 3, "more": [{"te', "cut-off"),
        ('{"event": "ADD", "id": 3, "text": "a b', "cut-off"),
        ('{"event": "ADD", "id": 3, "place": 1', "cut-off"),
    ],
)
def test_usual_fault_is_forgiven_and_named(text: str, fault: str) -> None:
    node = read_json(f"Here it is, as {{asked}}:\n{text}")
    assert (node["event"].text(), node["id"].number(1, 9), node.repairs) == ("ADD", 3, (fault,))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "two\nlines"}', "two\nlines"),
        ("{'a': 'it's here'}", "it's here"),
        ("{'a': 'say \"hi\"'}", 'say "hi"'),
        ('{"a": "say "hi" to her"}', 'say "hi" to her'),
        (r'{"a": "x\_y \n \"z\" \u00e9",}', 'x_y \n "z" é'),
        (r"{'a': 'don\'t'}", "don't"),
        (r'{"a": "\u12",}', r"\u12"),
        ("{'a': -1.5e2}", -150.0),
        ("{'a': [True, {'b': undefined}]}", [True, {"b": None}]),
        ('{"a": "http://x.y", }', "http://x.y"),
    ],
)
def test_value_within_faulty_json_stays_whole(text: str, value: Any) -> None:
    assert read_json(text).value == {"a": value}


def test_of_cut_json_what_is_complete_counts() -> None:
    node = read_json('{"facts": [{"text": "a", "id": 1}, {"text": "b is')
    assert (node.value, node.repairs) == ({"facts": [{"text": "a", "id": 1}]}, ("cut-off",))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text("ab \\'", max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab \\'", max_size=3), inner, max_size=3),
        max_leaves=8,
    )
)
def test_json_with_a_trailing_comma_reads_as_without(value: Any) -> None:
    text = json.dumps({"a": value})
    assert read_json(f"{text[:-1]},}}").value == {"a": value}
    assert read_json(repr({"a": value})).value == {"a": value}


@pytest.mark.parametrize(
    ("read", "value", "result"),
    [
        (lambda node: node.number(1, 9), "3", 3),
        (lambda node: node.number(1, 9), "memory 3", 3),
        (lambda node: node.number(1, 9), "[3]", 3),
        (lambda node: node.number(1, 9), 3.0, 3),
        (lambda node: node.choice(("ADD", "NOOP")), "noop ", "NOOP"),
        (lambda node: node.flag(), "True", True),
        (lambda node: node.flag(), False, False),
        (lambda node: node.text(), " a\n b\ud800", "a b?"),
        (lambda node: node.text(), 2023, "2023"),
        (lambda node: node.texts(), ["a", "a ", "", 7], ("a", "7")),
        (lambda node: node.texts(), "a", ("a",)),
    ],
)
def test_value_is_read_tolerantly(read: Callable[[JsonNode], Any], value: Any, result: Any) -> None:
    assert read(JsonNode(value)) == result


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda node: node["neighbors"].entries()[1]["tags"].texts(), r"neighbors\[1\]\.tags: .* list, got nothing"),
        (lambda node: node["neighbors"].entries()[0]["number"].number(1, 2), r"neighbors\[0\]\.number: .* to 2, got 3"),
        (lambda node: node["flag"].number(1, 2), "flag: expected a number of 1 to 2, got True"),
        (lambda node: node["flag"].text(), "flag: expected a text, got True"),
        (lambda node: node["neighbors"].flag(), "neighbors: expected true or false, got a list"),
        (lambda node: node["missing"]["x"], "missing: expected an object, got nothing"),
        (lambda node: node["event"].choice(("ADD",)), "event: expected one of ADD, got 'drop'"),
        (lambda node: node.entries(), "reply: expected a list, got a dict"),
    ],
)  # fmt: skip
def test_error_names_the_path(read: Callable[[JsonNode], Any], message: str) -> None:
    node = read_json('{"neighbors": [{"number": 3, "tags": []}, {"number": 1}], "FLAG": true, "event": "drop"}')
    assert "flag" in node
    assert "missing" not in node
    with pytest.raises(ReplyError, match=message):
        read(node)


def test_bad_entry_does_not_discard_the_others() -> None:
    node = read_json('{"facts": [{"id": 1}, {"id": "x"}, 7, {"ID": "2"}]}')
    values, faults = node["facts"].each(lambda entry: entry["id"].number(1, 9))
    assert values == (1, 2)
    assert faults == (
        "facts[1].id: expected a number of 1 to 9, got 'x'",
        "facts[2]: expected an object, got 7",
    )


@given(
    st.text() | st.lists(st.sampled_from(["{", "}", "[", "]", '"a"', ":", ",", "1", "null", " ", "\n"])).map("".join)
)
def test_any_text_is_json_or_an_error(text: str) -> None:
    with suppress(ReplyError):
        assert isinstance(read_json(text, arrays=True).value, dict | list)
