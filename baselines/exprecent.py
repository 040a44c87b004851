"""ExpRecent: solved training tasks as experience; the last k are shown in full, whatever the present task is.

Source: Evo-Memory (arXiv 2511.20857), ExpRecent: recall the last k. It has no official code. Knows no suite; needs a
learning stage.

Paper step -> function:

* store (task, trajectory, feedback) -> ``learn``
* show the last k -> ``_build_memory``

Differences from the paper:

* Learned from a training side and frozen, not a stream: "last" is the end of the pool, which is in the order of tasks.
* Only solved tasks are kept, of each the shortest trial; ``keep=all`` keeps failures too, and says so in the prompt.
* Within the trial it is full history.
"""

from __future__ import annotations

from collections.abc import Sequence

from baselines.shared.experience import ExperienceMemory, choose_trials, read_pool, write_pool
from bench.agents import default_agent
from bench.protocols import Kit, Param, Strategy
from bench.types import Artifact, Shape, Trial

__all__ = ["STRATEGY"]


def learn(trials: Sequence[Trial], kit: Kit) -> Artifact:
    """Return one file for each trial that is kept."""
    return write_pool(choose_trials(trials, failures=kit.params.text("keep") == "all"))


def _build_memory(kit: Kit) -> ExperienceMemory:
    last = [*read_pool(kit.artifact).values()][-kit.params.integer("k") :]
    return ExperienceMemory(kit, lambda _opening: last[::-1])


STRATEGY = Strategy(
    name="exprecent-v2",
    build=default_agent(_build_memory),
    keeps_budget=False,
    learn=learn,
    serves=frozenset({Shape.EPISODE}),
    params=(
        Param("k", 2, "how many experiences are shown", minimum=1),
        Param("keep", "won", "which training trials are stored", choices=("won", "all")),
    ),
    source="ExpRecent of Evo-Memory (arXiv 2511.20857); learned on a training side, then frozen",
)
"""The strategy."""
