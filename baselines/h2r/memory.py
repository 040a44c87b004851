"""H2R's working memory within an episode: what happened, the sub-goals so far, and the units for the open one.

``recall`` is the executor's view and never holds a unit for the planner; ``render_plan`` is the planner's view and
never holds one for the executor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from baselines.h2r.units import HIGH, LOW, HighUnit, LowUnit, read_high, read_low
from baselines.shared.insights import InsightList, read_insights
from baselines.shared.nearest import NearestTexts
from baselines.shared.task_text import find_task
from bench.agents import render, render_experience
from bench.protocols import Kit
from bench.types import Artifact, Context, Event, EventKind, Phase, Query

__all__ = ["INSIGHTS", "H2RMemory"]

INSIGHTS = {HIGH: "insights/high/", LOW: "insights/low/"}
"""The folder of the insights for each kind of unit."""
_OPEN = "open"


@dataclass(slots=True)
class _Pursued:
    """A sub-goal, the number of the first step taken for it, and its outcome."""

    subgoal: str
    first: int
    outcome: str = _OPEN
    actions: int = 0


class H2RMemory:
    """Events, sub-goals, and the units found for them."""

    def __init__(self, kit: Kit):
        self._kit, self._count = kit, kit.budget.count
        artifact = kit.artifact
        self._high = read_high(artifact) if kit.params.flag("high") else {}
        self._low = read_low(artifact) if kit.params.flag("low") else {}
        self._insights = {kind: _read_texts(artifact, kind) for kind in INSIGHTS}
        self._nearest_high = NearestTexts(kit, {name: unit.task for name, unit in self._high.items()})
        self._nearest_low = NearestTexts(kit, {name: unit.subgoal for name, unit in self._low.items()})
        self._shown_high: list[HighUnit] | None = None
        self._shown_low: list[LowUnit] = []
        self._events: list[Event] = []
        self._pursued: list[_Pursued] = []
        self.task = ""
        """What of the opening states the task."""

    @property
    def subgoal(self) -> str:
        """The open sub-goal; empty if none is."""
        return self._pursued[-1].subgoal if self._pursued and self._pursued[-1].outcome == _OPEN else ""

    def observe(self, event: Event) -> None:
        """Keep the event; the goal and marks stand in no history."""
        if event.kind is EventKind.GOAL:
            self.task = find_task(event.text)
        elif event.kind is not EventKind.SESSION_END:
            self._events.append(event)
            if self.subgoal and event.kind is EventKind.ACTION:
                self._pursued[-1].actions += 1

    def open(self, subgoal: str) -> None:
        """Pursue a sub-goal from now on, and find the units that are nearest to it (one embedding)."""
        self._pursued.append(_Pursued(subgoal, self._events[-1].step + 1 if self._events else 1))
        with self._kit.phase(Phase.READ):
            found = self._nearest_low.find(subgoal, self._kit.params.integer("k_low"))
        self._shown_low = [self._low[name] for name in found]

    def close(self, outcome: str) -> None:
        """The open sub-goal is over."""
        self._pursued[-1].outcome = outcome

    def recall(self, query: Query) -> Context:
        """Return the executor's view: as many units as fit beside the whole episode and its sub-goal. Read-only.

        May be over budget without any unit, which is then an error.
        """
        past = [event for event in self._events if event.ref != query.ref]
        text, shown = self._fit(LOW, self._shown_low, self._render_present(query.ref), query.budget_tokens)
        return Context(text, tuple(event.ref for event in past), truncated=shown < len(self._shown_low))

    def _render_present(self, now: str) -> str:
        """The episode below the open sub-goal, so that its line parts no action from its outcome."""
        line = f"Subgoal: {self.subgoal} (from step {self._pursued[-1].first})" if self.subgoal else ""
        return "\n".join(filter(None, (line, render(event for event in self._events if event.ref != now))))

    def render_plan(self, now: str) -> str:
        """Return the planner's view: units for this task (one embedding, the first time), sub-goals, the episode.

        ``now``: the ref of the observation that stands elsewhere in the prompt.
        """
        if self._shown_high is None:
            with self._kit.phase(Phase.READ):
                found = self._nearest_high.find(self.task, self._kit.params.integer("k_high"))
            self._shown_high = [self._high[name] for name in found]
        past = render(event for event in self._events if event.ref != now)
        present = "\n\n".join(filter(None, (f"Sub-goals so far:\n{self._list_pursued()}", past)))
        return self._fit(HIGH, self._shown_high, present, self._kit.budget.tokens)[0]

    def _fit(
        self, kind: str, units: Sequence[HighUnit] | Sequence[LowUnit], present: str, budget: int | None
    ) -> tuple[str, int]:
        """Return a text with as many of the units as the budget has room for, and how many these are.

        The nearest stands last; below it each insight that any of them names, once.
        """
        for shown in range(len(units), 0, -1):
            ids = dict.fromkeys(number for unit in units[:shown] for number in unit.insights)
            insights = InsightList(tuple(self._insights[kind][one] for one in ids if one in self._insights[kind]))
            text = render_experience([*(unit.render() for unit in units[:shown][::-1]), insights.render()], present)
            if budget is None or self._count(text) <= budget:
                return text, shown
        return present, 0

    def _list_pursued(self) -> str:
        lines = (
            f"{number}. {one.subgoal}: {one.outcome} after {one.actions} actions"
            for number, one in enumerate(self._pursued, start=1)
        )
        return "\n".join(lines) or "none"


def _read_texts(artifact: Artifact, kind: str) -> dict[int, str]:
    return {insight.id: insight.text for insight in read_insights(artifact, INSIGHTS[kind])}
