"""The same decisions in the styles of chat models: a strategy does as well with them as with the plain form."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bench.config import RunConfig
from bench.models.ledger.meter import reserve_nothing
from bench.protocols import Model
from bench.runner.build import build_run
from bench.runner.simulate import Job, simulate
from bench.types import Call, Message, Reply, Trial, TrialKey

Style = Callable[[str], str]
STYLES: dict[str, Style] = {
    "bold": lambda text: re.sub(r"^(Action|Subgoal):", r"**\1:**", text, flags=re.MULTILINE),
    "thought": lambda text: "**Thought:** I take stuff to a place, as the task asks.\n\n" + STYLES["bold"](text),
    "think": lambda text: f"<think>{'Action: look around. ' * 60}</think>\n{text}",
    "next line": lambda text: re.sub(r"^(Action|Subgoal): ", r"**\1:**\n", text, flags=re.MULTILINE),
    "fence": lambda text: f"```\n{text}\n```",
    "comment": lambda text: re.sub(r"^(Action: .*)$", r"\1. This makes progress.", text, flags=re.MULTILINE),
    "call over lines": lambda text: re.sub(r"^(branch|return|checkpoint)\((.*)\)$", r"\1(\n  \2\n)", text, flags=re.M),
    "plays on": lambda text: f"{text}\nObservation: You see a lamp.\nAction: take lamp",
}


class Restyled:
    """Says what another model says, acting replies in another style."""

    name = "restyled"

    def __init__(self, model: Model, style: Style):
        self._model, self._style = model, style

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        reply = self._model.chat(messages, role=role, max_tokens=max_tokens, stop=stop)
        return replace(reply, text=self._style(reply.text)) if role == "act" else reply


class Paper:
    """Keeps nothing."""

    def commit_call(self, key: TrialKey, call: Call) -> None: ...

    def supersede(self, key: TrialKey) -> None: ...

    reserve = staticmethod(reserve_nothing)


def play(strategy: str, style: Style) -> list[Trial]:
    config = RunConfig(suites=("alfworld",), strategies=(strategy,), split="procedural", budget_tokens=500)
    bench = build_run(config, Path("/nowhere"))
    parts = ((plan, bench.build_parts(plan.key)) for plan in bench.plans[::16])
    return [
        simulate(Job(plan.key, plan.task), replace(part, model=Restyled(part.model, style)), Paper())
        for plan, part in parts
    ]


@pytest.fixture(scope="module")
def plain() -> Callable[[str], list[Trial]]:
    played: dict[str, list[Trial]] = {}
    return lambda strategy: played.setdefault(strategy, play(strategy, str))


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("strategy", ["hiagent", "fold", "generic-agent"])
def test_restyled_replies_lead_to_the_same_actions(
    plain: Callable[[str], list[Trial]], strategy: str, style: str
) -> None:
    trials = play(strategy, STYLES[style])
    assert sum(bool(trial.steps) for trial in trials) >= 2
    for trial, expected in zip(trials, plain(strategy), strict=True):
        assert [step.decision.text for step in trial.steps] == [step.decision.text for step in expected.steps]
        assert not any(step.decision.reading.asked_again for step in trial.steps)
        assert [step.decision.reading.dialect for step in trial.steps] == [
            step.decision.reading.dialect for step in expected.steps
        ]
