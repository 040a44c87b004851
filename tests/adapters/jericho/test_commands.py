"""Any text becomes one short, plain command."""

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
        ("look\nquit", "look quit", ("ascii",)),  # one line whatever comes: the engine would execute the rest later
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
def test_read_command_names_each_cut(written: str, text: str, repairs: tuple[str, ...]) -> None:
    command = read_command(written)
    assert (command.text, command.repairs) == (text, repairs)


@pytest.mark.parametrize("written", ["quit", "Q", "SAVE", "restore now", "#random 5", "$verify", 'say "quit"', "undo."])
def test_read_command_withholds_quit_save_and_debug(written: str) -> None:
    assert read_command(written).withheld


@pytest.mark.parametrize("written", ["look", "take save disk", "north", "wait", "again", ""])
def test_read_command_passes_other_commands(written: str) -> None:
    assert not read_command(written).withheld


def test_command_helper_is_true_for_commands_that_ask() -> None:
    assert read_command("Inventory").helper
    assert not read_command("open inventory").helper


@given(st.text(max_size=400))
def test_read_command_result_is_short_ascii_and_stable(written: str) -> None:
    text = read_command(written).text
    assert len(text) <= MAX_CHARS
    assert len(text.split()) <= MAX_WORDS
    assert not set(text) & {",", ".", "\n", "\r"}
    assert text.isascii()
    assert text.isprintable()
    assert read_command(text).text == text
