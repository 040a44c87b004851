"""Replies in HiAgent's dialect, the published code's faults and the styles of chat models among them."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from baselines.hiagent.reply import read_reply
from bench.types import Frame

FRAME = Frame("f", "Act.")


def read(text: str) -> tuple[str, str, tuple[int, ...] | None]:
    parsed = read_reply(text, FRAME)
    return parsed.subgoal, parsed.reply.value, parsed.retrieve


PLAIN = [
    ("Action: go to shelf 1", ("", "go to shelf 1", None)),
    ("Subgoal: find a mug\nAction: go to shelf 1", ("find a mug", "go to shelf 1", None)),
    ("Action: retrieve(1)", ("", "", (1,))),
    ("Subgoal: look back\nAction: retrieve(1, 2)", ("look back", "", (1, 2))),
]


@pytest.mark.parametrize(("text", "said"), PLAIN)
def test_plain_reply_needs_no_repair(text: str, said: tuple[str, str, tuple[int, ...] | None]) -> None:
    assert read(text) == said
    assert read_reply(text, FRAME).reply.repairs == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("go to shelf 1", ("", "go to shelf 1", None)),
        ("subgoal:find a mug\n\n  action: Action: go", ("find a mug", "go", None)),
        ("Subgoal: find a mug\ngo to shelf 1", ("find a mug", "go to shelf 1", None)),
        ("3 Subgoal: find a mug\nAction: go", ("find a mug", "go", None)),  # the number of a heading, echoed
        ("**Sub-goal 3:** find a mug\n**Action:** go", ("find a mug", "go", None)),
        ("New Subgoal: find a mug\nNext action: go", ("find a mug", "go", None)),
        ("**Next sub-goal:**\nfind a mug\n\n**Action:**\ngo", ("find a mug", "go", None)),
        ("Subgoal: find a mug. Action: go", ("find a mug", "go", None)),
        ("```\nSubgoal: find a mug\nAction: go\n```", ("find a mug", "go", None)),
        ("<think>Subgoal: lie. Action: sit</think>\nSubgoal: find a mug\nAction: go", ("find a mug", "go", None)),
        ("The mug must be somewhere.\n\nSubgoal: find it\n\nAction: go", ("find it", "go", None)),
        ("1. Subgoal: find it\n2. Action: go", ("find it", "go", None)),
        ("Action: go\nSubgoal: find a mug", ("", "go", None)),  # the other way round
        ("Action: Subgoal: find a mug\nAction: go", ("find a mug", "go", None)),
        ("Subgoal: find a mug", ("find a mug", "", None)),
        ("Subgoal:\nAction: go", ("", "go", None)),
        ("Subgoal: a\nSubgoal: b\nAction: go", ("b", "go", None)),  # two in a row
        ("Subgoal: a\nAction: go\nObservation: x\nSubgoal: b\nAction: stay", ("a", "go", None)),
        ("My subgoals are many.\nAction: go", ("", "go", None)),
        ("Action: go Subgoal: b", ("", "go", None)),
        ("Action:", ("", "", None)),
        ("", ("", "", None)),
        ("I am not sure what to do next here, so let me think it over once more.", ("", "", None)),
        ("**retrieve(1)**", ("", "", (1,))),
        ("Action: retrieve( 1 ,2,  3)", ("", "", (1, 2, 3))),
        ("retrieve(1,2", ("", "", (1, 2))),
        ("Action: `Retrieve (2, 2)`", ("", "", (2,))),
        ("Action: retrieve(all)", ("", "", ())),
        ("Action: go and retrieve(1)", ("", "go and", None)),  # no call, and never sent as one
        ("I could retrieve (or not) the first.\nAction: go", ("", "go", None)),
    ],
)
def test_read_reply_reads_sub_goal_action_and_retrieval(text: str, said: tuple[str, str, tuple[int, ...]]) -> None:
    assert read(text) == said


def test_dialect_names_the_lines_that_were_used() -> None:
    assert read_reply("Subgoal: a\nAction: retrieve(1)", FRAME).dialect == ("subgoal", "retrieve")
    assert read_reply("Action: go", FRAME).dialect == ()
    assert read_reply("Action: retrieve(1)", FRAME, may_retrieve=False).dialect == ()
    assert read_reply("Action: retrieve(1)", FRAME, may_retrieve=False).reply.unreadable


def test_read_reply_cuts_a_long_sub_goal() -> None:
    assert len(read_reply("Subgoal: " + "word " * 900, FRAME).subgoal) <= 200


PIECES = st.sampled_from(
    ["Subgoal:", "subgoal 2:", "retrieve(", "retrieve(1, 2)", ")", "Action:", "action:", "go", "\n", " ", "\u2028", "3"]
)


@given(st.lists(PIECES | st.text(max_size=5), max_size=12).map("".join))
@example("Action: sub-goal**: x")
@example("Action: go subgoal 2: retrieve(1)")
def test_read_reply_never_returns_a_command_as_action(text: str) -> None:
    subgoal, action, _ = read(text)
    assert not re.search(r"retrieve\s*\(", action, re.IGNORECASE)
    assert not re.match(r"sub-?goal\s*:", action, re.IGNORECASE)
    assert len(action.splitlines()) <= 1
    assert len(subgoal.splitlines()) <= 1
    assert not action.lower().startswith("action:")
