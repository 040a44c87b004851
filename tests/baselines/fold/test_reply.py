"""Replies in Fold's dialect, plain, in the styles of chat models, and hostile."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.fold.reply import read_reply
from bench.types import Frame

FRAME = Frame("f", "Act.")
Said = tuple[str, list[tuple[str, str]]]


def read(text: str) -> Said:
    parsed = read_reply(text, FRAME)
    return parsed.reply.value, [(command.name, command.text) for command in parsed.commands]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Action: go", ("go", [])),
        ("branch(find the mug)\nAction: go", ("go", [("branch", "find the mug")])),
        ("Action: branch(find the mug)", ("", [("branch", "find the mug")])),
        ("return(A is on B.)\nbranch(next)\nAction: go", ("go", [("return", "A is on B."), ("branch", "next")])),
    ],
)
def test_plain_reply_needs_no_repair(text: str, expected: Said) -> None:
    assert read(text) == expected
    assert read_reply(text, FRAME).reply.repairs == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("go", ("go", [])),
        ("Action: Branch (\"find (all) mugs\")", ("", [("branch", "find (all) mugs")])),
        ("**branch(find the mug)**\n**Action:** go", ("go", [("branch", "find the mug")])),
        ("1. return(It is there.)\n2. Action: go", ("go", [("return", "It is there.")])),
        (
            "return(\n  A is on B (the red one).\n  C is free.\n)\n\nAction: go",
            ("go", [("return", "A is on B (the red one). C is free.")]),
        ),
        ("```\nbranch(find the mug)\nAction: go\n```", ("go", [("branch", "find the mug")])),
        ('branch(description="look", prompt="look around")\nAction: go', ("go", [("branch", "look")])),
        ("The mug is near.\n\nbranch(take it)\n\nNext action: go", ("go", [("branch", "take it")])),
        ("<think>branch(a lie)</think>\nAction: go", ("go", [])),
        ("branch(find it) Action: go", ("go", [("branch", "find it")])),
        ("return(cut off", ("", [("return", "cut off")])),
        ("return(cut off\nAction: go", ("go", [("return", "cut off")])),
        ("return()", ("", [("return", "")])),
        ("Action: return(x)\nAction: go", ("go", [("return", "x")])),
        ("Action: go\nreturn(x)", ("go", [])),
        ("branch(a)\nbranch(b)\nbranch(c)\nAction: go", ("go", [("branch", "a"), ("branch", "b")])),
        ("branch(a)\nlook around", ("look around", [("branch", "a")])),
        ("I will return (go back) to desk 1.\nAction: go to desk 1", ("go to desk 1", [])),
        ("I could use a branch (for the search), but the desk is near and there is no need for one.", ("", [])),
        ("Action:\nAction: Action: go", ("go", [])),
        ("", ("", [])),
    ],
)  # fmt: skip
def test_read_reply_reads_commands_and_action(text: str, expected: Said) -> None:
    assert read(text) == expected


PIECES = st.sampled_from(
    ["branch(", "return(", "Return (", ")", "Action:", "go", "\n", " ", "x", "\u2028", "branch(a)"]
)


@given(st.lists(PIECES | st.text(max_size=4), max_size=12).map("".join))
def test_read_reply_never_returns_a_command_as_action(text: str) -> None:
    action, commands = read(text)
    assert not re.search(r"(branch|return)\s*\(", action, re.IGNORECASE)
    assert not action.lower().startswith("action:")
    assert len(action.splitlines()) <= 1
    assert len(commands) <= 2
    assert all(len(text.splitlines()) <= 1 for _, text in commands)
