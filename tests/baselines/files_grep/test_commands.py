"""The commands in the styles of chat models, and what is a named fault."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.files_grep.commands import Command, parse
from bench.replies import ReplyError


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("done", Command("done")),
        (" DONE\n", Command("done")),
        ("list", Command("list")),
        ("list session-07.txt", Command("list", file="session-07.txt")),
        ("grep Oslo", Command("grep", words=("Oslo",))),
        ("Grep \"support group\" 'Oslo'", Command("grep", words=("support", "group", "Oslo"))),
        ("grep 皿", Command("grep", words=("皿",))),
        ("read session-07.txt 3 12", Command("read", file="session-07.txt", first=3, last=12)),
        ("`grep Oslo`", Command("grep", words=("Oslo",))),
        ("```\ngrep Oslo\n```", Command("grep", words=("Oslo",))),
        ("```sh\nlist\n```", Command("list")),
        ("**done**", Command("done")),
        ("done: nothing more is needed", Command("done")),
        ("done.", Command("done")),
        ("grep: Ulrike work commute", Command("grep", words=("Ulrike", "work", "commute"))),
        ("grep -i oslo", Command("grep", words=("oslo",))),
        ("- grep Oslo", Command("grep", words=("Oslo",))),
        ("I will look for the town.\n\ngrep Oslo", Command("grep", words=("Oslo",))),
        ("grep Oslo\ndone", Command("grep", words=("Oslo",))),
        ("<think>grep x</think>\ngrep Oslo", Command("grep", words=("Oslo",))),
        ("1. read: `session-07.txt` 3-12", Command("read", file="session-07.txt", first=3, last=12)),
        ("read session-07.txt lines 3 to 12", Command("read", file="session-07.txt", first=3, last=12)),
        ("list all files", Command("list")),
    ],
)
def test_parse_reads_the_first_command_of_a_reply(text: str, command: Command) -> None:
    assert parse(text) == command


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", 'expected grep WORDS, read FILE FROM TO, list or done, got ""'),
        ("I would grep Oslo", 'expected grep WORDS, read FILE FROM TO, list or done, got "I would grep Oslo"'),
        ("grep", 'at least one word, got ""'),
        ("grep ... !", "at least one word"),
        ("grep -v oslo", "got the option '-v'"),
        ("read session-07.txt", "read FILE FROM TO"),
        ("read session-07.txt 3", "read FILE FROM TO"),
        ("read session-07.txt 3 4 5", "read FILE FROM TO"),
        ("read session-07.txt 9 3", "1 <= FROM <= TO, got 9 3"),
        ("read session-07.txt 0 3", "1 <= FROM <= TO, got 0 3"),
        ("read a 1 12345678", "read FILE FROM TO"),
    ],
)
def test_parse_names_the_fault_of_any_other_reply(text: str, fault: str) -> None:
    with pytest.raises(ReplyError, match=fault.replace("(", r"\(").replace(".", r"\.")):
        parse(text)


@given(st.text(max_size=40) | st.from_regex(r"(?i)(grep|read|list|done)[ \w.-]{0,20}"))
def test_parse_returns_or_raises_reply_error_for_any_text(text: str) -> None:
    with suppress(ReplyError):
        command = parse(text)
        assert command.verb in ("grep", "read", "list", "done")
        assert (command.verb == "grep") == bool(command.words)
        assert command.first <= command.last
