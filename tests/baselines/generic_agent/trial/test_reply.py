"""What a reply means, and that nothing of the dialect can stand in an action."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.generic_agent.trial.reply import read_reply
from bench.types import Frame

WORDS = re.compile(r"</?\s*summary|key_info|checkpoint\s*\(|read\s*\(|summary\s*:", re.IGNORECASE)
PIECES = (
    "<summary>", "</summary>", "<summary", "< SUMMARY >", "</summary", "<key_info>", "</key_info>", "key_info: x",
    "checkpoint(", "checkpoint()", "checkpoint(a; b)", "Checkpoint(x", "read(", "read(l3/heat.txt)", "READ (l0)", ")",
    "Action:", "Action: ", "action: go east", "Summary: seen", "go to shelf 1", "Observation: a mug", "\n", "\n\n", " ",
    "summary", "checkpoint", "**", "\u2028", "\x00", "皿",
)  # fmt: skip


FRAME = Frame("f", "Act.")


@pytest.mark.parametrize(
    ("text", "summary", "action"),
    [
        ("Action: go east", "go east", "go east"),
        ("<summary>a mug lies here</summary>\nAction: take mug", "a mug lies here", "take mug"),
        ("<summary>a mug</summary>\ncheckpoint(a mug is here)\nAction: take mug", "a mug", "take mug"),
    ],
)
def test_plain_reply_needs_no_repair(text: str, summary: str, action: str) -> None:
    said = read_reply(text, FRAME)
    assert (said.summary, said.reply.value, said.reply.repairs) == (summary, action, ())


@pytest.mark.parametrize(
    ("text", "summary", "action"),
    [
        ("go east", "go east", "go east"),
        ("<summary>a mug</summary> Action: take mug", "a mug", "take mug"),
        ("<summary>a mug\nAction: take mug", "a mug", "take mug"),
        ("<summary>\na\nmug\n</summary>\nAction: take mug", "a mug", "take mug"),
        ("<summary>old</summary>\n<summary>new</summary>\nAction: go", "new", "go"),
        ("Summary: a mug\ntake mug", "a mug", "take mug"),
        ("**Summary:** a mug\n**Action:** take mug", "a mug", "take mug"),
        ("```\n<summary>a mug</summary>\nAction: take mug\n```", "a mug", "take mug"),
        ("**Thought:** I need it.\n**Action:** take mug", "I need it. take mug", "take mug"),
        ("<think>Hm.</think>\n<summary>a mug</summary>\n\nAction:\ntake mug", "a mug", "take mug"),
        ("Action: go <summary>late</summary>", "late", "go"),
        ("<summary>only this</summary>", "only this", ""),
        ("</summary>", "", ""),
        ("Action:", "", ""),
        ("", "", ""),
    ],
)
def test_read_reply_reads_summary_and_action(text: str, summary: str, action: str) -> None:
    said = read_reply(text, FRAME)
    assert (said.summary, said.reply.value) == (summary, action)


@pytest.mark.parametrize(
    ("text", "key_info", "action"),
    [
        ("checkpoint(goal: a mug; seen (twice))\nAction: go", "goal: a mug; seen (twice)", "go"),
        ("Action: checkpoint(a)\nAction: go", "a", "go"),
        ("checkpoint(a\nb\nAction: go", "a b", "go"),
        ("checkpoint(\n  a,\n  b\n)\ngo", "a, b", "go"),
        ("**checkpoint(a)**\n**Action:** go", "a", "go"),
        ("checkpoint(a)\ncheckpoint(b)\ngo", "b", "go"),
        ("Action: go\ncheckpoint(late)", None, "go"),
        ("checkpoint()", "", ""),
        ("checkpoint(", "", ""),
        ("Action: go to checkpoint", None, "go to checkpoint"),
        ("Action: go, then checkpoint(a)", None, "go, then"),
    ],
)
def test_read_reply_reads_checkpoints(text: str, key_info: str | None, action: str) -> None:
    said = read_reply(text, FRAME)
    assert (said.key_info, said.reply.value) == (key_info, action)


@pytest.mark.parametrize(
    ("text", "read", "action"),
    [
        ("Action: read(l3/heat-egg.txt)", "l3/heat-egg.txt", ""),
        ("read( l0 )\nAction: go", "l0", "go"),
        ("`read(l0)`", "l0", ""),
        ("Action: read book", None, "read book"),
        ("Action: go and read(l0)", None, "go and"),
    ],
)
def test_read_reply_reads_file_requests(text: str, read: str | None, action: str) -> None:
    said = read_reply(text, FRAME)
    assert (said.read, said.reply.value) == (read, action)
    without = read_reply(text, FRAME, may_read=False)
    assert (without.read, without.reply.value) == (None, action)


def test_dialect_names_what_can_be_gone_on_with() -> None:
    assert read_reply("<summary>a</summary>\ncheckpoint(b)\nAction: go", FRAME).dialect == ("summary", "checkpoint")
    assert read_reply("<summary>a</summary>", FRAME).dialect == ()
    assert read_reply("checkpoint()", FRAME).dialect == ()


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_read_reply_never_returns_a_command_as_action(text: str) -> None:
    said = read_reply(text, FRAME)
    assert not WORDS.search(said.reply.value)
    assert len(said.reply.value.splitlines()) <= 1
    assert len(said.summary.splitlines()) <= 1
    assert not said.reply.value.lower().startswith("action:")
