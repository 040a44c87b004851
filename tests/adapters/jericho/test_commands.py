"""What reaches a game is one short, plain command, whatever was written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.jericho.commands import MAX_CHARS, MAX_WORDS, read_command


@pytest.mark.parametrize(
    ("written", "text", "repairs"),
    [
        ("open mailbox", "open mailbox", ()),
        ("  take   lamp ", "take lamp", ("ascii",)),
        ("go north, then open door", "go north", ("first-command",)),
        ("look. take lamp", "look", ("first-command",)),
        ("look then quit", "look", ("first-command",)),
        ("strengthen rope", "strengthen rope", ()),
        ("look\nquit", "look", ("first-line",)),
        ("say “hello”", 'say "hello"', ("ascii",)),
        ("take café", "take cafe", ("ascii",)),
        ("n\U0001f600", "n?", ("ascii",)),
        ("take " * 30, " ".join(["take"] * 15) + " t", ("word-limit", "length-limit")),
        ("a " * 30, " ".join(["a"] * 20), ("word-limit",)),
        ("x" * 500, "x" * 76, ("length-limit",)),
        (", take lamp", "", ("first-command",)),
        ("", "", ()),
    ],
)
def test_what_is_cut_is_counted(written: str, text: str, repairs: tuple[str, ...]) -> None:
    command = read_command(written)
    assert (command.text, command.repairs) == (text, repairs)


@pytest.mark.parametrize("written", ["quit", "Q", "SAVE", "restore now", "#random 5", "$verify", 'say "quit"', "undo."])
def test_leaving_saving_and_debugging_are_withheld(written: str) -> None:
    assert read_command(written).withheld


@pytest.mark.parametrize("written", ["look", "take save disk", "north", "wait", "again", ""])
def test_other_commands_are_not(written: str) -> None:
    assert not read_command(written).withheld


def test_commands_that_only_ask_are_helpers() -> None:
    assert read_command("Inventory").helper
    assert not read_command("open inventory").helper


@given(st.text(max_size=400))
def test_a_command_is_always_short_plain_and_final(written: str) -> None:
    text = read_command(written).text
    assert len(text) <= MAX_CHARS
    assert len(text.split()) <= MAX_WORDS
    assert not set(text) & {",", ".", "\n", "\r"}
    assert text.isascii()
    assert text.isprintable()
    assert read_command(text).text == text
