"""The files: what goes where, and which lines a look-up finds."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.files_grep.files import LOG, File, Files, FoundLines, Place
from bench.types import Event, EventKind

SAID = (
    ("Ann", "I painted a bowl."),
    ("Bob", "A bowl? What colour?"),
    ("Ann", "Blue; painting calms me."),
    ("Bob", "I moved to Oslo in 2022."),
)


def conversation() -> Files:
    files = Files()
    for at, (speaker, text) in enumerate(SAID):
        session = 7 if at < 3 else 12
        files.write(Event(f"t{at}", EventKind.TURN, text, session, speaker, f"{session} May"))
    return files


def numbers(found: FoundLines | None) -> list[int]:
    assert found is not None
    return [place.at for place in found.places]


def test_write_makes_a_dated_file_for_each_session() -> None:
    files = conversation()
    assert files.list_files() == (File("session-07.txt", "7 May", 3), File("session-12.txt", "12 May", 1))
    assert files.list_speakers() == ("Ann", "Bob")
    assert len(files) == 4
    assert files.grep(["Oslo"], 9).places == (Place("session-12.txt", 1, 3),)
    assert files.get_event(Place("session-12.txt", 1, 3)).ref == "t3"


def test_write_puts_other_events_into_the_log() -> None:
    files = Files()
    for step, kind in enumerate((EventKind.OBSERVATION, EventKind.ACTION, EventKind.NOTE, EventKind.FEEDBACK)):
        files.write(Event(f"e{step}", kind, "text", step))
    assert files.list_files() == (File(LOG, "", 4),)
    assert files.list_speakers() == ()


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["paint"], [0, 2]),
        (["PAINTED"], [0]),
        (["ainted"], []),
        (["bowl", "ann"], [0]),
        (["bob"], [1, 3]),
        (["2022"], [3]),
        (["blue;painting"], [2]),
        (["12"], [3]),
        ([], []),
        (["?"], []),
        (["Oslo", "Bergen"], []),
    ],
)
def test_grep_finds_lines_by_the_beginnings_of_all_words(words: list[str], found: list[int]) -> None:
    assert numbers(conversation().grep(words, 9)) == found


def test_grep_returns_the_first_lines_and_counts_all() -> None:
    found = conversation().grep(["may"], 2)
    assert (numbers(found), found.total) == ([0, 1], 4)


def test_read_returns_the_lines_that_exist() -> None:
    files = conversation()
    assert numbers(files.read("session-07.txt", 2, 99)) == [1, 2]
    assert numbers(files.read("session-07.txt", 4, 99)) == []
    assert files.read("session-08.txt", 1, 2) is None


def test_grep_and_read_leave_out_the_hidden_event() -> None:
    files = conversation()
    assert numbers(files.grep(["bowl"], 9, hidden="t1")) == [0]
    assert numbers(files.read("session-07.txt", 1, 3, hidden="t1")) == [0, 2]


@given(st.lists(st.text("ab c", max_size=8), max_size=12), st.text("ab c", min_size=1, max_size=5))
def test_grep_equals_a_plain_search_of_the_lines(texts: list[str], word: str) -> None:
    files = Files()
    for at, text in enumerate(texts):
        files.write(Event(f"t{at}", EventKind.TURN, text, 1, "X"))
    find_search_words = re.findall(r"\w+", word)
    plain = [
        at
        for at, text in enumerate(texts)
        if find_search_words and all(re.search(rf"\b{one}", f"x: {text}") for one in find_search_words)
    ]
    assert numbers(files.grep([word], 99)) == plain
