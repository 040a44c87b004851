"""H2R's construction of memory (its Algorithm 1): trials in, units and insights as text files out.

Calls for a solved attempt with k sub-goals and one failed attempt of its task: infer 2, insight 1 + k, segment 1,
ground 1 + k, so 5 + 2 k in all; grounding makes none where its pool is empty. Retries after unreadable replies come on
top, and are counted in ``log/learning.txt``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from baselines.h2r.memory import INSIGHTS
from baselines.h2r.segments import Segment, read_segments
from baselines.h2r.units import HIGH, LOW, HighUnit, LowUnit
from baselines.shared.artifacts import join_artifacts, name_file
from baselines.shared.insight_calls import read_id, render_insights, revise
from baselines.shared.insights import InsightPool
from baselines.shared.json_calls import JsonCalls
from baselines.shared.lists import number_lines
from baselines.shared.nearest import write_vectors
from baselines.shared.task_text import find_task
from baselines.shared.trajectory import is_won, render_attempt, render_trajectory
from bench.protocols import Kit
from bench.replies import JsonNode
from bench.types import Artifact, Role, Trial

__all__ = ["learn"]

_PROMPTS = {
    name: Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8").strip()
    for name in ("infer", "insight_high", "segment", "insight_low", "ground")
}
_MOST_SUBGOALS, _LONGEST = 20, 200
"""Sub-goals of an attempt that are kept, and characters of one."""


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One trial, told from others by its text."""

    steps: str
    won: bool
    trial: Trial = field(compare=False)

    @property
    def task(self) -> str:
        return find_task(self.trial.opening)

    def render(self) -> str:
        """Return it as a prompt shows it."""
        return f"# Attempt ({'solved' if self.won else 'not solved'})\n{render_attempt(self.trial)}"

    def render_part(self, part: Segment) -> str:
        """Return some of its steps, below what was observed before them."""
        return render_trajectory(replace(self.trial, steps=self.trial.steps[part.first - 1 : part.last]))


_WithSubgoals = tuple[_Attempt, tuple[str, ...]]


def learn(trials: Sequence[Trial], kit: Kit) -> Artifact:
    """Return units for the planner and the executor, their insights, vectors to find them by, and a log.

    Without a solved attempt there is nothing but the log. Raises: ModelError.
    """
    builder = _Builder(kit)
    for name in sorted({trial.key.task for trial in trials}):
        builder.add_task(name, _list_attempts(trial for trial in trials if trial.key.task == name))
    return builder.close()


def _list_attempts(trials: Iterable[Trial]) -> list[_Attempt]:
    """Return the attempts at a task that differ, in order; one without a step shows nothing."""
    ordered = sorted(trials, key=lambda trial: (trial.key.seed, trial.key.attempt))
    attempts = (_Attempt(render_trajectory(trial), is_won(trial), trial) for trial in ordered if trial.steps)
    return list(dict.fromkeys(attempts))


class _Builder:
    """The two stores and the two pools as they grow."""

    def __init__(self, kit: Kit):
        self._kit, self._calls = kit, JsonCalls(kit)
        capacity = kit.params.integer("insights")
        self._pools = {kind: InsightPool(capacity, "hard") for kind in (HIGH, LOW)}
        self._high: dict[str, HighUnit] = {}
        self._low: dict[str, LowUnit] = {}
        self._sources: dict[str, tuple[str, ...]] = {}

    def add_task(self, name: str, attempts: Sequence[_Attempt]) -> None:
        """Make units of each solved attempt, and insights of each pair of it with a failed one."""
        won, lost = ([one for one in attempts if one.won is is_won] for is_won in (True, False))
        self._calls.counts["tasks"] += 1
        self._calls.counts["tasks without a solved attempt"] += not won
        failed = [(one, self._infer(one)) for one in lost] if won else []
        pairs: list[_WithSubgoals | None] = [*failed] or [None]
        for solved in won:
            subgoals = self._infer(solved)
            for other in pairs:
                self._reflect_high(name, (solved, subgoals), other)
            self._calls.counts["pairs"] += len(failed)
            self._calls.counts["units without a failed attempt"] += not failed
            self._add_high(name, HighUnit(solved.task, subgoals))
            for subgoal, steps in self._cut(solved, subgoals):
                unit = LowUnit(subgoal, steps)
                self._reflect_low(name, solved.task, unit, failed[-1][0] if failed else None)
                self._add_low(name, unit)

    def _infer(self, attempt: _Attempt) -> tuple[str, ...]:
        """Return the sub-goals of an attempt; the task itself where none can be made out."""
        request = f"# Task\n{attempt.task}\n\n{attempt.render()}"
        return self._calls.ask(Role.INFER, _PROMPTS["infer"], request, _read_subgoals) or (attempt.task[:_LONGEST],)

    def _reflect_high(self, name: str, solved: _WithSubgoals, failed: _WithSubgoals | None) -> None:
        parts = [f"# Task\n{solved[0].task}"]
        for attempt, subgoals in filter(None, (solved, failed)):
            parts += [attempt.render(), f"# Its sub-goals\n{number_lines(subgoals)}"]
        parts += [] if failed else ["# No failed attempt\nIt was solved at once."]
        revise(self._pools[HIGH], self._kit, _PROMPTS["insight_high"], "\n\n".join(parts), (name,))

    def _reflect_low(self, name: str, task: str, unit: LowUnit, failed: _Attempt | None) -> None:
        contrast = failed.render() if failed else "# No failed attempt\nThe task was solved at once."
        shown = f"# Task\n{task}\n\n# Sub-goal\n{unit.subgoal}\n\n# Its steps (reached)\n{unit.steps}\n\n{contrast}"
        revise(self._pools[LOW], self._kit, _PROMPTS["insight_low"], shown, (name,))

    def _cut(self, solved: _Attempt, subgoals: tuple[str, ...]) -> list[tuple[str, str]]:
        """Return each sub-goal with its steps; the task with all steps where they cannot be shared out."""
        request = f"# Task\n{solved.task}\n\n# Sub-goals\n{number_lines(subgoals)}\n\n{solved.render()}"
        read = partial(read_segments, n_subgoals=len(subgoals), n_steps=len(solved.trial.steps))
        segments = self._calls.ask(Role.SEGMENT, _PROMPTS["segment"], request, read)
        self._calls.counts["attempts cut"] += 1
        if segments is None:
            self._calls.counts["attempts left whole"] += 1
            return [(solved.task[:_LONGEST], solved.steps)]
        return [(subgoals[one.subgoal - 1], solved.render_part(one)) for one in segments]

    def _add_high(self, name: str, unit: HighUnit) -> None:
        file = name_file(HIGH, len(self._high) + 1)
        self._high[file], self._sources[file] = unit, (name,)

    def _add_low(self, name: str, unit: LowUnit) -> None:
        file = name_file(LOW, len(self._low) + 1)
        self._low[file], self._sources[file] = unit, (name,)

    def close(self) -> Artifact:
        """Ground every unit in the final pool of its level; return all as files."""
        high = {name: replace(one, insights=self._ground(HIGH, one.render())) for name, one in self._high.items()}
        low = {name: replace(one, insights=self._ground(LOW, one.render())) for name, one in self._low.items()}
        searched = {name: one.task for name, one in high.items()} | {name: one.subgoal for name, one in low.items()}
        parts = [pool.write(INSIGHTS[kind]) for kind, pool in self._pools.items()]
        parts.append(write_vectors(self._kit.embedder, searched, self._sources))
        texts = {name: one.write() for name, one in high.items()} | {name: one.write() for name, one in low.items()}
        parts.append(Artifact(texts, self._sources))
        for kind, pool in self._pools.items():
            self._calls.counts.update({f"insight, {kind.strip('/')}: {why}": n for why, n in pool.rejected.items()})
        parts.append(self._calls.write_log())
        return join_artifacts(parts)

    def _ground(self, kind: str, unit: str) -> tuple[int, ...]:
        """Return the ids of the insights that matter for a unit, in the order of the pool."""
        pool = self._pools[kind]
        if not pool.insights:
            return ()
        request = f"# The piece\n{unit}\n\n# Insights\n{render_insights(pool)}"
        found = self._calls.ask(Role.GROUND, _PROMPTS["ground"], request, _read_ids) or ()
        known = [insight.id for insight in pool.insights]
        self._calls.counts["unknown insights chosen"] += len(set(found) - set(known))
        return tuple(one for one in known if one in found)


def _read_subgoals(reply: JsonNode) -> tuple[str, ...]:
    entries = (reply["subgoals"] if isinstance(reply.value, dict) else reply).each(JsonNode.text)[0]
    if not (texts := tuple(filter(None, entries))):
        raise reply.error("at least one sub-goal")
    return tuple(text[:_LONGEST] for text in texts[:_MOST_SUBGOALS])


def _read_ids(reply: JsonNode) -> tuple[int, ...]:
    node = reply["insights"] if isinstance(reply.value, dict) else reply
    return node.each(read_id)[0]
