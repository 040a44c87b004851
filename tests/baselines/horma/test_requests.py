"""What a navigator's reply asks for, however it is dressed up."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.horma.requests import VERBS, Request, list_alternatives, read_requests, split_pattern


@pytest.mark.parametrize(
    "reply",
    [
        "grep Oslo entities",
        "I will look for the city first.\n\ngrep Oslo entities",
        "```bash\ngrep Oslo entities\n```",
        "**grep** Oslo entities",
        "1. `grep Oslo entities`",
        "Command: grep Oslo entities",
        "<think>\nls would show too much\n</think>\ngrep Oslo entities",
        "$ grep Oslo entities",
    ],
)
def test_read_requests_finds_the_command(reply: str) -> None:
    assert read_requests(reply) == (Request("grep", "Oslo entities"),)


@pytest.mark.parametrize(
    ("reply", "asked"),
    [
        ('{"command": "grep", "args": {"pattern": "Oslo", "path": "entities"}}', ("grep", '"Oslo" entities')),
        ('```json\n{"tool": "select", "path": "entities/ann.md", "lines": [1, 3]}\n```',
         ("select", "entities/ann.md#1,3")),
        ('{"name": "cat", "arguments": {"file": "a/b.md", "from": 2, "to": 5}}', ("cat", "a/b.md#2-5")),
        ('{"action": "grep Oslo"}', ("grep", "Oslo")),
        ('{"thought": "all there", "command": "done"}', ("done", "")),
        ('{"ls": "entities"}', ("ls", "entities")),
        ('{"function": "select", "arguments": {"range": [2, 4], "path": "a/b.md"}}', ("select", "a/b.md#2-4")),
    ],
)  # fmt: skip
def test_read_requests_reads_json(reply: str, asked: tuple[str, str]) -> None:
    assert read_requests(reply) == (Request(*asked),)


def test_read_requests_keeps_the_order_of_several() -> None:
    reply = "select D1:3\nselect entities/ann.md#2\ndone"
    assert [request.verb for request in read_requests(reply)] == ["select", "select", "done"]
    listed = '[{"op": "select", "path": "D1:3"}, {"op": "done"}]'
    assert read_requests(listed) == (Request("select", "D1:3"), Request("done"))


@pytest.mark.parametrize(
    "reply", ["", "No idea.", "{", "[[[[[[[[]]]]]]]]", '{"command": 3}', '{"a": {"b": {"c": {"d": {}}}}}']
)
def test_read_requests_finds_nothing_in_other_replies(reply: str) -> None:
    assert read_requests(reply) == ()


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("Oslo", ("Oslo", "")),
        ("Oslo entities/", ("Oslo", "entities/")),
        ('"the old cat" in notes/pets.md', ("the old cat", "notes/pets.md")),
        ("the old cat in notes/pets.md", ("the old cat", "notes/pets.md")),
        ("the old cat", ("the old cat", "")),
        ("-i", ("-i", "")),
        ("Oslo -n", ("Oslo", "")),
        ("'cat' -r .", ("cat", ".")),
        ("Momo .", ("Momo", ".")),
        ("", ("", "")),
        ('"unclosed', ('"unclosed', "")),
    ],
)
def test_split_pattern_tells_text_from_path(text: str, split: tuple[str, str]) -> None:
    assert split_pattern(text) == split


def test_split_pattern_takes_a_known_name_at_the_end_as_path() -> None:
    assert split_pattern("old cat entities", ["entities"]) == ("old cat", "entities")
    assert split_pattern("entities", ["entities"]) == ("entities", "")


@pytest.mark.parametrize(
    ("text", "texts", "where"),
    [
        ('florist|"work as"|job', ("florist", "work as", "job"), ""),
        ('"work as"|job entities', ("work as", "job"), "entities"),
        ('"old cat" | kitten in notes/a.md', ("old cat", "kitten"), "notes/a.md"),
        ("I work|'my boss'|Ann's job raw_logs/x", ("i work", "my boss", "ann's job"), "raw_logs/x"),
        ('"first money|earned" entities', ("first money", "earned"), "entities"),
        ("don't worry", ("don't worry",), ""),
        ('5" nail', ('5" nail',), ""),
        ("a||a|\\|", ("a",), ""),
    ],
)
def test_quotes_stand_around_one_text_or_all_of_them(text: str, texts: tuple[str, ...], where: str) -> None:
    pattern, found = split_pattern(text, ["entities"])
    assert (list_alternatives(pattern), found) == (texts, where)


def test_a_pattern_in_json_may_hold_quotes() -> None:
    (request,) = read_requests('{"op": "grep", "pattern": "\\"work as\\"|job", "path": "entities"}')
    pattern, where = split_pattern(request.text)
    assert (list_alternatives(pattern), where) == (("work as", "job"), "entities")


@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                [*VERBS, " ", "\n", '"', "{", "}", "[", '"command":', '"args":', "```", "<think>", "a/b.md", "\x00"]
            ),
            st.text(max_size=8),
        ),
        max_size=30,
    )
)
@settings(max_examples=300, deadline=None)
def test_read_requests_takes_any_text(pieces: list[str]) -> None:
    for request in read_requests("".join(pieces)):
        assert request.verb in VERBS
        assert all(list_alternatives(split_pattern(request.text)[0]))
