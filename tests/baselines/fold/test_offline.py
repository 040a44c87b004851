"""The offline model in Fold's dialect: branches around the suite's own acting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from baselines.fold.offline import RULES
from baselines.fold.strategy import STRATEGY
from bench.agents import compose
from bench.config import RunConfig
from bench.models.ledger.meter import reserve_nothing
from bench.models.offline.reader import OfflineReader
from bench.runner.build import build_run
from bench.runner.simulate import Job, simulate
from bench.types import Call, Frame, Message, Shape, Stimulus, Trial, TrialKey

FRAME = Frame("f", "Act.", "An example.")
GOAL = "You see a shelf 1, a desk 1.\n\nYour task is to: put a mug in the desk 1."
OPEN = "Branch 1 (open, about 6 of 60 words used; a message has room for about 30 words): deal with shelf 1"
SEEN = "\n".join(f"[{n}] Action: go to shelf 1\n[{n}] Observation: A is on B." for n in range(1, 5))


class Suite:
    """A suite's own rule: says one action, and keeps the prompt it saw."""

    role = "act"
    header = FRAME.instructions

    def __init__(self) -> None:
        self.seen: list[Sequence[Message]] = []

    def reply(self, messages: Sequence[Message]) -> str:
        self.seen.append(messages)
        return "Action: go to desk 1"


def say(memory: str, now: str = "C (or D) is free.", suite: Suite | None = None) -> list[str]:
    messages = compose(FRAME, Stimulus(Shape.EPISODE, now, GOAL, 9), memory, dialect=STRATEGY.dialect)
    return OfflineReader((*RULES, suite or Suite())).chat(messages, role="act").text.splitlines()


def test_suites_rule_gets_the_prompt_without_the_dialect() -> None:
    suite = Suite()
    closed = "Branch 1 (closed), opened for: x\nReturned from branch 1:\nA is on B.\n"
    say(
        f"{closed}{OPEN.replace('1', '2', 1)}\n[3] Action: go\nNotice: the branch is open. Give its first action.",
        suite=suite,
    )
    stimulus = Stimulus(Shape.EPISODE, "C (or D) is free.", GOAL, 9)
    system, user = compose(FRAME, stimulus, "A is on B.\n[3] Action: go")
    assert suite.seen == [(system, replace(user, content=user.content.removesuffix("\n\nAction:")))]


def test_dialect_opens_a_branch_where_none_is_open() -> None:
    assert say("") == ["branch(deal with desk 1)", "Action: go to desk 1"]


def test_dialect_closes_a_branch_when_an_action_names_something_else() -> None:
    assert say(f"{OPEN}\n[1] Action: go to shelf 1") == ["Action: go to desk 1"]
    assert say(f"{OPEN}\n{SEEN}") == [
        "return(A is on B. C [or D] is free.)", "branch(deal with desk 1)", "Action: go to desk 1",
    ]  # fmt: skip


def test_dialect_returns_when_the_branch_is_full_and_opens_none_when_all_are_used() -> None:
    notice = "Notice: the branch has no room for another step. Give return(MESSAGE) now."
    told = f"{OPEN}\n[1] Action: go to shelf 1\n{notice}"
    assert say(told)[0] == "return(C [or D] is free.)"
    assert say("Notice: no more branches can be opened. Give an action.") == ["Action: go to desk 1"]


class Paper:
    """Keeps nothing."""

    def commit_call(self, key: TrialKey, call: Call) -> None: ...

    def supersede(self, key: TrialKey) -> None: ...

    reserve = staticmethod(reserve_nothing)


def play_suite(strategy: str) -> list[Trial]:
    bench = build_run(RunConfig(suites=("pddl",), strategies=(strategy,), split="generated"), Path("/nowhere"))
    return [simulate(Job(plan.key, plan.task), bench.build_parts(plan.key), Paper()) for plan in bench.plans[::4]]


def mean(trials: Sequence[Trial], name: str) -> float:
    values = [
        s.value for t in trials for item in t.items for s in item.scores if s.name == name and s.value is not None
    ]
    return sum(values) / len(values)


def test_fold_solves_as_much_as_full_history_with_three_quarters_of_the_context() -> None:
    is_full, folded = play_suite("full-history"), play_suite("fold")
    assert mean(folded, "success") >= mean(is_full, "success") - 0.05
    assert mean(folded, "context_tokens_mean") <= 0.75 * mean(is_full, "context_tokens_mean")
    assert mean(folded, "notes_branch") > 1
    readings = [step.decision.reading for trial in folded for step in trial.steps]
    assert not any(reading.asked_again or reading.repairs or reading.cut for reading in readings)
