"""L4: every turn by its place, sessions in order, a search that prefers rare words, a line about each session."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from baselines.generic_agent.dialogue.archive import Archive
from baselines.generic_agent.dialogue.words import find_stems
from bench.types import Event, EventKind


def make_turn(ref: str, text: str, speaker: str = "Ann", time: str = "1 May") -> Event:
    return Event(ref, EventKind.TURN, text, 0, speaker, time)


def make_archive(*sessions: tuple[str, ...]) -> Archive:
    archive, ref = Archive(), 0
    for session in sessions:
        for text in session:
            archive.add(make_turn(f"r{ref}", text))
            ref += 1
        archive.close_session()
    return archive


TALK = (
    ("I have a dog.", "My dog is ill.", "It rains."),
    ("We went camping.", "A heron flew over the camp with a dog."),
)


def test_get_turn_finds_a_turn_by_session_and_number() -> None:
    archive = make_archive(*TALK)
    turn = archive.get_turn("2:1")
    assert turn is not None
    assert (turn.event.ref, turn.place, turn.order, turn.line) == ("r3", "2:1", 3, "[1 May] Ann: We went camping.")
    assert [archive.get_turn(place) for place in ("0:1", "2:3", "3:1", "2", "x", "")] == [None] * 6


def test_get_session_returns_its_turns_in_order() -> None:
    archive = make_archive(*TALK)
    assert [turn.event.ref for turn in archive.get_session(1)] == ["r0", "r1", "r2"]
    assert [turn.event.ref for turn in archive.get_session(2)] == ["r3", "r4"]
    assert archive.get_session(3) == []


def test_close_session_without_turns_opens_no_session() -> None:
    archive = Archive()
    assert archive.is_empty
    assert archive.close_session() == []
    archive.add(make_turn("a", "Hello."))
    assert [turn.place for turn in archive.close_session()] == ["1:1"]
    assert archive.close_session() == []
    archive.add(make_turn("b", "Hello."))
    assert archive.get_turn("2:1") is not None
    assert not archive.is_empty


def test_find_prefers_rare_words_and_matches_inflections() -> None:
    archive = make_archive(*TALK)
    found = archive.find(find_stems("herons and dogs"), 10)
    assert [turn.event.ref for turn in found] == ["r4", "r0", "r1"]
    assert [turn.event.ref for turn in archive.find(find_stems("camped"), 1)] == ["r3"]
    assert archive.find(find_stems("zebra"), 10) == []
    assert archive.find(frozenset(), 10) == []


def test_find_matches_the_speaker() -> None:
    archive = Archive()
    archive.add(make_turn("a", "I moved."))
    archive.add(make_turn("b", "I moved.", "Bob"))
    assert [turn.event.ref for turn in archive.find(find_stems("where Bob moved"), 2)] == ["b", "a"]


def test_find_sorts_equal_turns_by_time_and_prefers_short_ones() -> None:
    archive = make_archive(("A kite.", "A kite.", "A kite over seven grey roofs, two chimneys, one tower."))
    assert [turn.order for turn in archive.find(find_stems("kite"), 3)] == [0, 1, 2]


def test_rank_includes_turns_that_share_no_word() -> None:
    archive = make_archive(*TALK)
    assert [turn.event.ref for turn in archive.rank(archive.get_session(1), find_stems("rain"), 2)] == ["r2", "r0"]


def test_describe_sessions_gives_date_size_and_frequent_words() -> None:
    lines = make_archive(*TALK, ("Hm.",)).describe_sessions()
    assert lines[0].startswith("session 1, 1 May, 3 turns: dog, ")
    assert lines[1].startswith("session 2, 1 May, 2 turns: ")
    assert "camping" in lines[1]
    assert len(lines) == 3
    undated = Archive()
    undated.add(Event("a", EventKind.TURN, "Trees.", 0, "Ann"))
    assert undated.describe_sessions() == ["session 1, 1 turns: trees"]


@given(st.lists(st.lists(st.text(max_size=20), min_size=1, max_size=4), max_size=4), st.text(max_size=20))
def test_archive_holds_every_turn_and_find_returns_turns_that_share_a_word(
    conversation: list[list[str]], wanted: str
) -> None:
    archive = make_archive(*map(tuple, conversation))
    kept = [turn for number in range(1, len(conversation) + 1) for turn in archive.get_session(number)]
    assert [turn.event.text for turn in kept] == [text for session in conversation for text in session]
    assert all(archive.get_turn(turn.place) == turn for turn in kept)
    found = archive.find(find_stems(wanted), 50)
    assert all(find_stems(wanted) & turn.words for turn in found)
    assert len(found) == sum(bool(find_stems(wanted) & turn.words) for turn in kept)
