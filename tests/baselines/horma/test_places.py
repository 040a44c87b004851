"""Addresses of lines, and lines by what they say."""

from __future__ import annotations

import time

import pytest

from baselines.horma.notes import Line, Meta
from baselines.horma.places import find_places, grep, split_addresses
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


def test_split_addresses_gives_numbers_to_the_page_before() -> None:
    assert split_addresses("a/b.md#1, 3-4 c/d.md 2 and D1:4") == ["a/b.md#1,3-4", "c/d.md#2", "D1:4"]


def test_grep_is_literal_and_ignores_case() -> None:
    workspace = make_workspace()
    workspace.write("notes/codes.md", Meta(sources=("D1:1",)), [Line("the code is A.B (old)"), Line("axb")])
    assert [place.address for place in grep(workspace, "MOMO")] == ["events/2023-05-01_move.md:1", "D1:3"]
    assert [place.address for place in grep(workspace, "a.b (")] == ["notes/codes.md:1"]
    assert [place.address for place in grep(workspace, "climbing|sunset", "entities")] == [
        "entities/ann.md:2",
        "entities/bob.md:1",
    ]


def test_grep_falls_back_to_all_words_of_a_phrase() -> None:
    assert [place.address for place in grep(make_workspace(), "climbing arm")] == ["entities/bob.md:1", "D2:1"]
    assert grep(make_workspace(), "arm oslo") == ()


def test_grep_looks_below_a_folder_or_in_a_page() -> None:
    workspace = make_workspace()
    assert [place.address for place in grep(workspace, "ann", "raw_logs/session_002_2023-06-02")] == ["D2:2"]
    assert [place.address for place in grep(workspace, "sunset", "entities/ann.md")] == ["entities/ann.md:2"]
    with pytest.raises(Refusal) as caught:
        grep(workspace, " | ")
    assert caught.value.kind is RefusalKind.GRAMMAR


def test_grep_takes_a_catastrophic_expression_as_text() -> None:
    workspace = Workspace()
    for number in range(1, 400):
        workspace.write_raw(make_turn(f"D1:{number}", "Ann", "a" * 2000, "8 May, 2023"))
    began = time.process_time()
    assert grep(workspace, "(a+)+$") == ()
    assert grep(workspace, "(a*)*b") == ()
    assert len(grep(workspace, "aaaa")) == 399
    assert time.process_time() - began < 2
