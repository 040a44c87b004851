"""Addresses of lines, and lines by what they say."""

from __future__ import annotations

import time

import pytest

from baselines.horma.notes import Line, Meta
from baselines.horma.places import Hits, find_places, grep, read_numbers, split_addresses
from baselines.horma.refusals import Refusal, RefusalKind
from baselines.horma.workspace import Workspace
from tests.baselines.horma.workspaces import make_turn, make_workspace


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("D1:3", ["D1:3"]),
        ("D1:2-3", ["D1:2", "D1:3"]),
        ("D1:3–D2:1", ["D1:3", "D2:1"]),
        ("entities/ann.md", ["entities/ann.md:1", "entities/ann.md:2"]),
        ("entities/ann#2", ["entities/ann.md:2"]),
        ("entities/ann.md 1:2", ["entities/ann.md:1", "entities/ann.md:2"]),
        ("entities/ann.md:2", ["entities/ann.md:2"]),
        ("entities/ann.md lines 2-9", ["entities/ann.md:2"]),
        ("raw_logs/session_001 [2:3]", ["D1:2", "D1:3"]),
        ("raw_logs/session_002_2023-06-02#1", ["D2:1"]),
        ("raw_logs/session_001_2023-05-08/turn_0002.md", ["D1:2"]),
        ("../entities/bob", ["entities/bob.md:1"]),
        ("/entities/bob.md", ["entities/bob.md:1"]),
        ("index.md#1", ["index.md:1"]),
    ],
)
def test_find_places_reads_addresses(text: str, addresses: list[str]) -> None:
    assert [place.address for place in find_places(make_workspace(), text, "notes")] == addresses


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("entities", "entities is a folder"),
        ("entities/ann.md#7", "entities/ann.md has lines 1 to 2"),
        ("D9:9", "there is no turn D9:9"),
        ("notes/none.md", "there is no notes/none.md"),
        ("../../x", "cannot leave"),
        ("", "the root is a folder"),
        ("#3", "a name has letters"),
    ],
)
def test_find_places_refuses(text: str, message: str) -> None:
    with pytest.raises(Refusal, match=message):
        find_places(make_workspace(), text)


def test_read_numbers_reads_lists_and_ranges() -> None:
    assert read_numbers("2, 5-7 and 6", 6) == (2, 5, 6)
    assert len(read_numbers("1-999999999")) == 10_000
    assert read_numbers("none") == ()


def test_split_addresses_gives_numbers_to_the_page_before() -> None:
    assert split_addresses("a/b.md#1, 3-4 c/d.md 2 and D1:4") == ["a/b.md#1,3-4", "c/d.md#2", "D1:4"]


def test_grep_is_literal_and_ignores_case() -> None:
    workspace = make_workspace()
    workspace.write("notes/codes.md", Meta(sources=("D1:1",)), [Line("the code is A.B (old)"), Line("axb")])
    assert [place.address for place in grep(workspace, "MOMO").places] == ["events/2023-05-01_move.md:1", "D1:3"]
    assert [place.address for place in grep(workspace, "a.b (").places] == ["notes/codes.md:1"]
    assert [place.address for place in grep(workspace, "climbing|sunset", "entities").places] == [
        "entities/ann.md:2",
        "entities/bob.md:1",
    ]


def test_grep_matches_from_the_beginning_of_a_word_on() -> None:
    workspace = make_workspace()
    sources = Meta(sources=("D1:1",))
    workspace.write(
        "notes/shed.md", sources, [Line("finished a book, which he read already"), Line("the shed (red) burnt")]
    )
    workspace.write("notes/read.md", sources, [Line("reading_list"), Line("bread"), Line("a well-read man, ÉTÉ 2020")])
    found = {text: [place.address for place in grep(workspace, text, "notes").places] for text in
             ("shed", "read", "red", "list", "(red", "Été 20", "ok a")}  # fmt: skip
    assert found == {
        "shed": ["notes/shed.md:2"],
        "read": ["notes/read.md:1", "notes/read.md:3", "notes/shed.md:1"],
        "red": ["notes/shed.md:2"],
        "list": ["notes/read.md:1"],
        "(red": ["notes/shed.md:2"],
        "Été 20": ["notes/read.md:3"],
        "ok a": [],
    }


def test_grep_falls_back_to_all_words_of_a_phrase_and_says_so() -> None:
    hits = grep(make_workspace(), "climbing arm|moved to")
    assert [place.address for place in hits.places] == ["entities/ann.md:1", "entities/bob.md:1", "D1:1", "D2:1"]
    assert hits.loose == ("climbing arm",)
    assert grep(make_workspace(), "arm oslo") == Hits(())
    assert grep(make_workspace(), "broke his|broke") == Hits(grep(make_workspace(), "broke").places)


def test_grep_takes_quotes_around_one_of_several_texts_for_quotes() -> None:
    workspace = make_workspace()
    wanted = [place.address for place in grep(workspace, "to oslo|the cat|sunset").places]
    assert len(wanted) == 6
    for pattern in ('"to oslo"|"the cat"|sunset', "sunset|'the cat' | “to oslo”", 'sunset|`the cat`|""|"to oslo"'):
        assert [place.address for place in grep(workspace, pattern).places] == wanted


def test_grep_looks_below_a_folder_or_in_a_page() -> None:
    workspace = make_workspace()
    assert [place.address for place in grep(workspace, "ann", "raw_logs/session_002_2023-06-02").places] == ["D2:2"]
    assert [place.address for place in grep(workspace, "sunset", "entities/ann.md").places] == ["entities/ann.md:2"]
    with pytest.raises(Refusal) as caught:
        grep(workspace, " | ")
    assert caught.value.kind is RefusalKind.GRAMMAR


def test_grep_takes_a_catastrophic_expression_as_text() -> None:
    workspace = Workspace()
    for number in range(1, 400):
        workspace.write_raw(make_turn(f"D1:{number}", "Ann", "a" * 2000, "8 May, 2023"))
    began = time.process_time()
    assert grep(workspace, "(a+)+$") == Hits(())
    assert grep(workspace, "(a*)*b") == Hits(())
    assert len(grep(workspace, "aaaa").places) == 399
    assert time.process_time() - began < 2
