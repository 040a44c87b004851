"""The offline model in HiAgent's dialect: the suite's action, a sub-goal where one is due, summaries of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from baselines.hiagent.offline import RULES
from baselines.hiagent.strategy import STRATEGY
from bench.agents import compose
from bench.config import RunConfig
from bench.models.ledger.meter import reserve_nothing
from bench.models.offline.reader import OfflineReader
from bench.runner.build import build_run
from bench.runner.simulate import Job, simulate
from bench.types import Call, Frame, Message, Shape, Stimulus, Trial, TrialKey

FRAME = Frame("f", "Act.", "An example.")
GOAL = "You see a shelf 1, a desk 1.\n\nYour task is to: put a mug in the desk 1."


class Suite:
    """A suite's own rule: says one action, and keeps the prompt it saw."""

    role = "act"
    header = FRAME.instructions

    def __init__(self, action: str = "go to desk 1"):
        self.action = action
        self.seen: list[Sequence[Message]] = []

    def reply(self, messages: Sequence[Message]) -> str:
        self.seen.append(messages)
        return f"Action: {self.action}"


def say(memory: str, now: str = "You arrive.", action: str = "go to desk 1", dialect: str = STRATEGY.dialect) -> str:
    messages = compose(FRAME, Stimulus(Shape.EPISODE, now, GOAL, 9), memory, dialect=dialect)
    return OfflineReader((*RULES, Suite(action))).chat(messages, role="act").text


FOLDED = "1 Subgoal: a\n[2] Outcome: The mug 1 is on the shelf 1."
HIDDEN = f"{FOLDED}\n2 Subgoal: deal with shelf 1\n[3] Action: go to shelf 1"


def test_suites_rule_gets_the_prompt_without_the_dialect() -> None:
    suite = Suite()
    messages = compose(FRAME, Stimulus(Shape.EPISODE, "You arrive.", GOAL, 4), HIDDEN, dialect=STRATEGY.dialect)
    OfflineReader((*RULES, suite)).chat(messages, role="act")
    plain = HIDDEN.replace("1 Subgoal: a\n", "").replace("2 Subgoal: deal with shelf 1\n", "")
    plain = plain.replace("Outcome:", "Observation:")
    system, user = compose(FRAME, Stimulus(Shape.EPISODE, "You arrive.", GOAL, 4), plain)
    assert suite.seen == [(system, replace(user, content=user.content.removesuffix("\n\nAction:")))]


def test_dialect_opens_a_sub_goal_with_the_first_action() -> None:
    assert say("") == "Subgoal: deal with desk 1\nAction: go to desk 1"
    assert say("", action="wait") == "Subgoal: deal with wait\nAction: wait"


def test_dialect_opens_the_next_sub_goal_when_an_action_names_something_else() -> None:
    few = "\n".join(f"[{n}] Action: go to shelf 1" for n in range(1, 4))
    assert say(f"1 Subgoal: x\n{few}") == "Action: go to desk 1"
    more = f"1 Subgoal: x\n{few}\n[4] Action: take mug 1 from shelf 1"
    assert say(more) == "Subgoal: deal with desk 1\nAction: go to desk 1"
    assert say(more, action="open shelf 1") == "Action: open shelf 1"
    assert say(more, action="look") == "Action: look"  # about nothing that the task names
    many = f"{more}\n[5] Action: open shelf 1\n[6] Action: open shelf 1"
    assert say(many, action="open shelf 1") == "Subgoal: deal with shelf 1\nAction: open shelf 1"


def test_dialect_retrieves_after_a_refusal() -> None:
    assert say(HIDDEN, now="Nothing happens.") == "Action: retrieve(1)"
    assert say(HIDDEN) == "Action: go to desk 1"
    shown = HIDDEN.replace("[2] Outcome", "[2] Action: take mug 1\n[2] Observation")
    assert say(shown, now="Nothing happens.") == "Action: go to desk 1"
    without = "\n".join(STRATEGY.dialect.splitlines()[:-1])
    assert "retrieve(" not in without
    assert say(HIDDEN, now="Nothing happens.", dialect=without) == "Action: go to desk 1"


def test_summary_rule_copies_sentences_of_the_world() -> None:
    told = "Sub-goal: a\nWhat happened:\n[1] Action: go\n[1] Observation: Nothing happens.\n[2] Observation: A is on B."
    system = (Path("baselines/hiagent") / "summarize.txt").read_text().replace("{limit}", "50")

    def reply(text: str) -> str:
        return OfflineReader(RULES).chat((Message("system", system), Message("user", text)), role="summarize").text

    assert reply(told) == "A is on B."
    assert reply("Sub-goal: a\nWhat happened:\n[1] Action: go") == "Nothing was learned."


class Paper:
    """Keeps nothing."""

    def commit_call(self, key: TrialKey, call: Call) -> None: ...

    def supersede(self, key: TrialKey) -> None: ...

    reserve = staticmethod(reserve_nothing)


def play_suite(strategy: str, suite: str = "pddl", split: str = "generated", every: int = 4) -> list[Trial]:
    bench = build_run(RunConfig(suites=(suite,), strategies=(strategy,), split=split), Path("/nowhere"))
    return [simulate(Job(plan.key, plan.task), bench.build_parts(plan.key), Paper()) for plan in bench.plans[::every]]


def mean(trials: Sequence[Trial], name: str) -> float:
    values = [
        s.value for t in trials for item in t.items for s in item.scores if s.name == name and s.value is not None
    ]
    return sum(values) / len(values)


def test_hiagent_solves_as_much_as_full_history_with_three_quarters_of_the_context() -> None:
    full, folded = play_suite("full-history"), play_suite("hiagent")
    assert mean(folded, "success") >= mean(full, "success") - 0.05
    assert mean(folded, "context_tokens_mean") <= 0.75 * mean(full, "context_tokens_mean")
    poor = play_suite("hiagent:summary=last,retrieve=off")
    assert mean(poor, "success") < mean(folded, "success")
    assert mean(play_suite("hiagent:summary=last"), "success") > mean(poor, "success")
    whole = play_suite("hiagent:hide=off")
    assert mean(whole, "context_tokens_mean") > mean(full, "context_tokens_mean")
    assert not any(call.role == "summarize" for trial in whole for call in trial.calls)


@pytest.mark.parametrize("suite", ["toy", "alfworld"])
def test_dialect_works_with_other_suites(suite: str) -> None:
    split = {"toy": "houses", "alfworld": "procedural"}
    trials = play_suite("hiagent", suite, split[suite], every=9)
    assert mean(trials, "success") == 1.0
