"""Replies in HiAgent's dialect, the published code's faults (H1 to H7) among them."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from baselines.hiagent.reply import ParsedReply, read_reply


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Action: go to shelf 1", ParsedReply(action="go to shelf 1")),
        ("go to shelf 1", ParsedReply(action="go to shelf 1")),
        ("Subgoal: find a mug\nAction: go to shelf 1", ParsedReply("find a mug", "go to shelf 1")),
        ("subgoal:find a mug\n\n  action: Action: go", ParsedReply("find a mug", "go")),
        ("Subgoal: find a mug\ngo to shelf 1", ParsedReply("find a mug", "go to shelf 1")),
        ("3 Subgoal: find a mug\nAction: go", ParsedReply("find a mug", "go")),  # H5: the number of a heading, echoed
        ("**Sub-goal 3:** find a mug\nAction: go", ParsedReply("find a mug", "go")),
        ("Action: go\nSubgoal: find a mug", ParsedReply(action="go")),  # H5: the other way round
        ("Action: Subgoal: find a mug\nAction: go", ParsedReply("find a mug", "go")),
        ("Subgoal: find a mug", ParsedReply("find a mug")),  # H6
        ("Subgoal:\nAction: go", ParsedReply(action="go")),
        ("Subgoal: a\nSubgoal: b\nAction: go", ParsedReply("b", "go")),  # H3: two in a row
        ("Subgoal: a\nAction: go\nObservation: x\nSubgoal: b\nAction: stay", ParsedReply("a", "go")),
        ("My subgoals are many.\nAction: go", ParsedReply(action="go")),
        ("Action: go Subgoal: b", ParsedReply(action="go")),
        ("Action:\nAction: go", ParsedReply(action="go")),
        ("Action:", ParsedReply()),
        ("", ParsedReply()),
        ("Action: retrieve(1)", ParsedReply(retrieve=(1,))),
        ("Action: retrieve( 1 ,2,  3)", ParsedReply(retrieve=(1, 2, 3))),
        ("retrieve(1,2", ParsedReply(retrieve=(1, 2))),
        ("Action: `Retrieve (2, 2)`", ParsedReply(retrieve=(2,))),
        ("Action: retrieve()", ParsedReply(retrieve=())),
        ("Action: retrieve(all)", ParsedReply(retrieve=())),
        ("Action: go and retrieve(1)", ParsedReply(retrieve=(1,))),
        ("Subgoal: look back\nAction: retrieve(1)", ParsedReply("look back", retrieve=(1,))),  # H3
    ],
)
def test_read_reply_reads_sub_goal_action_and_retrieval(text: str, said: ParsedReply) -> None:
    assert read_reply(text, "Action:") == said


def test_read_reply_without_a_label_reads_by_lines() -> None:
    assert read_reply("Subgoal: a\ngo\nstay", "") == ParsedReply("a", "go")


def test_read_reply_cuts_a_long_sub_goal() -> None:
    assert len(read_reply("Subgoal: " + "word " * 900, "Action:").subgoal) <= 200


PIECES = st.sampled_from(
    ["Subgoal:", "subgoal 2:", "retrieve(", "retrieve(1, 2)", ")", "Action:", "action:", "go", "\n", " ", "\u2028", "3"]
)


@given(st.lists(PIECES | st.text(max_size=5), max_size=12).map("".join))
@example("Action: sub-goal**: x")
def test_read_reply_never_returns_a_command_as_action(text: str) -> None:
    said = read_reply(text, "Action:")
    assert not re.search(r"sub-?goal[^\w]*:|retrieve\s*\(", said.action, re.IGNORECASE)
    assert len(said.action.splitlines()) <= 1
    assert len(said.subgoal.splitlines()) <= 1
    assert not said.action.lower().startswith("action:")
