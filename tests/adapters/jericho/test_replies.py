"""Replies are read as a player reads them: no status line, no title page, refusals known."""

from __future__ import annotations

import pytest

from adapters.jericho.replies import ended, opening_text, refusal, said

STATUS = " West of House" + " " * 90 + "Score: 0                Moves: 12              \n"


@pytest.mark.parametrize("start", ["", "> ", ">"])
def test_the_status_line_is_taken_off(start: str) -> None:
    assert said(f"{start}{STATUS.strip()} \nTaken.\n\n") == "Taken."
    assert said(STATUS + "Kitchen\nYou are in the kitchen.\n>") == "Kitchen\nYou are in the kitchen."
    assert said(STATUS.replace("Score: 0", "Score: -5")) == ""
    assert said("Hall" + " " * 40 + "Time:  4:15 PM\nTaken.") == "Taken."


def test_what_only_looks_like_a_status_line_stays() -> None:
    assert said("Your score is 3, in 4 moves.") == "Your score is 3, in 4 moves."
    assert said("A sign says Score: 3 Moves: 4") == "A sign says Score: 3 Moves: 4"
    assert said("Taken.\n" + STATUS.strip()) == "Taken.\n" + STATUS.strip()


def test_the_title_page_is_left_out_and_the_prologue_is_not() -> None:
    text = "A dream.\n\nTHE GAME\nCopyright 1981\nRelease 3 / Serial number 8\n\nHall\nA hall.\n\nA cat is here.\n"
    assert opening_text(text) == "A dream.\nHall\nA hall.\nA cat is here."
    assert opening_text("THE GAME\nRelease 3") == "THE GAME\nRelease 3"


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
def test_a_refusal_is_known_by_how_the_reply_begins(text: str, reason: str) -> None:
    assert refusal(text) == reason


def test_the_end_of_a_game_is_known() -> None:
    assert ended("You are dead.\nWould you like to restart the game from the beginning, restore a saved game position?")
    assert ended("Would you like to RESTART, RESTORE a saved game or QUIT?")
    assert ended("*** You have won ***")
    assert not ended("****  You have died  ****\nYou probably deserve another chance.")
