"""ExpRAG: solved training tasks as experience; the k whose openings are nearest to the present one are shown in full.

Source: Evo-Memory (arXiv 2511.20857), ExpRAG: store task, trajectory and outcome, recall the top k similar. It has no
official code; k, encoder and text format are not published. Knows no suite; needs a learning stage.

Paper step -> function:

* store (task, trajectory, feedback) -> ``learn``
* search by the task, top k -> ``_Nearest.choose``
* act with what was found in the prompt -> ``baselines.shared.experience.ExperienceMemory``

Differences from the paper:

* Learned from a training side and frozen, not a stream of test tasks.
* Only solved tasks are kept, of each the shortest trial; ``keep=all`` keeps failures too, and says so in the prompt.
* Within the trial it is full history.
* Vectors are made once, in ``learn``; with another embedder than then they are made again in each trial.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baselines.shared.experience import Experience, ExperienceMemory, choose_trials, read_pool, write_pool
from bench.agents import default_agent
from bench.protocols import Kit, Param, Strategy, Vectors
from bench.types import Artifact, Shape, Trial

__all__ = ["STRATEGY"]

_VECTORS = "vectors/"
_DECIMALS = 6


def learn(trials: Sequence[Trial], kit: Kit) -> Artifact:
    """Return one file for each trial that is kept, and one with the vector of its opening."""
    kept = choose_trials(trials, failures=kit.params.text("keep") == "all")
    pool = write_pool(kept)
    vectors = kit.embedder.embed([trial.opening for trial in kept]) if kept else ()
    files, sources = dict(pool.files), dict(pool.sources)
    for trial, one, vector in zip(kept, read_pool(pool), vectors, strict=True):
        numbers = " ".join(f"{number:.{_DECIMALS}g}" for number in vector)
        files[f"{_VECTORS}{one.name}.txt"] = f"{kit.embedder.name}\n{numbers}\n"
        sources[f"{_VECTORS}{one.name}.txt"] = (trial.key.task,)
    return Artifact(files, sources)


class _Nearest:
    """The pool of an artifact, searched by the opening text of an episode."""

    def __init__(self, kit: Kit):
        self._embedder, self._k = kit.embedder, kit.params.integer("k")
        self._files, self._pool = kit.artifact.files, read_pool(kit.artifact)

    def choose(self, opening: str) -> Sequence[Experience]:
        """Return the k nearest, the nearest first; equal scores go to the earlier."""
        if not self._pool:
            return ()
        scores = np.einsum("ij,j->i", self._read_vectors(), self._embedder.embed([opening])[0]).round(_DECIMALS - 1)
        return [self._pool[i] for i in np.argsort(-scores, kind="stable")[: self._k]]

    def _read_vectors(self) -> Vectors:
        stored = [self._files.get(f"{_VECTORS}{one.name}.txt", "\n").split("\n") for one in self._pool]
        if {name for name, *_ in stored} == {self._embedder.name}:
            return np.array([numbers.split() for _, numbers, *_ in stored], dtype=np.float32)
        return self._embedder.embed([one.opening for one in self._pool])


def _build_memory(kit: Kit) -> ExperienceMemory:
    return ExperienceMemory(kit, _Nearest(kit).choose)


STRATEGY = Strategy(
    name="exprag-v1",
    build=default_agent(_build_memory),
    learn=learn,
    serves=frozenset({Shape.EPISODE}),
    params=(
        Param("k", 2, "how many experiences are shown", minimum=1),
        Param("keep", "won", "which training trials are stored", choices=("won", "all")),
    ),
    source="ExpRAG of Evo-Memory (arXiv 2511.20857); learned on a training side, then frozen",
)
"""The strategy."""
