"""Replies in the styles of chat models: what is wrong is named by its path, what is right is kept."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.mem0.replies import Facts, Operation, OperationKind, Operations, ReadFact, read_facts, read_operations


def test_read_facts_reads_texts_and_messages() -> None:
    read = read_facts('{"facts": [{"text": "Ann  lives\\nin Oslo", "turns": [2, 1, 2]}]}', 2)
    assert read.found == (ReadFact("Ann lives in Oslo", (1, 2)),)
    assert (read.fault, read.readable) == ("", True)


def test_read_facts_accepts_an_empty_list() -> None:
    read = read_facts('{"facts": []}', 2)
    assert (read.found, read.fault, read.readable) == ((), "", True)


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"facts": [{"text": "x", "turns": [1]}]}\n```',
        'Here you are:\n```JSON\n{"facts": [{"text": "x", "turns": [1]}]}\n```\nAnything else?',
        '<think>{"facts": []}</think>{"Facts": [{"Text": "x", "turns": ["1"]}]}',
        '{"facts": [{"text": "x", "turns": 1},]}',
        '[{"text": "x", "turns": [1, 9]}]',
    ],
)
def test_read_facts_reads_the_styles_of_chat_models(text: str) -> None:
    assert read_facts(text, 1) == Facts((ReadFact("x", (1,)),))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Ann lives in Oslo", "reply: expected one JSON object, got 'Ann lives in Oslo'"),
        ("{}", "facts: expected a list, got nothing"),
        ('{"facts": "none"}', "facts: expected a list, got 'none'"),
        ("[" * 100_000, "reply: expected one JSON object"),
        ("", "reply: expected one JSON object, got nothing"),
    ],
)
def test_read_facts_rejects_a_reply_without_a_list(text: str, fault: str) -> None:
    read = read_facts(text, 2)
    assert not read.readable
    assert read.found == ()
    assert read.fault.startswith(fault)


@pytest.mark.parametrize("turns", [[], [0], [3], [True], None, "yesterday", {}])
def test_read_facts_keeps_a_fact_without_its_invalid_messages(turns: object) -> None:
    read = read_facts(json.dumps({"facts": [{"text": "x", "turns": turns}]}), 2)
    assert read.found == (ReadFact("x", ()),)
    assert read.fault.startswith("facts[0].turns")


@pytest.mark.parametrize("one", [{"text": " "}, {"turns": [1]}, None, {"text": ["x"], "turns": [1]}])
def test_read_facts_leaves_out_a_fact_without_a_text(one: object) -> None:
    read = read_facts(json.dumps({"facts": [one, {"text": "y", "turns": [1]}]}), 1)
    assert read.found == (ReadFact("y", (1,)),)
    assert read.fault.startswith("facts[0]")


def test_read_facts_uses_what_is_complete_of_a_reply_that_is_cut_off() -> None:
    read = read_facts('{"facts": [{"text": "x", "turns": [1]}, {"text": "y", "tu', 1)
    assert read.found[0] == ReadFact("x", (1,))
    assert "cut off" in read.fault


def test_read_operations_reads_every_kind() -> None:
    params = [
        {"fact": 1, "event": "ADD"},
        {"fact": 2, "event": "UPDATE", "id": 3, "text": " a  b "},
        {"fact": 3, "event": "DELETE", "id": 1},
        {"fact": 3, "event": "ADD"},
        {"fact": 4, "event": "NOOP", "id": 2},
        {"fact": 5, "event": "NOOP"},
    ]
    read = read_operations(json.dumps({"operations": params}), 5, 3)
    assert read.fault == ""
    assert read.found == (
        Operation(1, OperationKind.ADD),
        Operation(2, OperationKind.UPDATE, 3, "a b"),
        Operation(3, OperationKind.DELETE, 1),
        Operation(3, OperationKind.ADD),
        Operation(4, OperationKind.NOOP, 2),
        Operation(5, OperationKind.NOOP),
    )
    assert read.decided_facts == {1, 2, 3, 4, 5}


@pytest.mark.parametrize(
    ("one", "fault"),
    [
        ("ADD", "operations[0]: expected an object, got 'ADD'"),
        ({"event": "ADD"}, "operations[0].fact: expected a number of 1 to 1, got nothing"),
        ({"fact": 2, "event": "ADD"}, "operations[0].fact: expected a number of 1 to 1, got 2"),
        ({"fact": 1, "event": "MERGE"}, "operations[0].event: expected one of ADD, UPDATE, DELETE, NOOP, got 'MERGE'"),
        ({"fact": 1, "event": ["ADD"]}, "operations[0].event: expected one of"),
        ({"fact": 1, "event": "DELETE", "id": 9}, "operations[0].id: expected a number of 1 to 2, got 9"),
        ({"fact": 1, "event": "DELETE"}, "operations[0].id: expected a number of 1 to 2, got nothing"),
        ({"fact": 1, "event": "UPDATE", "id": 1}, "operations[0].text: expected a text, got nothing"),
        ({"fact": 1, "event": "UPDATE", "id": 1, "text": " "}, "operations[0].text: expected a text, got ' '"),
    ],
)
def test_read_operations_names_and_leaves_out_invalid_operations(one: object, fault: str) -> None:
    read = read_operations(json.dumps({"operations": [one]}), 1, 2)
    assert read.found == ()
    assert read.fault.startswith(fault)


@pytest.mark.parametrize(
    ("one", "operation"),
    [
        ({"fact": "1", "event": "add"}, Operation(1, OperationKind.ADD)),
        ({"Fact": "fact 1", "Event": "Delete", "id": "2"}, Operation(1, OperationKind.DELETE, 2)),
        ({"fact": 1, "event": "NOOP", "id": 7}, Operation(1, OperationKind.NOOP)),  # names a fact of its own batch
        ({"fact": 1, "event": "noop", "id": None}, Operation(1, OperationKind.NOOP)),
    ],
)
def test_read_operations_reads_the_styles_of_chat_models(one: object, operation: Operation) -> None:
    fenced = f"Sure:\n```json\n{json.dumps({'operations': [one]})}\n```"
    assert read_operations(fenced, 1, 2) == Operations((operation,))


def test_read_operations_uses_the_others_where_one_cannot_be_read() -> None:
    params = [{"fact": 1, "event": "ADD"}, {"fact": 2, "event": "DELETE", "id": 9}, {"fact": 2, "event": "ADD"}]
    read = read_operations(json.dumps({"operations": params}), 2, 1)
    assert read == Operations((Operation(1, OperationKind.ADD), Operation(2, OperationKind.ADD)))


def test_read_operations_names_facts_without_an_operation() -> None:
    read = read_operations('{"operations": [{"fact": 2, "event": "ADD"}]}', 3, 0)
    assert read.decided_facts == {2}
    assert read.fault == "operations: expected one for every fact, got none for 1, 3"


def test_readers_name_only_the_first_faults() -> None:
    read = read_operations(json.dumps({"operations": [1, 2, 3, 4, 5]}), 1, 1)
    assert read.fault.count("expected an object") == 3


values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.text(max_size=5) | st.sampled_from(["ADD", "UPDATE", "NOOP"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["facts", "operations", "text", "turns", "fact", "event", "id"]), inner)
    ),
    max_leaves=12,
)


@given(values, st.integers(1, 3), st.integers(0, 3))
def test_readers_return_numbers_in_range(value: object, facts: int, memories: int) -> None:
    text = json.dumps(value)
    for found in read_facts(text, facts).found:
        assert found.text.strip()
        assert all(1 <= turn <= facts for turn in found.turns)
    read = read_operations(text, facts, memories)
    for one in read.found:
        assert 1 <= one.fact <= facts
        assert 0 <= one.memory <= memories
        assert one.text or one.kind is not OperationKind.UPDATE
    assert read.fault or len(read.decided_facts) == facts


@given(st.text(max_size=80))
def test_readers_accept_any_text(text: str) -> None:
    assert all(fact.text for fact in read_facts(text, 2).found)
    assert read_operations(text, 2, 2).fault
