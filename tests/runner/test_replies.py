"""Replies of every kind, played to the end: what reaches the world, what is asked again, what is scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from bench.config import RunConfig
from bench.drivers import UNREADABLE
from bench.models.ledger.meter import reserve_nothing
from bench.models.scripted import ScriptedModel
from bench.runner.build import build_run
from bench.runner.simulate import Job, Parts, simulate
from bench.types import Call, CallStatus, EndReason, Limits, Message, Reply, Status, Trial, TrialKey, Usage

NOWHERE = Path("/nowhere")


@dataclass
class Paper:
    """A recorder that keeps the calls in a list."""

    calls: list[Call] = field(default_factory=list)

    def commit_call(self, key: TrialKey, call: Call) -> None:
        self.calls.append(call)

    def supersede(self, key: TrialKey) -> None:
        raise AssertionError(key)

    reserve = staticmethod(reserve_nothing)


def build(suite: str, **fields: object) -> tuple[Job, Parts]:
    config = RunConfig.model_validate({"suites": (suite,), "strategies": ("full-history",), "limit": 1, **fields})
    context = build_run(config, NOWHERE)
    (plan,) = context.plans
    return Job(plan.key, plan.task), context.build_parts(plan.key)


def play(reply: str | Sequence[str], suite: str = "toy", steps: int = 2) -> Trial:
    """Play with the same reply each time, or with these."""
    job, parts = build(suite)
    model = ScriptedModel((lambda _messages, _role: reply) if isinstance(reply, str) else reply)
    return simulate(job, replace(parts, model=model, limits=Limits(steps)), Paper())


def score(trial: Trial, name: str) -> float | None:
    return {one.name: one.value for one in trial.items[0].scores}[name]


@pytest.mark.parametrize(
    ("reply", "action", "repair"),
    [
        ("Action: open box", "open box", ""),
        ("**Thought:** The box may hold it.\n**Action:** open box", "open box", "bold"),
        ("```\nopen box\n```", "open box", "fence"),
        ("<think>go to attic first</think>Action: open box", "open box", "think-block"),
        ("Action: open box\nObservation: It holds gold.\nAction: take gold", "open box", "played-on"),
        ("Action: open box\nAction: drop it", "open box", "played-on"),
        ('{"thought": "Action: drop it", "action": "open box"}', "open box", ""),
        ("Action: open \ud800box", "open ?box", ""),
        ("Action: open\x00 box", "open box", ""),
        ("Aktion: open box", "open box", ""),
    ],
)
def test_world_gets_the_cleaned_action(reply: str, action: str, repair: str) -> None:
    trial = play(reply, steps=1)
    (step,) = trial.steps
    assert (step.decision.text, step.observation.executed) == (action, action)
    reading = step.decision.reading
    assert (reading.asked_again, reading.unreadable) == (0, False)
    assert repair in (*reading.repairs, "")
    assert score(trial, "repaired") == float(bool(reading.repairs))


@pytest.mark.parametrize(
    "reply",
    [
        "Thought: I should open the box.",
        "```\n```",
        "To find it, I first need to open box after box, and then look at what there is.",
        "Ich möchte zuerst in die Küche gehen und dort die Kiste öffnen, denn sie ist nah.",
        "<think>Action: open box</think>",
        "words " * 180_000,
    ],
    ids=["thought", "empty-fence", "prose", "german", "closed-think-block", "a-megabyte"],
)
def test_unreadable_reply_is_asked_again_then_costs_a_step(reply: str) -> None:
    trial = play(reply)
    assert (trial.status, trial.end, len(trial.steps)) == (Status.DONE, EndReason.STEP_CAP, 2)
    for step in trial.steps:
        assert (step.decision.text, step.decision.reading.asked_again, step.decision.reading.unreadable) == (
            "",
            1,
            True,
        )
        assert (step.observation.text, step.observation.executed) == (UNREADABLE, "")
        assert (step.observation.valid, step.observation.invalid_reason) == (False, "unreadable")
    assert len(trial.calls) == 4
    assert [score(trial, name) for name in ("unreadable", "asked_again", "valid_action_rate")] == [1.0, 1.0, 0.0]


def test_second_reply_decides_and_its_step_says_so() -> None:
    trial = play(["I would rather think about it for a while.", "Action: open box"], steps=1)
    (step,) = trial.steps
    assert (step.decision.text, step.decision.reply) == ("open box", "Action: open box")
    assert (step.decision.reading.asked_again, step.decision.reading.unreadable) == (1, False)


def test_answers_are_read_alike_and_an_empty_one_is_wrong() -> None:
    trial = play("```\n```", "toy-talk")
    assert (trial.status, trial.end) == (Status.DONE, EndReason.ANSWERED)
    assert {score(trial, name) for name in ("unreadable", "asked_again")} == {1.0}
    assert score(trial, "success") == 0.0
    bold = play("**Answer:** the kitchen", "toy-talk")
    assert {step.decision.text for step in bold.steps} == {"the kitchen"}


@dataclass
class Talker:
    """A model that replies with one text and one finish, and records its reply limits."""

    text: str
    finish: str = "stop"
    limits: list[int | None] = field(default_factory=list)
    name: str = "talker"

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        self.limits.append(max_tokens)
        return Reply(self.text, Usage(1, completion=1), 0.0, finish=self.finish)


@pytest.mark.parametrize(
    ("text", "finish", "message"),
    [
        ("", "length", "got an empty one (finish length): thinking used up"),
        ("<think>First I go", "length", "got an unfinished thought (finish length): thinking used up"),
        ("[THINK]Action: open box", "stop", "got an unfinished thought (finish stop): thinking used up"),
        ("Let me see. <think>First I go", "length", "expected an end of its thinking within 512 tokens"),
    ],
)
def test_thought_without_end_is_unscored_and_names_thinking_tokens(text: str, finish: str, message: str) -> None:
    job, parts = build("toy")
    paper = Paper()
    trial = simulate(job, replace(parts, model=Talker(text, finish)), paper)
    assert (trial.status, trial.items, trial.steps) == (Status.MODEL_ERROR, (), ())
    assert message in trial.error
    assert "thinking_tokens" in trial.error
    assert len(paper.calls) == 1


def test_unfinished_thought_is_not_replayed_on_resume() -> None:
    job, parts = build("toy")
    paper = Paper()
    simulate(job, replace(parts, model=Talker("<think>First", "length")), paper)
    assert [call.status for call in paper.calls] == [CallStatus.EMPTY]
    again = simulate(replace(job, committed=tuple(paper.calls)), replace(parts, limits=Limits(1)), Paper())
    assert (again.status, again.steps[0].decision.reading.unreadable) == (Status.DONE, False)


def test_empty_reply_without_a_cut_does_not_blame_thinking() -> None:
    job, parts = build("toy")
    trial = simulate(job, replace(parts, model=Talker(" ")), Paper())
    assert trial.error == "talker: expected a reply, got an empty one (finish stop); resume to ask again"


@pytest.mark.parametrize(
    ("suite", "fields", "limit", "entry"),
    [
        ("toy", {}, 512, "env.reply_tokens"),
        ("toy", {"reply_tokens": 40, "answer_tokens": 50}, 40, "env.reply_tokens"),
        ("toy-talk", {}, 512, "env.answer_tokens"),
        ("toy-talk", {"reply_tokens": 40, "answer_tokens": 50}, 50, "env.answer_tokens"),
    ],
)
def test_reply_limit_of_a_shape_is_in_force_and_in_the_fingerprint(
    suite: str, fields: dict[str, int], limit: int, entry: str
) -> None:
    job, parts = build(suite, **fields)
    model = Talker("Action: look")
    trial = simulate(job, replace(parts, model=model, limits=Limits(1)), Paper())
    entries = dict(trial.fingerprint.entries)
    assert set(model.limits) == {limit}
    assert entries[entry] == str(limit)
    assert ("env.reply_tokens" in entries) != ("env.answer_tokens" in entries)
    assert entries["env.ask_again"] == "1"


def test_ask_again_0_never_asks_again() -> None:
    job, parts = build("toy", ask_again=0)
    trial = simulate(job, replace(parts, model=Talker("Thought: well."), limits=Limits(1)), Paper())
    assert len(trial.calls) == 1
    assert (trial.steps[0].decision.reading.asked_again, trial.steps[0].decision.reading.unreadable) == (0, True)
    assert dict(trial.fingerprint.entries)["env.ask_again"] == "0"


def test_model_asked_again_sees_the_begin_of_an_endless_reply() -> None:
    trial = play("words " * 180_000, steps=1)
    first, second = (call.usage.prompt or 0 for call in trial.calls)
    assert first < second < first + 1500


@pytest.mark.parametrize("fields", [{"ask_again": 2}, {"reply_tokens": -1}, {"answer_tokens": -1}])
def test_config_rejects_limits_out_of_range(fields: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=next(iter(fields))):
        RunConfig.model_validate({"suites": ["toy"], "strategies": ["window"], **fields})


def test_call_that_asks_again_is_not_counted_against_the_cap() -> None:
    job, parts = build("toy")
    replies = ScriptedModel(["I would rather think about it.", "Action: open box", "Action: open box"])
    strategy = replace(parts.strategy, inner_calls=1)
    trial = simulate(job, replace(parts, strategy=strategy, model=replies, limits=Limits(2)), Paper())
    assert (trial.status, len(trial.calls)) == (Status.DONE, 3)
