"""``offline/novice``: an offline model that lacks what there is to be learned, and can be taught.

Its rules for acting suites are the suites' own, as the reader's are; where a suite has none for it, and in every other
role, it does as ``offline/reader`` does. It is the model with which a memory of other tasks can be seen to help.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bench.models.offline.reader import OfflineReader
from bench.models.options import OFFLINE_NOVICE
from bench.models.ready import ReadySource
from bench.protocols import OfflineRule, Param, Params
from bench.protocols.params import parse_name

__all__ = ["NAME", "PARAMS", "NoviceSource", "build_source"]

NAME = OFFLINE_NOVICE
PARAMS = (Param("depth", 2, "how many actions it looks ahead in planning problems", minimum=1, maximum=3),)

Count = Callable[[str, str], tuple[int, int]]


class NoviceSource(ReadySource):
    """Gives the novice to every trial. What it reads lessons with is part of its identity."""

    def __init__(self, model: OfflineReader, lessons: str, count: Count):
        super().__init__(model)
        self._lessons, self._count = lessons, count

    def count_teaching(self, context: str, opening: str) -> tuple[int, int]:
        """Return how many lines of a context are for teaching, and how many of these were understood."""
        return self._count(context, opening)

    @property
    def identity(self) -> str:
        return f"{self.name}, {self._lessons}"


def build_source(
    text: str, rules: Callable[[Params], Sequence[OfflineRule]], lessons: str, count: Count
) -> NoviceSource:
    """Return the source that ``text`` names (``offline/novice:depth=3``).

    ``rules``: what the novice knows, by its parameters. ``lessons``: version and digest of what reads teaching texts.
    ``count``: of a context and an opening, the lines that teach and those understood. Raises: UsageError for an unknown
    parameter.
    """
    _, given = parse_name(text, "model")
    params = Params(PARAMS, given, who=f"model {NAME}")
    label = f"{NAME}:{params.label}" if params.label else NAME
    return NoviceSource(OfflineReader(rules(params), label), lessons, count)
