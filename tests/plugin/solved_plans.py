"""Solved plans: the actions of solved training tasks, above the history of the present one. Source: an example."""

from __future__ import annotations

from collections.abc import Sequence

from bench.agents import default_agent, render, render_experience
from bench.protocols import Kit, Strategy
from bench.types import Artifact, Context, EndReason, Event, EventKind, Query, Shape, Trial


def learn(trials: Sequence[Trial], _kit: Kit) -> Artifact:
    won = {f"plan-{i}.txt": trial for i, trial in enumerate(trials) if trial.end is EndReason.WON}
    files = {name: "\n".join(step.decision.text for step in trial.steps) for name, trial in won.items()}
    return Artifact(files, sources={name: (trial.key.task,) for name, trial in won.items()})


class SolvedPlans:
    def __init__(self, kit: Kit):
        self._plans = [text for _, text in sorted(kit.artifact.files.items())]
        self._events: list[Event] = []

    def observe(self, event: Event) -> None:
        if event.kind not in (EventKind.GOAL, EventKind.SESSION_END):
            self._events.append(event)

    def recall(self, query: Query) -> Context:
        past = [event for event in self._events if event.ref != query.ref]
        return Context(render_experience(self._plans, render(past)), tuple(event.ref for event in past))


STRATEGY = Strategy(
    "solved-plans-v1",
    default_agent(SolvedPlans),
    keeps_budget=False,
    learn=learn,
    serves=frozenset({Shape.EPISODE}),
    source="example of the documentation",
)
