"""G-Memory for a single agent: similar tasks, one step further in a graph of tasks, and the insights that hang on them.

Source: G-Memory (arXiv 2506.07398). Its code has no licence and was not used. Knows no suite; needs a learning stage.

Paper step -> function:

* query graph: tasks with their outcomes, joined where they are similar (at least 0.3) -> ``_join_nodes``
* insight graph: insights with the tasks they come from, refreshed every 5 tasks, merged every 20 -> ``_refresh``
* search: the nearest tasks, then their neighbors (one hop), then the insights of all of these -> ``_Graph.choose``

Differences from the paper:

* One agent: there is no interaction graph, and no view of its own for each role. A whole attempt stands for a task.
* Memory is frozen before evaluation: no insight gains or loses by how a task went for which it was shown (+1, -2). What
  the model says of an insight moves its count instead, as in the shared pool.
* Prompts and the size of the pool are our own. Of each task the shortest solved attempt is kept, else the last one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from baselines.g_memory.nodes import FOLDER, Node, read_nodes
from baselines.shared.artifacts import join_artifacts, name_file
from baselines.shared.experience import ExperienceMemory, Shown, choose_trials
from baselines.shared.insight_calls import revise
from baselines.shared.insights import InsightList, InsightPool, read_insights
from baselines.shared.nearest import NearestTexts, write_vectors
from baselines.shared.task_text import find_task
from baselines.shared.trajectory import is_won, render_attempt, render_trajectory
from bench.agents import default_agent
from bench.protocols import Kit, Param, Strategy
from bench.types import Artifact, Shape, Trial

__all__ = ["STRATEGY", "learn"]

_REFLECT, _MERGE = (
    Path(__file__).with_name(name).read_text(encoding="utf-8").strip() for name in ("reflect.txt", "merge.txt")
)
_INSIGHTS = "insights/"
_REFRESH, _TIDY = 5, 20
"""Tasks after which insights are drawn, and after which they are merged."""


def learn(trials: Sequence[Trial], kit: Kit) -> Artifact:
    """Return the graph of tasks and the insights as files. Raises: ModelError.

    Calls: one of role insight for every 5 tasks, begun or full, and one for every full 20.
    """
    kept = _choose_attempts(trials)
    pool = _refresh(kept, kit)
    tasks = [find_task(trial.opening) for trial in kept]
    nodes = {
        name_file(FOLDER, number): Node(
            task,
            is_won(trial),
            render_trajectory(trial),
            neighbors,
            tuple(one.id for one in pool.insights if trial.key.task in one.sources),
        )
        for number, (task, trial, neighbors) in enumerate(zip(tasks, kept, _join_nodes(tasks, kit), strict=True), 1)
    }
    sources = {name: (trial.key.task,) for name, trial in zip(nodes, kept, strict=True)}
    parts = (
        Artifact({name: node.write() for name, node in nodes.items()}, sources),
        write_vectors(kit.embedder, {name: node.task for name, node in nodes.items()}, sources),
        pool.write(_INSIGHTS),
    )
    return join_artifacts(parts)


def _choose_attempts(trials: Sequence[Trial]) -> list[Trial]:
    """Return one attempt at each task, in the order of their names."""
    kept = {trial.key.task: trial for trial in choose_trials(trials, failures=True) if trial.steps}
    kept |= {trial.key.task: trial for trial in choose_trials(trials, failures=False)}
    return [kept[task] for task in sorted(kept)]


def _refresh(kept: Sequence[Trial], kit: Kit) -> InsightPool:
    """Return the insights after all tasks, drawn and merged as they come."""
    pool = InsightPool(kit.params.integer("insights"), "hard")
    for start in range(0, len(kept), _REFRESH):
        batch = kept[start : start + _REFRESH]
        revise(pool, kit, _REFLECT, "\n\n".join(map(_render, batch)), [trial.key.task for trial in batch])
        if (start + len(batch)) % _TIDY == 0 and pool.insights:
            # A merged insight may hold what any other said.
            revise(pool, kit, _MERGE, "# No tasks", sorted(set(chain(*(one.sources for one in pool.insights)))))
    return pool


def _render(trial: Trial) -> str:
    outcome = "solved" if is_won(trial) else "not solved"
    return f"# Attempt ({outcome})\nTask: {find_task(trial.opening)}\n{render_attempt(trial)}"


def _join_nodes(tasks: Sequence[str], kit: Kit) -> list[tuple[int, ...]]:
    """Return for each task the numbers of those similar enough, the nearest first, counted from 1."""
    if not tasks:
        return []
    vectors = np.asarray(kit.embedder.embed(tasks))
    scores = np.einsum("id,jd->ij", vectors, vectors).round(5)
    least = kit.params.number("similarity")
    order = np.argsort(-scores, axis=1, kind="stable")
    return [
        tuple(int(other) + 1 for other in row if other != at and scores[at, other] >= least)
        for at, row in enumerate(order)
    ]


class _Graph:
    """The graph of an artifact, as far as a trial may see it."""

    def __init__(self, kit: Kit):
        self._k, self._most = kit.params.integer("k"), kit.params.integer("shown")
        self._nodes = read_nodes(kit.artifact)
        self._insights = read_insights(kit.artifact, _INSIGHTS)
        self._nearest = NearestTexts(kit, {name: node.task for name, node in self._nodes.items()})

    def choose(self, opening: str) -> Sequence[Shown]:
        """Return the insights of the tasks that were reached, and the nearest solved ones of these."""
        found = self._nearest.find(find_task(opening), self._k)
        reached = self._hop(found)
        ids = {one for node in reached for one in node.insights}
        texts = tuple(insight.text for insight in self._insights if insight.id in ids)
        return [*([InsightList(texts)] if texts else []), *[node for node in reached if node.solved][: self._most]]

    def _hop(self, found: Iterable[str]) -> list[Node]:
        """Return the nodes found, then the neighbors of each that the trial may see."""
        names = list(found)
        beyond = [name_file(FOLDER, number) for name in names for number in self._nodes[name].neighbors]
        return [self._nodes[name] for name in dict.fromkeys([*names, *beyond]) if name in self._nodes]


def _build_memory(kit: Kit) -> ExperienceMemory:
    return ExperienceMemory(kit, _Graph(kit).choose)


STRATEGY = Strategy(
    name="g-memory-single-v2",
    build=default_agent(_build_memory),
    keeps_budget=False,
    learn=learn,
    serves=frozenset({Shape.EPISODE}),
    params=(
        Param("k", 2, "how many tasks a search begins with", minimum=1),
        Param("shown", 2, "most solved tasks that are shown", minimum=1),
        Param("similarity", 0.3, "how similar joined tasks are at least", minimum=0, maximum=1),
        Param("insights", 15, "most insights in the pool", minimum=1),
    ),
    source="G-Memory (arXiv 2506.07398) for one agent, frozen in evaluation, without rewards; own prompts",
)
"""The strategy."""
