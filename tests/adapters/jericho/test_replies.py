"""Cleaning replies: status line, title page, refusals, end of the game."""

from __future__ import annotations

import pytest

from adapters.jericho.replies import extract_opening, find_refusal, is_end, strip_status_line

STATUS = " West of House" + " " * 90 + "Score: 0                Moves: 12              \n"


@pytest.mark.parametrize("start", ["", "> ", ">"])
def test_strip_status_line_removes_status_line(start: str) -> None:
    assert strip_status_line(f"{start}{STATUS.strip()} \nTaken.\n\n") == "Taken."
    assert strip_status_line(STATUS + "Kitchen\nYou are in the kitchen.\n>") == "Kitchen\nYou are in the kitchen."
    assert strip_status_line(STATUS.replace("Score: 0", "Score: -5")) == ""
    assert strip_status_line("Hall" + " " * 40 + "Time:  4:15 PM\nTaken.") == "Taken."


def test_strip_status_line_keeps_similar_lines() -> None:
    assert strip_status_line("Your score is 3, in 4 moves.") == "Your score is 3, in 4 moves."
    assert strip_status_line("A sign says Score: 3 Moves: 4") == "A sign says Score: 3 Moves: 4"
    assert strip_status_line("Taken.\n" + STATUS.strip()) == "Taken.\n" + STATUS.strip()


def test_extract_opening_drops_title_page_and_keeps_prologue() -> None:
    text = "A dream.\n\nTHE GAME\nCopyright 1981\nRelease 3 / Serial number 8\n\nHall\nA hall.\n\nA cat is here.\n"
    assert extract_opening(text) == "A dream.\nHall\nA hall.\nA cat is here."
    assert extract_opening("THE GAME\nRelease 3") == "THE GAME\nRelease 3"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('I don\'t know the word "frob".', "unparsable"),
        ("That's not a verb I recognise.", "unparsable"),
        ("[I didn't understand that sentence.]", "unparsable"),
        ("What do you want to take?", "incomplete"),
        ("Which book do you mean, the red book or the black book?", "incomplete"),
        ("You can't go that way.", "precondition"),
        ("You can't see any lamp here!", "precondition"),
        ("(leaflet)\nYou already have that!", "precondition"),
        ("You can't go that way.\nA unicorn looks on.", "precondition"),
        ("(Taken)\nThe page is blank.", ""),
        ("Taken.", ""),
        ("Library\nYou can't see any books here.", ""),
        ("", ""),
    ],
)
def test_find_refusal_reads_start_of_reply(text: str, reason: str) -> None:
    assert find_refusal(text) == reason


def test_is_end_detects_final_question() -> None:
    assert is_end(
        "You are dead.\nWould you like to restart the game from the beginning, restore a saved game position?"
    )
    assert is_end("Would you like to RESTART, RESTORE a saved game or QUIT?")
    assert is_end("*** You have won ***")
    assert not is_end("****  You have died  ****\nYou probably deserve another chance.")
