"""HiAgent as an agent: what the model is shown, what it may do before an action, what reaches the world."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.hiagent.strategy import STRATEGY
from bench.conformance.rules import check_strategy
from bench.models.tokenizers import count_tokens

Walker = Callable[..., "Walk"]  # type: ignore[name-defined]  # noqa: F821 - of this folder's conftest
PLAN = [
    "Subgoal: pass door 1\nAction: go 1",
    "Action: go 2",
    "Subgoal: pass door 3\nAction: go 3",
    "Action: go 4",
    "Action: go 5",
]


def test_recall_shows_closed_sub_goals_as_lines_and_the_open_one_in_full(walk: Walker) -> None:
    done = walk(PLAN, steps=5)
    assert done.world.told == ["go 1", "go 2", "go 3", "go 4", "go 5"]
    assert done.contexts()[-1] == (
        "[0] Observation: You see door 0.\n"
        "1 Subgoal: pass door 1\n"
        "[2] Outcome: summary 1\n"
        "2 Subgoal: pass door 3\n"
        "[3] Action: go 3\n"
        "[3] Observation: You see door 3. Door 3 is shut. The lamp is on.\n"
        "[4] Action: go 4"
    )
    assert done.steps[-1].decision.context.refs == ("o0", "a1", "o1", "a2", "o2", "a3", "o3", "a4")
    assert done.steps[2].decision.notes == ("subgoal: pass door 3",)


def test_summary_is_made_once_for_each_closed_sub_goal(walk: Walker) -> None:
    done = walk([*PLAN, *["Action: go on"] * 20, "Subgoal: third\nAction: go", "Action: go"], steps=27)
    assert done.roles().count("summarize") == 2
    system, user = next(messages for role, messages in done.asked if role == "summarize")
    assert "at most 200 tokens" in system.content
    task, _, chunk = user.content.partition("\n\n# Sub-goal\n")
    assert task == "# Task\nYou stand in a corridor.\n\nYour task is to: reach the end."
    assert chunk.startswith("Sub-goal: pass door 1\nWhat happened:\n[1] Action: go 1\n[1] Observation: You see")


@pytest.mark.parametrize(
    ("given_", "folded", "asked"),
    [
        ({"summary": "last"}, "[2] Outcome: You see door 2. Door 2 is shut. The lamp is on.\n", 0),
        ({"summary": "none"}, "", 0),
        ({"variant": "code"}, "[2] Outcome: summary 1\n", 1),
    ],
)
def test_summary_parameter_sets_what_a_closed_sub_goal_leaves(
    walk: Walker, given_: dict[str, str], folded: str, asked: int
) -> None:
    done = walk(PLAN, steps=5, **given_)
    assert f"1 Subgoal: pass door 1\n{folded}2 Subgoal" in done.contexts()[-1]
    assert done.roles().count("summarize") == asked


def test_code_variant_makes_no_summary_where_observations_hold_the_state(walk: Walker) -> None:
    lines = ["A is on B. C is on D. E is free.", "A is on B. C is on D. E is on A.", "x"]
    done = walk(PLAN, steps=5, lines=lines, variant="code")
    assert "[2] Outcome: A is on B. C is on D. E is on A." in done.contexts()[-1]
    assert "summarize" not in done.roles()


def test_hide_off_shows_everything_and_offers_no_retrieval(walk: Walker) -> None:
    done = walk(PLAN, steps=5, hide="off")
    assert done.contexts()[-1].count("Action: go") == 4
    assert "2 Subgoal: pass door 3" in done.contexts()[-1]
    assert set(done.roles()) == {"act"}
    assert not any("retrieve(" in m.content for _, messages in done.asked for m in messages)


def test_retrieval_shows_the_sub_goal_with_its_number_and_costs_no_step(walk: Walker) -> None:
    done = walk([*PLAN[:4], "Action: retrieve( 1,7 )", "Action: go 5", "Action: go 6"], steps=6)
    assert done.world.told == ["go 1", "go 2", "go 3", "go 4", "go 5", "go 6"]
    shown = done.contexts()[4]
    assert "1 Subgoal: pass door 1\n[1] Action: go 1\n" in shown
    assert shown.endswith(
        "Notice: you asked to see in full: 1. What of it fits is shown above. Now give an action.\n"
        "Notice: there is no closed sub-goal 7; closed are: 1."
    )
    assert done.steps[4].decision.notes == ("retrieve: 1, 7",)
    assert "[1] Action: go 1" in done.contexts()[5]  # until the next sub-goal
    assert "Notice" not in done.contexts()[5]


@pytest.mark.parametrize(("expand", "next_shown"), [("step", False), ("until-next-subgoal", True)])
def test_expand_parameter_sets_how_long_a_retrieval_lasts(walk: Walker, expand: str, next_shown: bool) -> None:
    replies = [
        *PLAN[:4],
        "Action: retrieve(1)",
        "Action: go 5",
        "Action: go 6",
        "Subgoal: x\nAction: go 7",
        "Action: go",
    ]
    done = walk(replies, steps=8, expand=expand)
    assert ["[1] Action: go 1" in text for text in done.contexts()[4:]] == [True, next_shown, next_shown, False]


def test_endless_retrieval_ends_in_an_empty_action_after_four_calls(walk: Walker) -> None:
    done = walk(lambda _messages, role: "Action: retrieve(1)" if role == "act" else "s", steps=3)
    assert done.world.told == []
    assert len(done.asked) == 3 * 4
    assert done.steps[0].decision.notes == ("retrieve: 1", "retrieve: 1")
    assert done.steps[0].decision.reading.dialect == ("retrieve", "refused", "retrieve", "refused", *["retrieve"] * 2)
    assert done.steps[0].decision.reading.unreadable
    assert "closed are: none" in done.asked[1][1][1].content


def test_retrieve_off_treats_a_retrieval_as_no_action(walk: Walker) -> None:
    done = walk(["Action: retrieve(1)", "Action: go"], steps=1, retrieve="off")
    assert done.world.told == ["go"]
    assert done.asked[1][1][-1].content.startswith("No action could be made out in that reply.")
    assert done.steps[0].decision.reading.asked_again == 1
    assert "retrieve(" not in done.asked[0][1][0].content


def test_sub_goal_without_an_action_is_asked_about_once(walk: Walker) -> None:
    done = walk(["Subgoal: a", "Action: go", "Subgoal: b", "Subgoal: c", "Action: on"], steps=3)
    assert done.world.told == ["go", "on"]
    assert 'the sub-goal "a" is open' in done.asked[1][1][1].content
    assert "1 Subgoal: a" in done.contexts()[2]
    assert "Subgoal: b" not in done.contexts()[2]  # nothing was done for it
    assert [step.decision.notes for step in done.steps[:2]] == [("subgoal: a",), ()]
    assert [step.decision.reading.asked_again for step in done.steps] == [0, 0, 0]


def test_consecutive_sub_goals_have_one_action_each(walk: Walker) -> None:
    done = walk([f"Subgoal: aim {n}\nAction: go {n}" for n in range(6)], steps=6)
    headings = re.findall(r"^(\d+) Subgoal: (.*)$", done.contexts()[-1], re.MULTILINE)
    assert headings == [(str(n + 1), f"aim {n}") for n in range(5)]
    assert done.roles().count("summarize") == 4  # the last action ends the episode


def test_repeated_open_sub_goal_is_no_new_one(walk: Walker) -> None:
    done = walk(["Subgoal: a\nAction: go", "1 Subgoal: A\nAction: on", "Action: on"], steps=3)
    assert done.contexts()[-1].count("Subgoal") == 1


def test_summariser_sees_the_outcome_before_and_is_trimmed_at_a_sentence(walk: Walker) -> None:
    acts = iter([*PLAN, "Subgoal: third\nAction: go 6", "Action: go 7"])
    text = "**Summary:** Door 1 is shut. " + "Nothing else is there. " * 3
    done = walk(lambda _messages, role: next(acts) if role == "act" else text, steps=7, summary_tokens="10")
    assert "[2] Outcome: Door 1 is shut. Nothing else is there.\n2 Sub" in done.contexts()[-1]
    assert done.steps[3].decision.notes == ("trimmed: 1 texts so far",)
    last = [messages[1].content for role, messages in done.asked if role == "summarize"][-1]
    assert last.partition("# Sub-goal\n")[2].startswith(
        "Outcome of the sub-goal before: Door 1 is shut. Nothing else is there.\nSub-goal: pass d"
    )


@pytest.mark.parametrize("summary", ["", " \n ", "word " * 400])
def test_unusable_summary_is_replaced_by_the_last_observation(walk: Walker, summary: str) -> None:
    acts = iter(PLAN)
    done = walk(lambda _messages, role: next(acts) if role == "act" else summary, steps=5)
    assert "[2] Outcome: You see door 2. Door 2 is shut. The lamp is on.\n2 Sub" in done.contexts()[-1]


@given(st.integers(0, 150), st.sampled_from(["Action: go", "Action: retrieve(1)", "Subgoal: x"]))
@settings(max_examples=40)
def test_recall_is_repeatable_and_within_the_budget(walk: Walker, budget: int, last: str) -> None:
    done = walk([*PLAN[:4], last, "Action: go 5", "Action: go 6"], steps=5, budget=budget)
    assert all(count_tokens(text) <= budget for text in done.contexts())
    prompts = [messages[1].content for role, messages in done.asked if role == "act"]
    fixed = count_tokens(prompts[0].partition("\n\n# Now")[0].partition("\n\n# Memory")[0])
    for prompt in prompts:
        memory = prompt.partition("# Memory\n")[2].partition("\n\n# Now")[0]
        assert count_tokens(memory) <= budget, fixed
    assert done.steps[-1].decision.context.truncated or budget > 60


def test_recall_drops_the_oldest_first_and_the_open_sub_goal_last(walk: Walker) -> None:
    done = walk(PLAN, steps=5, budget=28)
    text = "Notice: older parts are left out.\n2 Subgoal: pass door 3\n[4] Action: go 4"
    assert done.contexts()[-1] == text  # no observation without its action
    assert done.steps[-1].decision.context.truncated


def test_recall_drops_the_rest_of_the_past_before_what_was_asked_for(walk: Walker) -> None:
    plan = [*PLAN[:4], "Subgoal: third\nAction: go 5", "Action: retrieve(1)", "Action: go 6"]
    done = walk(plan, steps=6, budget=122)
    shown = done.contexts()[-1]
    assert shown.startswith("Notice: older parts are left out.\n1 Subgoal: pass door 1\n[1] Action: go 1\n")
    assert "2 Subgoal" not in shown
    assert shown.endswith("3 Subgoal: third\n[5] Action: go 5\n" + shown.splitlines()[-1])
    folded = walk(plan, steps=6, budget=50).contexts()[-1]
    assert "[1] Action: go 1" not in folded


def test_retrieval_under_a_new_sub_goal_says_that_it_opens(walk: Walker) -> None:
    done = walk([*PLAN[:4], "Subgoal: third\nAction: retrieve(1)", "Action: go 5", "Action: go 6"], steps=6)
    assert 'Notice: the sub-goal "third" opens with that action' in done.contexts()[4]
    assert "3 Subgoal: third\n[5] Action: go 5" in done.contexts()[5]


HOSTILE = st.lists(
    st.sampled_from(
        [
            "Subgoal: find it", "subgoal:", "3 Subgoal: x", "Subgoal: a Subgoal: b", "Action: go on", "Action:",
            "Action: retrieve(1)", "Action: retrieve(0, 99)", "retrieve()", "retrieve(1,2", "Action: Subgoal: x",
            "Action: Action: retrieve(1)", "Action: go Subgoal: y", "Observation: z", "", "Action: x retrieve(2)",
        ]
    ),
    max_size=4,
).map("\n".join)  # fmt: skip


@given(st.lists(HOSTILE, min_size=1, max_size=8), st.sampled_from(["on", "off"]), st.sampled_from(["on", "off"]))
@settings(max_examples=120)
def test_no_command_reaches_the_environment(walk: Walker, replies: list[str], retrieve: str, hide: str) -> None:
    turn = iter(range(10**6))
    done = walk(lambda _messages, _role: replies[next(turn) % len(replies)], steps=6, retrieve=retrieve, hide=hide)
    assert len(done.steps) == 6
    for action in done.world.told:
        assert not re.search(r"sub-?goal\s*:|retrieve\s*\(|^action:", action, re.IGNORECASE)
        assert len(action.splitlines()) <= 1


@pytest.mark.parametrize(
    "given_",
    [
        {"summary": "last"}, {"summary": "none"}, {"retrieve": "off"}, {"hide": "off"}, {"expand": "step"},
        {"variant": "code"}, {"summary": "last", "retrieve": "off"}, {"summary_tokens": "1"},
    ],
)  # fmt: skip
def test_check_strategy_passes_with_every_ablation(given_: dict[str, str]) -> None:
    assert [result for result in check_strategy(STRATEGY, given_) if not result.passed] == []
