"""What a manager's reply does, however it is written."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.horma.notes import Line, Meta
from baselines.horma.operations import VERBS, Operation, read_operations
from baselines.horma.raw_logs import RawLogs
from baselines.horma.workspace import Workspace
from tests.baselines.horma.workspaces import fill_raw

ANN = Operation(
    "append", "entities/ann.md", lines=(Line("moved to Oslo", ("D1:1",)), Line("has a cat", ("D1:2", "D1:3")))
)


@pytest.fixture(scope="module")
def raw() -> RawLogs:
    return fill_raw(Workspace()).raw


@pytest.mark.parametrize(
    "reply",
    [
        "append entities/ann.md\n- moved to Oslo [D1:1]\n- has a cat [D1:2, D1:3]",
        "I file it.\n\nappend entities/ann.md\n- moved to Oslo [D1:1]\n- has a cat [D1:2, D1:3]\n\nThat is all.",
        "```\nappend entities/ann.md\n- moved to Oslo [D1:1]\n- has a cat [D1:2-3]\n```",
        "**append** `entities/ann.md`:\n* moved to Oslo [D1:1]\n* has a cat [D1:2, D1:3]",
        "1. append entities/ann.md\n   - moved to Oslo (D1:1)\n   - has a cat (D1:2, D1:3)",
        "<think>\nappend entities/no.md\n- no [D1:1]\n</think>\nappend entities/ann.md\nmoved to Oslo [D1:1]\n"
        "has a cat [D1:2, D1:3]",
        '[{"op": "append", "path": "entities/ann.md", "lines": ["moved to Oslo [D1:1]", {"text": "has a cat", '
        '"sources": ["D1:2", "D1:3"]}]}]',
        '```json\n{"operations": [{"operation": "APPEND", "file": "entities/ann.md", '
        '"content": "- moved to Oslo [D1:1]\\n- has a cat [D1:2, D1:3]"},]}\n```',
        '{"tool": "append", "arguments": {"path": "entities/ann.md", "lines": ["moved to Oslo [D1:1]", '
        '"has a cat [D1:2, D1:3]"]}}',
    ],
)  # fmt: skip
def test_read_operations_reads_one_note_in_every_form(raw: RawLogs, reply: str) -> None:
    assert read_operations(reply, raw) == (ANN,)


def test_read_operations_reads_meta_of_a_note(raw: RawLogs) -> None:
    expected = Meta("1 May 2023", "2 May 2023", ("D1:1", "D1:3"))
    head = "kind: event\ntime_from: 1 May 2023\ntime_to: 2 May 2023\nsources: [D1:1, D1:3]"
    (found,) = read_operations(f"write events/move.md\n---\n{head}\n---\n- Ann moved", raw)
    assert (found.verb, found.meta, found.lines) == ("write", expected, (Line("Ann moved"),))
    told = '{"op": "write", "path": "events/move.md", "meta": {"time_from": "1 May 2023", "time_to": "2 May 2023", '
    (found,) = read_operations(f'{told}"sources": ["D1:1", "D1:3"]}}, "body": ["Ann moved"]}}', raw)
    assert (found.meta, found.lines) == (expected, (Line("Ann moved"),))


def test_read_operations_reads_a_line_behind_the_path(raw: RawLogs) -> None:
    (found,) = read_operations("append entities/ann.md: moved to Oslo [D1:1]", raw)
    assert found == Operation(
        "append", "entities/ann.md", meta=Meta(sources=("D1:1",)), lines=(Line("moved to Oslo", ("D1:1",)),)
    )
    (found,) = read_operations("append entities/ann.md [D1:1, D1:2]\n- moved to Oslo", raw)
    assert (found.meta.sources, found.lines) == (("D1:1", "D1:2"), (Line("moved to Oslo"),))


def test_read_operations_reads_the_others(raw: RawLogs) -> None:
    reply = "mkdir notes/trips\nmv notes/a.md -> notes/trips/a.md\nls entities\ncat entities/mug 1.md\nls ."
    assert read_operations(reply, raw) == (
        Operation("mkdir", "notes/trips"),
        Operation("mv", "notes/a.md", "notes/trips/a.md"),
        Operation("ls", "entities"),
        Operation("cat", "entities/mug 1.md"),
        Operation("ls", ""),
    )
    assert read_operations('[{"op": "mv", "from": "notes/a.md", "to": "notes/b.md"}]', raw) == (
        Operation("mv", "notes/a.md", "notes/b.md"),
    )


@pytest.mark.parametrize(
    "reply",
    [
        "replace entities/ann.md#2\n- lives in Rome [D1:1]",
        "**replace** `entities/ann.md#2`:\nlives in Rome [D1:1]",
        "replace entities/ann.md line 2: lives in Rome [D1:1]",
        "replace entities/ann.md:2\n- lives in Rome (D1:1)",
        "replace entities/ann#2\n- lives in Rome [D1:1]",
        '{"op": "replace", "path": "entities/ann.md#2", "text": "lives in Rome [D1:1]"}',
        '{"op": "replace", "path": "entities/ann.md", "line": 2, "text": "lives in Rome", "sources": ["D1:1"]}',
    ],
)
def test_read_operations_reads_a_replacement_in_every_form(raw: RawLogs, reply: str) -> None:
    (found,) = read_operations(reply, raw)
    sources = found.lines[0].sources or found.meta.sources
    assert (found.verb, found.path.removesuffix(".md"), found.numbers) == ("replace", "entities/ann", (2,))
    assert ([line.text for line in found.lines], sources) == (["lives in Rome"], ("D1:1",))


@pytest.mark.parametrize(
    "reply",
    [
        "delete entities/ann.md#2,4-5",
        "- delete: entities/ann.md lines 2, 4-5",
        "delete entities/ann#2,4-5",
        "delete entities/ann.md #[2, 4–5]",
        '{"op": "delete", "path": "entities/ann.md", "lines": [2, "4-5"]}',
        '[{"op": "delete", "path": "entities/ann.md#2,4-5"}]',
    ],
)
def test_read_operations_reads_a_deletion_in_every_form(raw: RawLogs, reply: str) -> None:
    (found,) = read_operations(reply, raw)
    assert (found.verb, found.path.removesuffix(".md"), found.numbers) == ("delete", "entities/ann", (2, 4, 5))
    assert found.lines == ()


def test_a_sentence_about_deleting_is_no_operation(raw: RawLogs) -> None:
    assert read_operations("replace the old line\ndelete nothing\nDelete D1:3", raw) == ()


def test_lines_that_begin_like_an_operation_stay_lines(raw: RawLogs) -> None:
    reply = "append entities/bob.md\n- write a letter to Ann [D2:1]\n- cat food is out [D1:3]\n- move: next week [D1:1]"
    (found,) = read_operations(reply, raw)
    assert [line.text for line in found.lines] == ["write a letter to Ann", "cat food is out", "move: next week"]


@pytest.mark.parametrize(
    "reply", ["", "none", "I would write a note.", "{", '{"op": 3}', "[[[[[{}]]]]]", "append", "3"]
)
def test_read_operations_finds_none_in_other_replies(raw: RawLogs, reply: str) -> None:
    assert read_operations(reply, raw) == ()


_PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                *VERBS,
                " entities/ann.md",
                "\n- ",
                "[D1:1]",
                "[D9:9",
                "```",
                "{",
                '"op":',
                "sources:",
                "../",
                "\x00",
                "\n",
            ]
        ),
        st.text(max_size=12),
    ),
    max_size=30,
)


@given(_PIECES)
@settings(max_examples=300, deadline=None)
def test_read_operations_takes_any_text(pieces: list[str]) -> None:
    for operation in read_operations("".join(pieces), fill_raw(Workspace()).raw):
        assert operation.verb in VERBS
