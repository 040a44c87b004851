"""ExpRAG: solved training tasks as experience; the k whose openings are nearest to the present one are shown in full.

Source: Evo-Memory (arXiv 2511.20857), ExpRAG: store task, trajectory and outcome, recall the top k similar. It has no
official code; k, encoder and text format are not published. Knows no suite; needs a learning stage.

Paper step -> function:

* store (task, trajectory, feedback) -> ``learn``
* search by the task, top k -> ``NearestExperience.find``
* act with what was found in the prompt -> ``baselines.shared.experience.ExperienceMemory``

Differences from the paper:

* Learned from a training side and frozen, not a stream of test tasks.
* Only solved tasks are kept, of each the shortest trial; ``keep=all`` keeps failures too, and says so in the prompt.
* Within the trial it is full history.
* Vectors are made once, in ``learn``; with another embedder than then they are made again in each trial.
"""

from __future__ import annotations

from collections.abc import Sequence

from baselines.shared.experience import ExperienceMemory, NearestExperience, choose_trials, write_searched_pool
from bench.agents import default_agent
from bench.protocols import Kit, Param, Strategy
from bench.types import Artifact, Shape, Trial

__all__ = ["STRATEGY"]


def learn(trials: Sequence[Trial], kit: Kit) -> Artifact:
    """Return one file for each trial that is kept, and one with the vector of its opening."""
    return write_searched_pool(choose_trials(trials, failures=kit.params.text("keep") == "all"), kit.embedder)


def _build_memory(kit: Kit) -> ExperienceMemory:
    nearest, k = NearestExperience(kit), kit.params.integer("k")
    return ExperienceMemory(kit, lambda opening: nearest.find(opening, k))


STRATEGY = Strategy(
    name="exprag-v2",
    build=default_agent(_build_memory),
    keeps_budget=False,
    learn=learn,
    serves=frozenset({Shape.EPISODE}),
    params=(
        Param("k", 2, "how many experiences are shown", minimum=1),
        Param("keep", "won", "which training trials are stored", choices=("won", "all")),
    ),
    source="ExpRAG of Evo-Memory (arXiv 2511.20857); learned on a training side, then frozen",
)
"""The strategy."""
