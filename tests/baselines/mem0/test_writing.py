"""Replies that the memory's writer cannot use: a second try, and what happens after it."""

from __future__ import annotations

from typing import Any

OSLO = "Ann: I live in Oslo."


def test_unknown_memory_number_is_asked_about_once_more(mem0: Any) -> None:
    model = mem0.says(
        {
            "extract": [mem0.facts(("a", [1])), mem0.facts(("b", [1]), ("c", [1]))],
            "update": [
                mem0.operations({"fact": 1, "event": "NOOP", "id": 1}, {"fact": 2, "event": "DELETE", "id": 9}),
                mem0.operations({"fact": 2, "event": "ADD"}),
            ],
        }
    )
    memory = mem0.feed(
        mem0.memory(model, summary="off"),
        [*mem0.conversation("Ann: a"), *mem0.conversation("Ann: b, c", first=5)],
    )
    assert [fact.text for fact in memory.facts] == ["a", "c"]  # the first reply holds for fact 1
    assert memory.writer.undecided == 0
    retry = model.asked[-1][1]
    assert [message.role for message in retry] == ["system", "user", "assistant", "user"]
    assert "operations[1].id: expected a number of 1 to 1, got 9" in retry[-1].content


def test_fact_without_an_operation_is_added_and_counted(mem0: Any) -> None:
    model = mem0.says(
        {
            "extract": [mem0.facts(("a", [1])), mem0.facts(("b", [1]), ("c", [1]))],
            "update": ["I would add them."],
        }
    )
    memory = mem0.feed(
        mem0.memory(model, summary="off"),
        [*mem0.conversation("Ann: a"), *mem0.conversation("Ann: b, c", first=5)],
    )
    assert [fact.text for fact in memory.facts] == ["a", "b", "c"]
    assert memory.writer.undecided == 2
    assert [role for role, _ in model.asked] == ["extract", "extract", "update", "update"]


def test_messages_without_a_readable_reply_are_stored_verbatim(mem0: Any) -> None:
    model = mem0.says({"extract": ["Sure!"]})
    memory = mem0.feed(mem0.memory(model, summary="off"), mem0.conversation(OSLO, "Bob: Nice."))
    assert [(fact.text, fact.refs) for fact in memory.facts] == [
        ("Ann: I live in Oslo.", ("t0",)),
        ("Bob: Nice.", ("t1",)),
    ]
    assert memory.writer.verbatim == 2


def test_second_reply_is_used_even_if_partly_wrong(mem0: Any) -> None:
    half = '{"facts": [{"text": "a", "turns": [9]}, {"text": ""}]}'
    model = mem0.says({"extract": ["no json", half]})
    memory = mem0.feed(mem0.memory(model, summary="off"), mem0.conversation(OSLO, "Bob: Nice."))
    assert [(fact.text, fact.refs) for fact in memory.facts] == [("a", ("t0", "t1"))]
    worse = mem0.says({"extract": [half, "no json"]})
    memory = mem0.feed(mem0.memory(worse, summary="off"), mem0.conversation(OSLO, "Bob: Nice."))
    assert [fact.text for fact in memory.facts] == ["a"]  # the first reply was better than none
    assert memory.writer.verbatim == 0
