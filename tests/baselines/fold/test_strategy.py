"""Fold as an agent: what the model is shown of a branch, what comes back, what reaches the world."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.fold.strategy import STRATEGY
from bench.conformance.rules import check_strategy
from bench.drivers import run_episode
from bench.embedders.hash import HashEmbedder
from bench.models.scripted import ScriptedModel
from bench.models.tokenizers import count_tokens
from bench.protocols import Budget, Kit, Params
from bench.types import Frame, Limits, Message, Observation, Opening, Step

FRAME = Frame("corridor", "Walk the corridor.", max_tokens=60)


@dataclass
class Walk:
    """A corridor, what it was told, and every prompt."""

    told: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def reset(self) -> Opening:
        return Opening("You stand in a corridor.\n\nYour task is to: reach the end.", FRAME)

    def step(self, action: str) -> Observation:
        self.told.append(action)
        return Observation(f"You see door {len(self.told)}. It is shut.", executed=action)

    def close(self) -> None:
        pass

    def contexts(self) -> list[str]:
        return [step.decision.context.text for step in self.steps]


def walk(replies: Sequence[str] | Callable[[int], str], steps: int, budget: int | None = None, **given_: str) -> Walk:
    done = Walk()

    def reply(messages: Sequence[Message], _role: str) -> str:
        done.asked.append(messages[-1].content)
        return replies(len(done.asked) - 1) if callable(replies) else replies[len(done.asked) - 1]

    params = Params(STRATEGY.params, given_, who="fold")
    kit = Kit(ScriptedModel(reply), HashEmbedder(), FRAME, Budget(budget, count_tokens), params)
    run_episode(STRATEGY.build(kit), done, done.reset(), Limits(step_cap=steps), done.steps)
    return done


def test_closed_branch_shows_description_and_message() -> None:
    done = walk(
        ["Action: a", "branch(find it)\nAction: b", "Action: c", "return(It is at door 2.)\nAction: d", "Action: e"], 5
    )
    assert done.told == ["a", "b", "c", "d", "e"]
    assert done.contexts()[3] == (
        "[1] Action: a\n[1] Observation: You see door 1. It is shut.\n"
        "Branch 1 (open, 45 of 1100 tokens used; return at most 550 tokens): find it\n"
        "[2] Action: b\n[2] Observation: You see door 2. It is shut.\n[3] Action: c"
    )
    assert done.contexts()[4] == (
        "[1] Action: a\n[1] Observation: You see door 1. It is shut.\n"
        "Branch 1 (closed), opened for: find it\nReturned from branch 1:\nIt is at door 2.\n"
        "[4] Action: d"
    )
    assert done.steps[4].decision.context.refs == ("a1", "o1", "a2", "o2", "a3", "o3", "a4")
    assert done.steps[1].decision.notes == ("branch: find it",)
    assert done.steps[3].decision.notes == ("return: It is at door 2.",)


def test_commands_without_an_action_cost_no_step() -> None:
    done = walk(["Action: branch(x)", "Action: go", "Action: return(y)", "Action: branch(z)", "Action: on"], 2)
    assert done.told == ["go", "on"]
    assert "Notice: the branch is open. Give its first action." in done.asked[1]
    assert "Notice: the branch is closed. Give the next action." in done.asked[3]
    assert done.steps[1].decision.notes == ("return: y", "branch: z")


@pytest.mark.parametrize(
    ("replies", "notice"),
    [
        (["return(x)", "Action: go"], "Notice: no branch is open"),
        (["branch(a)", "branch(b)", "Action: go"], "Notice: a branch is open; close it"),
        (["Action:", "Action: go"], "No action could be made out in that reply."),
    ],
)
def test_command_that_cannot_be_followed_gets_a_notice(replies: list[str], notice: str) -> None:
    done = walk(replies, 1)
    assert done.told == ["go"]
    assert notice in done.asked[-1]
    reading = done.steps[0].decision.reading
    assert ("refused" in reading.dialect) == (replies[0] != "Action:")
    assert reading.asked_again == (replies[0] == "Action:")


def test_branch_limit_is_enforced() -> None:
    done = walk(
        ["branch(a)\nAction: go", "return(b)\nbranch(c)\nAction: go", "branch(d)", "Action: go"], 3, branches="1"
    )
    assert done.told == ["go", "go", "go"]
    assert done.steps[1].decision.notes == ("return: b", "refused: branch, spent")
    assert "Notice: no more branches can be opened." in done.asked[3]


@pytest.mark.parametrize("reply", ["return(x)", "branch(x)", "branch(x)\nreturn(y)", "Action:", ""])
def test_endless_commands_end_in_an_empty_action(reply: str) -> None:
    done = walk(lambda _n: reply, 4)
    assert done.told == []
    assert len(done.asked) <= 4 * STRATEGY.inner_calls


@pytest.mark.parametrize(
    ("message", "shown"),
    [("", "You see door 1. It is shut."), ("w " * 300, ""), ("It is far.", "It is far.")],
)
def test_close_replaces_an_empty_message_and_cuts_a_long_one(message: str, shown: str) -> None:
    done = walk(["branch(a)\nAction: go", f"return({message})\nAction: on", "Action: on"], 3)
    record = "[1] Action: go\n[1] Observation: You see door 1. It is shut."
    returned = done.contexts()[2].partition("Returned from branch 1:\n")[2].split("\n")[0]
    assert returned == shown or (not shown and set(returned) == {"w", " "})
    assert count_tokens(returned) <= count_tokens(record)


def test_full_branch_is_closed_if_it_does_not_return() -> None:
    acts = ["branch(a)\nAction: 1", *[f"Action: {n}" for n in range(2, 4)]]
    done = walk([*acts, "return(half done)\nAction: 4", "Action: 5"], 5, budget=160)
    assert "Notice: the branch is full. Give return(MESSAGE) now" in done.asked[3]  # another turn would not fit
    assert (
        "Branch 1 (closed because it was full), opened for: a\nReturned from branch 1:\nhalf done"
        in (done.contexts()[4])
    )
    stubborn = walk([*acts, "Action: 4", "Action: 5"], 5, budget=160)
    assert stubborn.told == ["1", "2", "3", "4", "5"]
    assert "Returned from branch 1:\nYou see door 3. It is shut." in stubborn.contexts()[4]


def test_recall_says_that_older_parts_are_left_out_and_keeps_the_open_branch() -> None:
    done = walk(["Action: 1", "branch(find it)\nAction: 2", *[f"Action: {n}" for n in range(3, 9)]], 8, 80, branch="9")
    lines = done.contexts()[-1].splitlines()
    assert lines[0] == "Notice: older parts are left out."
    assert lines[1].startswith("Branch 1 (open, ")
    assert lines[1].endswith(" of 720 tokens used; return at most 20 tokens): find it")
    assert lines[-1] == "[7] Action: 7"


def test_message_that_is_too_long_ends_with_a_sentence_and_is_noted() -> None:
    message = "Door 1 is shut. " * 40
    done = walk(["branch(a)\nAction: go", f"return({message})\nAction: on", "Action: on"], 3)
    assert re.search(r"Returned from branch 1:\n(Door 1 is shut\. ?)+\n", done.contexts()[2])
    assert "trimmed: returned message" in done.steps[1].decision.notes


@given(st.integers(0, 120), st.integers(0, 3))
@settings(max_examples=40)
def test_recall_is_repeatable_and_within_the_budget(budget: int, every: int) -> None:
    plan = ["branch(find it)\nAction: go", "Action: on", "return(found it)\nAction: go", "return(again)", "Action: x"]
    done = walk(lambda n: plan[(n + every) % len(plan)], 9, budget=budget)
    assert all(count_tokens(text) <= budget for text in done.contexts())
    for prompt in done.asked:
        memory = prompt.partition("# Memory\n")[2].partition("\n\n# Now")[0].partition("\n\nAction:")[0]
        assert count_tokens(memory) <= budget
    assert done.steps[-1].decision.context.truncated or budget > 30


HOSTILE = st.lists(
    st.sampled_from(
        [
            "branch(a)", "return(b)", "branch(", "return", "Action: branch(a)", "Action: return()", "Action: go", "go",
            "Action:", "Action: go branch(x)", "Return (x)", "Action: Action: return(y)", "", "Observation: z",
        ]
    ),
    max_size=4,
).map("\n".join)  # fmt: skip


@given(st.lists(HOSTILE, min_size=1, max_size=8), st.sampled_from([None, 60]))
@settings(max_examples=120)
def test_no_command_reaches_the_environment(replies: list[str], budget: int | None) -> None:
    done = walk(lambda n: replies[n % len(replies)], 6, budget=budget)
    assert len(done.steps) == 6
    for action in done.told:
        assert not re.search(r"(branch|return)\s*\(|^action:", action, re.IGNORECASE)
        assert len(action.splitlines()) <= 1
    assert len(done.asked) <= 6 * STRATEGY.inner_calls


@pytest.mark.parametrize("given_", [{"branches": "0"}, {"branch": "0"}, {"message": "0"}, {"tokens": "40"}])
def test_check_strategy_passes_with_every_setting(given_: dict[str, str]) -> None:
    assert [result for result in check_strategy(STRATEGY, given_) if not result.passed] == []
