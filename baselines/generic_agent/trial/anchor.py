"""GenericAgent's working-memory anchor: one line for each past turn, and the key info that the agent wrote last.

Source: Technical Report V1.0 (20 lines of about 100 characters) and the published code, which moved on: 40 lines of
100 in April 2026; in August 30 lines of 80, on odd turns only, with older lines in a folded block on every fourth
turn. The original sends an anchor with every message and earlier ones stay in view; a prompt here is built for each
call, so "on odd turns" means that an even turn shows the anchor of the turn before. How runs are merged in the folded
block is our reading: equal lines in sequence become one with their count. A turn that still stands in the raw past has
no line, which would show it twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from baselines.generic_agent.trial.compression import cut_middle

__all__ = ["VERSIONS", "Anchor", "Line", "Version"]

_FOLDED_LINES = 70


@dataclass(frozen=True, slots=True)
class Version:
    """One column of the anchor's table, and how often stage 2 runs."""

    lines: int
    chars: int
    odd_turns_only: bool = False
    folds_older: bool = False
    compress_every: int = 5


VERSIONS = {
    "report": Version(20, 100),
    "code-april": Version(40, 100),
    "code": Version(30, 80, odd_turns_only=True, folds_older=True, compress_every=7),
}


@dataclass(frozen=True, slots=True)
class Line:
    """What is left of one turn (or of a run of equal ones). ``refs`` are the actions it stands for."""

    turn: int
    text: str
    refs: tuple[str, ...]


class Anchor:
    """Keeps a line for every turn and shows the newest."""

    def __init__(self, version: Version):
        self._version = version
        self._lines: list[Line] = []
        self.key_info = ""
        self.key_turn = 0

    def add(self, turn: int, summary: str, ref: str) -> None:
        """Keep the line of one turn."""
        text = cut_middle(" ".join(summary.split()), self._version.chars)
        self._lines.append(Line(turn, text, (ref,)))

    def set_key_info(self, turn: int, text: str) -> None:
        """Replace the key info."""
        self.key_info, self.key_turn = text, turn

    def select_lines(self, now: int, raw_from: int | None) -> list[Line]:
        """Return the lines to show at turn ``now``; turns after ``raw_from`` (None = none) stand in the raw past.

        The turn that the raw past begins with keeps its line: it says what the observation before it brought.
        """
        version = self._version
        seen = now - 1 if version.odd_turns_only and now % 2 == 0 else now
        earlier = [line for line in self._lines if line.turn < seen]
        block = earlier[-version.lines :]
        older: list[Line] = []
        if version.folds_older:
            folded_at = now - (now - 1) % 4
            older = [line for line in earlier[: -version.lines] if line.turn < folded_at - version.lines]
        chosen = [*list(_merge_runs(older))[-_FOLDED_LINES:], *block]
        return [line for line in chosen if line.text and (raw_from is None or line.turn <= raw_from)]


def _merge_runs(lines: Iterable[Line]) -> Iterator[Line]:
    for text, group in groupby(lines, key=lambda line: line.text):
        run = list(group)
        refs = tuple(ref for line in run for ref in line.refs)
        yield Line(run[-1].turn, f"{text} ({len(run)} turns)" if len(run) > 1 else text, refs)
