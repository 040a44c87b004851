"""The bank's items: how a reply is read, and the files it is kept in."""

from __future__ import annotations

from collections import Counter

import pytest

from baselines.reasoning_bank.bank import Item, read_bank, read_items, write_entry
from bench.replies import JsonNode, ReplyError, read_json
from bench.types import Artifact


def make_entry(content: object, title: str = "T") -> dict[str, object]:
    return {"title": title, "description": "D", "content": content}


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (
            '{"items": [{"title": "T", "description": "D", "content": "Look\\n first."}]}',
            [Item("T", "D", "Look first.")],
        ),
        ('Here:\n```json\n[{"content": "Look."}]\n```', [Item("", "", "Look.")]),
        ('{"title": "T", "content": "Look."}', [Item("T", "", "Look.")]),
        (
            '{"items": [{"title": "Title: T", "description": "**D**", "content": "Content: Look."}]}',
            [Item("T", "D", "Look.")],
        ),
        ('{"items": []}', []),
    ],
)
def test_items_are_read_in_every_form(reply: str, expected: list[Item]) -> None:
    rejected: Counter[str] = Counter()
    assert list(read_items(read_json(reply, arrays=True), rejected)) == expected
    assert not rejected


def test_items_that_cannot_be_used_are_counted_with_their_reason() -> None:
    rejected: Counter[str] = Counter()
    entries = [
        make_entry("a"),
        "x",
        make_entry(" "),
        make_entry("a"),
        make_entry("b"),
        make_entry("c"),
        make_entry("d"),
    ]
    found = read_items(JsonNode({"items": entries}), rejected)
    assert [item.content for item in found] == ["a", "b", "c"]
    assert rejected == {"not an item": 1, "empty content": 1, "duplicate content": 1, "more than 3 items": 1}


@pytest.mark.parametrize("value", [{}, {"lessons": []}, {"items": "none"}])
def test_reply_without_items_is_an_error(value: object) -> None:
    with pytest.raises(ReplyError):
        read_items(JsonNode(value), Counter())


def test_files_are_read_as_they_were_written_and_others_are_left_alone() -> None:
    name, text = write_entry(3, "Bring the map.\n\nNow.", [Item("T", "D", "C."), Item("", "", "Only.")])
    files = {name: text, "items/0001.txt": "# Task\nNo item.\n", "notes.txt": "# Task\na\n\n# Item\nb"}
    bank = read_bank(Artifact(files))
    assert list(bank) == ["items/0003.txt"]
    assert bank[name].opening == "Bring the map.\n\nNow."
    assert bank[name].render() == "T\nD\nC.\n\nOnly."
