"""GenericAgent's compression of the raw past: long bodies lose their middle, old ones more of it, the oldest go.

Stage 1 cuts an observation or a file when it is taken in; stage 2 runs every few turns over all but the newest
messages; stage 3 is eviction, whose numbers stand here and whose measure (the whole context) is the memory's. It counts
characters as the original does; that a context fits its budget is counted in tokens, in ``memory``.
Source: GenericAgent, Technical Report V1.0, sec. 2.3.4. The published lengths are for a budget of 30 k tokens, which is
90 000 characters at its 3 characters a token; they are scaled to the budget in force, with a floor under which a cut
would leave no sentence whole. Old anchors need no placeholder: the anchor stands in a prompt once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

__all__ = [
    "EVICT_TO",
    "EXEMPT",
    "EXEMPT_WHEN_FULL",
    "Entry",
    "Lengths",
    "compress",
    "cut_middle",
    "iterate_turn_starts",
]

EXEMPT = 10
"""Newest messages that stage 2 leaves alone."""
EXEMPT_WHEN_FULL = 4
"""The same where the budget is passed."""
EVICT_TO = 0.6
"""Eviction goes on until the context is shorter than this share of the budget."""
_CHARS_A_TOKEN = 3
_MARK = " … "


@dataclass(frozen=True, slots=True)
class Lengths:
    """The longest that bodies may be, in characters."""

    new: int
    """Stage 1: half of it from each end."""
    old: int
    """Stage 2."""
    file: int
    """Stage 1 for a file that was read."""

    @classmethod
    def for_budget(cls, budget_tokens: int) -> Lengths:
        """Scale the published 10 000, 800 and 20 000 of 90 000 characters; an old body keeps at most half."""
        new = max(400, min(10_000, budget_tokens * _CHARS_A_TOKEN // 9))
        return cls(new, min(800, new // 2), 2 * new)


@dataclass(frozen=True, slots=True)
class Entry:
    """One message of the raw past. ``ref`` is empty for a file that was read; ``opens`` is true for an action."""

    turn: int
    head: str
    body: str
    ref: str = ""
    opens: bool = False

    @property
    def line(self) -> str:
        return f"{self.head}{self.body}"


def cut_middle(text: str, chars: int) -> str:
    """Return the text in at most ``chars`` characters: its two ends, with a mark where the middle was."""
    if len(text) <= chars:
        return text
    room = chars - len(_MARK)
    if room < 2:
        return text[: max(0, chars)]
    return text[: room - room // 2].rstrip() + _MARK + text[len(text) - room // 2 :].lstrip()


def compress(entries: Sequence[Entry], exempt: int, chars: int) -> list[Entry]:
    """Stage 2: shorten every body but those of the newest ``exempt`` messages."""
    old = len(entries) - exempt
    return [
        replace(entry, body=cut_middle(entry.body, chars)) if at < old else entry for at, entry in enumerate(entries)
    ]


def iterate_turn_starts(entries: Sequence[Entry]) -> Iterator[int]:
    """Yield where the past may begin: before all of it, before each later turn, after the last. No pair is torn."""
    yield 0
    for at in range(1, len(entries)):
        if entries[at].turn != entries[at - 1].turn:
            yield at
    if entries:
        yield len(entries)
