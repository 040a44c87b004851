"""ExpeL: insights drawn from solved and failed training tasks, and the solved tasks nearest to the present one.

Source: ExpeL (AAAI 2024, arXiv 2308.10144, sec. 4). Knows no suite; needs a learning stage, whose tasks are gathered
with reflection and three retries by ``--learn-collectors reflexion --learn-attempts 4``.

Paper step -> function:

* compare each success with each failure of its task, then look at successes in chunks -> ``learning.learn``
* ADD, EDIT, AGREE and REMOVE with counts -> ``baselines.shared.insights.InsightPool``
* recall k similar successes, none longer than the longest example -> ``_Successes.choose``
* act with them and all insights in the prompt -> ``baselines.shared.experience.ExperienceMemory``

Differences from the paper and its code:

* The prompts are our own. Operations are JSON and name an insight by its id; the code goes by text and place.
* Similar tasks are searched among all successes; the code knows the type of each task, and offers its hand-written
  examples too. In place of the longest of those stands the parameter ``longest``.
* Only tasks of the training side are recalled. The code searches all successes whatever their fold, and skips the task
  itself alone; a run does so with ``--leak official``, which draws insights from both sides as well.
* Of a task solved more than once the shortest success is kept.
* Insights that come from the task at hand, or from twins of it alone, are not shown.
"""

from __future__ import annotations

from collections.abc import Sequence

from baselines.expel.learning import INSIGHTS, learn
from baselines.shared.experience import Experience, ExperienceMemory, NearestExperience, Shown
from baselines.shared.insights import InsightList, read_insights
from bench.agents import default_agent
from bench.protocols import Kit, Param, Strategy
from bench.types import Shape

__all__ = ["STRATEGY"]

_BUFFER = 4
"""So many times k are fetched before those that are too long are left out."""


class _Successes:
    """The recorded successes, searched by the opening text of an episode."""

    def __init__(self, kit: Kit):
        self._nearest = NearestExperience(kit)
        self._k, self._longest = kit.params.integer("k"), kit.params.integer("longest")

    def choose(self, opening: str) -> list[Experience]:
        """Return the k nearest that are short enough, the nearest first; they may be fewer, or none."""
        found = self._nearest.find(opening, self._k * _BUFFER)
        return [one for one in found if not self._longest or len(one.render()) <= self._longest][: self._k]


def _build_memory(kit: Kit) -> ExperienceMemory:
    successes = _Successes(kit) if kit.params.flag("retrieve") else None
    texts = tuple(one.text for one in read_insights(kit.artifact, INSIGHTS)) if kit.params.flag("insights") else ()
    insights = (InsightList(texts),) if texts else ()

    def choose(opening: str) -> Sequence[Shown]:
        return [*insights, *(successes.choose(opening) if successes else ())]

    return ExperienceMemory(kit, choose)


STRATEGY = Strategy(
    name="expel-v2",
    build=default_agent(_build_memory),
    keeps_budget=False,
    learn=learn,
    serves=frozenset({Shape.EPISODE}),
    params=(
        Param("insights", True, "draw insights and show them"),
        Param("retrieve", True, "show similar solved tasks"),
        Param("k", 2, "how many solved tasks are shown", minimum=1),
        Param("cap", 20, "insights from which on the model is told to remove some first", minimum=1),
        Param("chunk", 8, "most successes in one call", minimum=1),
        Param("longest", 8000, "most characters of a solved task that is shown; 0 = no limit", minimum=0),
    ),
    source="ExpeL (AAAI 2024, arXiv 2308.10144); own prompts, JSON operations by id",
)
"""The strategy."""
