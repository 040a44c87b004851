"""The executor's grammar: an action or a signal, in the ways that chat models write them."""

from __future__ import annotations

import pytest

from baselines.h2r.reply import read_reply, read_subgoal
from tests.baselines.learners import FRAME


@pytest.mark.parametrize(
    ("text", "signal"),
    [
        ("Signal: done", "done"),
        ("**Signal:** Done.", "done"),
        ("Thought: I hold it.\n\n**Signal:**\ndone", "done"),
        ("<think>Action: wait</think>\nSignal: reached", "done"),
        ("```\nSignal: invalid\n```", "invalid"),
        ("Signal: not possible, there is no mug", "invalid"),
        ("Signal: cannot be reached", "invalid"),
        ("Signal: done\nAction: go to shelf 1", "done"),
        ("Action: Signal: done", "done"),
    ],
)
def test_signal_is_read_in_every_style(text: str, signal: str) -> None:
    parsed = read_reply(text, FRAME)
    assert (parsed.signal, parsed.reply.value, parsed.dialect) == (signal, "", (signal,))


@pytest.mark.parametrize(
    "text",
    [
        "Action: take mug 1",
        "Signal: none\nAction: take mug 1",
        "Action: take mug 1\nSignal: done",
        "Action: take mug 1 Signal: done",
        "**Action:** take mug 1\nObservation: You take it.\nSignal: done",
    ],
)
def test_action_that_comes_first_is_taken(text: str) -> None:
    parsed = read_reply(text, FRAME)
    assert (parsed.signal, parsed.reply.value, parsed.dialect) == ("", "take mug 1", ())


@pytest.mark.parametrize("text", ["Signal: done", "Action: Signal: done", "I cannot help with that."])
def test_nothing_is_read_where_no_signal_can_be_given(text: str) -> None:
    parsed = read_reply(text, FRAME, may_signal=False)
    assert (parsed.signal, parsed.reply.value, parsed.dialect) == ("", "", ())


@pytest.mark.parametrize(
    ("text", "subgoal"),
    [
        ("Subgoal: find a mug", "find a mug"),
        ("**Sub-goal:** find a mug.", "find a mug"),
        ("Thought: none yet.\nNext subgoal:\nfind a mug", "find a mug"),
        ("find a mug", ""),
        ("", ""),
    ],
)
def test_sub_goal_of_the_planner_is_read(text: str, subgoal: str) -> None:
    assert read_subgoal(text) == subgoal


def test_sub_goal_without_end_is_cut() -> None:
    assert len(read_subgoal("Subgoal: " + "find a mug and " * 100)) <= 200
