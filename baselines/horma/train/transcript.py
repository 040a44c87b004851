"""One search as token ids, and who wrote each of them. Ids are appended as they were read or sampled: a text that was
sampled is never made into ids again, for the ids could be others and the update would be about what nobody wrote.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

__all__ = ["Transcript"]


@dataclass(slots=True)
class Transcript:
    """Ids of equal number with marks: True = written by the model."""

    ids: list[int] = field(default_factory=list)
    by_model: list[bool] = field(default_factory=list)

    def read(self, ids: Iterable[int]) -> None:
        """Append what the model was shown: it gets no gradient."""
        self._append(ids, by_model=False)

    def write(self, ids: Iterable[int]) -> None:
        """Append what the model wrote."""
        self._append(ids, by_model=True)

    def _append(self, ids: Iterable[int], *, by_model: bool) -> None:
        before = len(self.ids)
        self.ids.extend(ids)
        self.by_model.extend([by_model] * (len(self.ids) - before))

    @property
    def written(self) -> int:
        """How many tokens the model wrote."""
        return sum(self.by_model)

    def __len__(self) -> int:
        return len(self.ids)
