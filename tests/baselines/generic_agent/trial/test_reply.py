"""What a reply means, and that nothing of the dialect can stand in an action."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.generic_agent.trial.reply import ParsedReply, read_reply

WORDS = re.compile(r"</?\s*summary|key_info|checkpoint\s*\(|read\s*\(|summary\s*:", re.IGNORECASE)
PIECES = (
    "<summary>", "</summary>", "<summary", "< SUMMARY >", "</summary", "<key_info>", "</key_info>", "key_info: x",
    "checkpoint(", "checkpoint()", "checkpoint(a; b)", "Checkpoint(x", "read(", "read(l3/heat.txt)", "READ (l0)", ")",
    "Action:", "Action: ", "action: go east", "Summary: seen", "go to shelf 1", "Observation: a mug", "\n", "\n\n", " ",
    "summary", "checkpoint", "**", "\u2028", "\x00", "皿",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Action: go east", ParsedReply("go east", "go east")),
        ("go east", ParsedReply("go east", "go east")),
        ("<summary>a mug lies here</summary>\nAction: take mug", ParsedReply("a mug lies here", "take mug")),
        ("<summary>a mug</summary> Action: take mug", ParsedReply("a mug", "take mug")),
        ("<summary>a mug\nAction: take mug", ParsedReply("a mug", "take mug")),
        ("<summary>\na\nmug\n</summary>\nAction: take mug", ParsedReply("a mug", "take mug")),
        ("<summary>a <summary>b</summary></summary>\nAction: go", ParsedReply("a b", "go")),
        ("<summary>old</summary>\n<summary>new</summary>\nAction: go", ParsedReply("new", "go")),
        ("Summary: a mug\ntake mug", ParsedReply("a mug", "take mug")),
        ("I think of going.\nAction: Action: go\nAction: stay", ParsedReply("I think of going. go stay", "go")),
        ("Action: go <summary>late</summary>", ParsedReply("go", "go")),
        ("<summary>only this</summary>", ParsedReply("only this")),
        ("</summary>", ParsedReply()),
        ("Action:", ParsedReply()),
        ("", ParsedReply()),
    ],
)
def test_read_reply_reads_summary_and_action(text: str, said: ParsedReply) -> None:
    assert read_reply(text, "Action:") == said


@pytest.mark.parametrize(
    ("text", "key_info", "action"),
    [
        ("checkpoint(goal: a mug; seen (twice))\nAction: go", "goal: a mug; seen (twice)", "go"),
        ("Action: checkpoint(a)\nAction: go", "a", "go"),
        ("checkpoint(a\nb\nAction: go", "a b", "go"),
        ("checkpoint(a\nb)\ngo", "a b", "go"),
        ("checkpoint(a)\ncheckpoint(b)\ngo", "b", "go"),
        ("Action: go\ncheckpoint(late)", None, "go"),
        ("checkpoint()", "", ""),
        ("checkpoint(", "", ""),
        ("checkpoint: a", "", ""),
        ("Action: go to checkpoint", None, "go to checkpoint"),
        ("Action: go, then checkpoint(a)", None, "go, then"),
    ],
)
def test_read_reply_reads_checkpoints(text: str, key_info: str | None, action: str) -> None:
    said = read_reply(text, "Action:")
    assert (said.key_info, said.action) == (key_info, action)


@pytest.mark.parametrize(
    ("text", "read", "action"),
    [
        ("Action: read(l3/heat-egg.txt)", "l3/heat-egg.txt", ""),
        ("read( l0 )\nAction: go", None, "go"),
        ("read(l0)\ngo", "l0", ""),
        ("Action: read(", "", ""),
        ("Action: read book", None, "read book"),
        ("Action: go and read(l0)", None, "go and"),
    ],
)
def test_read_reply_reads_file_requests(text: str, read: str | None, action: str) -> None:
    said = read_reply(text, "Action:")
    assert (said.read, said.action) == (read, action)


def test_read_reply_without_a_label_reads_by_lines() -> None:
    assert read_reply("<summary>x</summary>\n\ngo", "").action == "go"


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join), st.sampled_from(["Action:", ""]))
def test_read_reply_never_returns_a_command_as_action(text: str, label: str) -> None:
    said = read_reply(text, label)
    assert not WORDS.search(said.action)
    assert len(said.action.splitlines()) <= 1
    assert len(said.summary.splitlines()) <= 1
    assert not (said.action and said.read is not None)
    if label:
        assert not said.action.lower().startswith("action:")
