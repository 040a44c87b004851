"""Replies in Fold's dialect, well-formed and not."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.fold.reply import Command, ParsedReply, read_reply


def make_reply(action: str = "", *commands: tuple[str, str]) -> ParsedReply:
    return ParsedReply(tuple(Command(name, text) for name, text in commands), action)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Action: go", make_reply("go")),
        ("go", make_reply("go")),
        ("branch(find the mug)\nAction: go", make_reply("go", ("branch", "find the mug"))),
        ("Action: branch(find the mug)", make_reply("", ("branch", "find the mug"))),
        ("Action: Branch (\"find (all) mugs\")", make_reply("", ("branch", "find (all) mugs"))),
        (
            "return(A is on B.)\nbranch(next)\nAction: go",
            make_reply("go", ("return", "A is on B."), ("branch", "next")),
        ),
        ("return(cut off", make_reply("", ("return", "cut off"))),
        ("return()", make_reply("", ("return", ""))),
        ("Action: return(x)\nAction: go", make_reply("go", ("return", "x"))),
        ("Action: go\nreturn(x)", make_reply("go")),
        ("branch(a)\nbranch(b)\nbranch(c)\nAction: go", make_reply("go", ("branch", "a"), ("branch", "b"))),
        ("branch(a)\nlook around", make_reply("look around", ("branch", "a"))),
        ("I will return to it.", make_reply("I will return to it.")),
        ("Action:\nAction: Action: go", make_reply("go")),
        ("", make_reply()),
    ],
)  # fmt: skip
def test_read_reply_reads_commands_and_action(text: str, expected: ParsedReply) -> None:
    assert read_reply(text, "Action:") == expected


PIECES = st.sampled_from(
    ["branch(", "return(", "Return (", ")", "Action:", "go", "\n", " ", "x", "\u2028", "branch(a)"]
)


@given(st.lists(PIECES | st.text(max_size=4), max_size=12).map("".join))
def test_read_reply_never_returns_a_command_as_action(text: str) -> None:
    reply = read_reply(text, "Action:")
    assert not re.search(r"(branch|return)\s*\(", reply.action, re.IGNORECASE)
    assert not reply.action.lower().startswith("action:")
    assert len(reply.action.splitlines()) <= 1
    assert len(reply.commands) <= 2
    assert all(len(command.text.splitlines()) <= 1 for command in reply.commands)
