"""Replies are read strictly: what is wrong is named, what is right beside it is kept."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.mem0.replies import Operation, OperationKind, ReadFact, read_facts, read_operations


def test_read_facts_reads_texts_and_messages() -> None:
    read = read_facts('{"facts": [{"text": "Ann  lives\\nin Oslo", "turns": [2, 1, 2]}]}', 2)
    assert read.found == (ReadFact("Ann lives in Oslo", (1, 2)),)
    assert (read.fault, read.readable) == ("", True)


def test_read_facts_accepts_an_empty_list() -> None:
    read = read_facts('{"facts": []}', 2)
    assert (read.found, read.fault, read.readable) == ((), "", True)


def test_read_facts_accepts_a_code_fence() -> None:
    assert read_facts('```json\n{"facts": [{"text": "x", "turns": [1]}]}\n```', 1).found == (ReadFact("x", (1,)),)
    assert not read_facts('Here you are:\n```json\n{"facts": []}\n```', 1).readable


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Ann lives in Oslo", "expected JSON alone, got 'Ann lives in Oslo'"),
        ("[]", 'expected an object with a list "facts", got \\[\\]'),
        ('{"facts": "none"}', 'expected an object with a list "facts"'),
        ("[" * 100_000, "expected JSON alone"),
        ("", "expected JSON alone, got ''"),
    ],
)
def test_read_facts_rejects_a_reply_without_a_list(text: str, fault: str) -> None:
    read = read_facts(text, 2)
    assert not read.readable
    assert read.found == ()
    with pytest.raises(AssertionError, match=fault):
        raise AssertionError(read.fault)


@pytest.mark.parametrize("turns", [[], [0], [3], [True], ["1"], None, 1])
def test_read_facts_keeps_a_fact_without_its_invalid_messages(turns: object) -> None:
    read = read_facts(json.dumps({"facts": [{"text": "x", "turns": turns}]}), 2)
    assert read.found == (ReadFact("x", ()),)
    assert 'fact 1: expected "turns" to list numbers from 1 to 2' in read.fault


@pytest.mark.parametrize("one", ["x", {"text": " "}, {"turns": [1]}, None, {"text": 3, "turns": [1]}])
def test_read_facts_leaves_out_a_fact_without_a_text(one: object) -> None:
    read = read_facts(json.dumps({"facts": [one, {"text": "y", "turns": [1]}]}), 1)
    assert read.found == (ReadFact("y", (1,)),)
    assert 'fact 1: expected an object with a "text"' in read.fault


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
        ("ADD", "operation 1: expected an object"),
        ({"event": "ADD"}, 'expected "fact" to be a number from 1 to 1, got None'),
        ({"fact": 2, "event": "ADD"}, 'expected "fact" to be a number from 1 to 1, got 2'),
        ({"fact": 1, "event": "add"}, 'expected "event" to be one of ADD, UPDATE, DELETE, NOOP'),
        ({"fact": 1, "event": ["ADD"]}, 'expected "event" to be one of'),
        ({"fact": 1, "event": "DELETE", "id": 9}, 'expected "id" to be a number from 1 to 2, got 9'),
        ({"fact": 1, "event": "DELETE"}, 'expected "id" to be a number from 1 to 2, got None'),
        ({"fact": 1, "event": "NOOP", "id": 0}, 'expected "id" to be a number'),
        ({"fact": 1, "event": "UPDATE", "id": "1", "text": "x"}, 'expected "id" to be a number'),
        ({"fact": 1, "event": "UPDATE", "id": 1}, 'expected the "text" of an UPDATE, got None'),
        ({"fact": 1, "event": "UPDATE", "id": 1, "text": " "}, 'expected the "text" of an UPDATE'),
    ],
)
def test_read_operations_names_and_leaves_out_invalid_operations(one: object, fault: str) -> None:
    read = read_operations(json.dumps({"operations": [one]}), 1, 2)
    assert read.found == ()
    assert fault in read.fault


def test_read_operations_names_facts_without_an_operation() -> None:
    read = read_operations('{"operations": [{"fact": 2, "event": "ADD"}]}', 3, 0)
    assert read.decided_facts == {2}
    assert read.fault == "expected an operation for every fact, got none for 1, 3"


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
    assert read_facts(text, 2).found == ()
    assert read_operations(text, 2, 2).fault
