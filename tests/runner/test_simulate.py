"""One trial from parts to record: what a strategy may see, who is blamed, what is scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import pytest

from baselines.full_history import STRATEGY
from bench.agents import default_agent
from bench.config import RunConfig
from bench.errors import BudgetStop, Interrupted, JudgeError, StoreError
from bench.models.ledger.meter import reserve_nothing
from bench.protocols import Agent, Kit, Question, Strategy
from bench.runner.build import build_run
from bench.runner.simulate import Job, Parts, simulate
from bench.types import Call, Context, EndReason, Event, Query, Score, Status, Trial, TrialKey

NOWHERE = Path("/nowhere")


@dataclass
class Paper:
    """A recorder that keeps the calls in a list; ``stop`` is raised at the third call."""

    stop: BaseException | None = None
    calls: list[Call] = field(default_factory=list)
    superseded: list[TrialKey] = field(default_factory=list)

    def commit_call(self, key: TrialKey, call: Call) -> None:
        if self.stop and len(self.calls) == 2:
            raise self.stop
        self.calls.append(call)

    def supersede(self, key: TrialKey) -> None:
        self.superseded.append(key)

    reserve = staticmethod(reserve_nothing)


@dataclass(frozen=True)
class Ready:
    """A trial that is ready to be played."""

    job: Job
    parts: Parts

    def play(self, recorder: Paper | None = None, **changed: Any) -> Trial:
        return simulate(self.job, replace(self.parts, **changed), recorder or Paper())


def ready(suite: str) -> Ready:
    context = build_run(RunConfig(suites=(suite,), strategies=("full-history",), limit=1), NOWHERE)
    (plan,) = context.plans
    return Ready(Job(plan.key, plan.task), context.build_parts(plan.key))


@pytest.fixture
def house() -> Ready:
    return ready("toy")


@pytest.fixture
def conversation() -> Ready:
    return ready("toy-talk")


def test_episode_has_one_item_with_scores_of_the_trial(house: Ready) -> None:
    paper = Paper()
    trial = house.play(paper)
    assert (trial.status, trial.end, trial.error) == (Status.DONE, EndReason.WON, "")
    (item,) = trial.items
    assert (item.id, item.group, item.cluster) == ("house-000", "04 rooms", "house-000")
    scores = {score.name: score.value for score in item.scores}
    assert scores["success"] == scores["progress"] == 1.0
    assert scores["steps"] == len(trial.steps) == len(trial.calls) == len(paper.calls)
    assert trial.opening == trial.steps[0].stimulus.goal
    assert dict(trial.fingerprint.entries)["env.frame"]
    assert trial.wall_s >= trial.timings.model_s + trial.timings.env_s


def test_conversation_has_one_item_per_question(conversation: Ready) -> None:
    trial = conversation.play()
    assert (trial.status, trial.end) == (Status.DONE, EndReason.ANSWERED)
    assert len(trial.items) == len(trial.steps) == 6
    assert all(item.scores[0] == Score("success", 1.0) for item in trial.items)


def test_simulate_is_deterministic(house: Ready, conversation: Ready) -> None:
    for one in (house, conversation):
        first, second = one.play(), one.play()
        assert (first.items, first.end, first.fingerprint) == (second.items, second.end, second.fingerprint)
        assert [call.request_hash for call in first.calls] == [call.request_hash for call in second.calls]


def test_replay_has_same_scores_and_makes_no_call(house: Ready) -> None:
    first = house.play()
    paper = Paper()
    again = simulate(replace(house.job, committed=first.calls), house.parts, paper)
    assert paper.calls == []
    assert (again.items, again.calls, again.end) == (first.items, first.calls, first.end)


def test_replay_mismatch_supersedes_and_leaves_trial_unscored(house: Ready) -> None:
    first = house.play()
    wrong = (replace(first.calls[0], request_hash="another"), *first.calls[1:])
    paper = Paper()
    trial = simulate(replace(house.job, committed=wrong), house.parts, paper)
    assert (trial.status, trial.items, paper.superseded) == (Status.ENV_ERROR, (), [house.job.key])


class Nosy:
    """A memory that keeps the kit it was built with."""

    seen: list[Kit]

    def __init__(self, kit: Kit):
        Nosy.seen.append(kit)

    def observe(self, event: Event) -> None:
        pass

    def recall(self, query: Query) -> Context:
        return Context()


def test_strategy_is_built_per_trial_and_sees_no_suite_task_or_answer(house: Ready) -> None:
    Nosy.seen = []
    nosy = Strategy("nosy-v1", default_agent(Nosy))
    house.play(strategy=nosy)
    house.play(strategy=nosy)
    one, two = Nosy.seen
    assert one is not two
    names = {field.name for field in fields(Kit)}
    assert names == {
        *("model", "embedder", "frame", "budget", "params", "rng", "artifact", "phase", "meter", "ask_again"),
        *("evidence", "rehearse", "check_stop"),
    }
    assert one.evidence is None  # unless the strategy is privileged
    assert one.rehearse is None  # but in its learning stage
    assert one.rng.random() == two.rng.random()
    assert house.job.task.id not in repr(one.frame)
    assert "toy" not in one.frame.instructions


class Closing:
    """Counts how often an agent of its strategy was closed; ``breaks``: it has no memory."""

    def __init__(self, *, breaks: bool = False):
        self.closed, self._breaks = 0, breaks

    def build(self, kit: Kit) -> Agent:
        outer, agent = self, STRATEGY.build(kit)

        class Closed:
            memory, decide = agent.memory, staticmethod(agent.decide)

            def close(self) -> None:
                outer.closed += 1
                raise OSError("gone")

        if self._breaks:
            Closed.memory = property(lambda _: 1 / 0)  # type: ignore[assignment]
        return Closed()


@pytest.mark.parametrize("breaks", [False, True])
def test_agent_is_closed_once_however_its_trial_ends(house: Ready, conversation: Ready, breaks: bool) -> None:
    for one in (house, conversation):
        closing = Closing(breaks=breaks)
        trial = one.play(strategy=Strategy("closing-v1", closing.build))
        assert trial.status is (Status.STRATEGY_ERROR if breaks else Status.DONE)
        assert closing.closed == 1


@pytest.mark.parametrize("stop", [Interrupted("stop"), BudgetStop("enough"), StoreError("full")])
def test_simulate_passes_errors_that_end_a_run(house: Ready, stop: BaseException) -> None:
    with pytest.raises(type(stop)):
        house.play(Paper(stop))


def test_stop_flag_interrupts_trial(house: Ready) -> None:
    paper = Paper()
    with pytest.raises(Interrupted):
        simulate(house.job, house.parts, paper, lambda: len(paper.calls) >= 2)
    assert len(paper.calls) == 2


class Suite:
    """The suite of another trial, with something changed about its world."""

    def __init__(self, inner: Any, **changed: Any):
        self._inner, self._changed = inner, changed

    def open(self, task: Any) -> Any:
        if "open" in self._changed:
            raise self._changed["open"]
        world = self._inner.open(task)
        for name, value in self._changed.items():
            setattr(world, name, value)
        return world


def raising(error: BaseException) -> Any:
    def call(*_: object) -> Any:
        raise error

    return call


@pytest.mark.parametrize(
    ("changed", "status", "error"),
    [
        ({"open": FileNotFoundError("gone")}, Status.DATA_ERROR, "open house-000: FileNotFoundError: gone"),
        ({"reset": raising(OSError("dead"))}, Status.ENV_ERROR, "reset: OSError: dead"),
        ({"step": raising(TimeoutError("hung"))}, Status.ENV_ERROR, "step: TimeoutError: hung"),
    ],
)
def test_environment_error_is_unscored_and_named(
    house: Ready, changed: dict[str, Any], status: Status, error: str
) -> None:
    trial = house.play(suite=Suite(house.parts.suite, **changed))
    assert (trial.status, trial.end, trial.items, trial.error) == (status, EndReason.ERROR, (), error)


def test_environment_that_fails_to_close_keeps_the_result(house: Ready) -> None:
    expected = house.play()
    trial = house.play(suite=Suite(house.parts.suite, close=raising(OSError("stuck"))))
    assert (trial.status, trial.end, len(trial.steps)) == (expected.status, expected.end, len(expected.steps))


def test_judge_error_leaves_conversation_unscored(conversation: Ready) -> None:
    trial = conversation.play(suite=Suite(conversation.parts.suite, score=raising(JudgeError("no verdict"))))
    assert (trial.status, trial.items, trial.error) == (Status.JUDGE_ERROR, (), "no verdict")
    assert len(trial.steps) == 6


class Gives:
    """An agent that answers two questions and gives up."""

    def __init__(self, inner: Agent):
        self._inner, self._left = inner, 2

    @property
    def memory(self) -> Any:
        return self._inner.memory

    def decide(self, stimulus: Any) -> Any:
        self._left -= 1
        if self._left < 0:
            raise RuntimeError("tired")
        return self._inner.decide(stimulus)


def test_unanswered_questions_score_zero_with_reason(conversation: Ready) -> None:
    tired = Strategy("tired-v1", lambda kit: Gives(STRATEGY.build(kit)), params=STRATEGY.params)
    trial = conversation.play(strategy=tired)
    assert trial.status is Status.STRATEGY_ERROR
    first: Sequence[Score] = [item.scores[0] for item in trial.items]
    assert [score.value for score in first] == [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    assert {score.reason for score in first[2:]} == {"not answered"}


def test_token_cap_scores_unanswered_questions_as_wrong(conversation: Ready) -> None:
    trial = conversation.play(limits=replace(conversation.parts.limits, token_cap=1))
    assert (trial.status, trial.end, len(trial.steps)) == (Status.DONE, EndReason.TOKEN_CAP, 1)
    assert len(trial.items) == 6


def test_items_are_the_suite_s_questions(conversation: Ready) -> None:
    questions: list[Question] = []

    def score(question: Question, answer: str) -> tuple[Score, ...]:
        questions.append(question)
        return (Score("success", float(bool(answer))),)

    trial = conversation.play(suite=Suite(conversation.parts.suite, score=score))
    assert [question.id for question in questions] == [item.id for item in trial.items]
