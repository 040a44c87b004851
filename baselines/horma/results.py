"""What a command of the navigator shows: lines with their addresses, as many as there is room for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from baselines.horma.places import Hits, Place
from baselines.horma.raw_logs import RawLogs

__all__ = ["Results"]

_CITED = 6
"""Refs that are shown behind a line of a note."""


class Results:
    """Shows lines, each at most ``line_chars`` long, as many as fit into ``room`` tokens and at least one.

    The turn ``hidden`` keeps its place, but its text is left to the prompt of the actor.
    """

    def __init__(self, raw: RawLogs, line_chars: int, count: Callable[[str], int], hidden: str = ""):
        self._raw, self._line_chars, self._count, self._hidden = raw, line_chars, count, hidden

    def show_list(self, head: str, lines: Sequence[str], room: int) -> str:
        """Return the first of some lines below a head, and how many more there are."""
        kept = self._count_fitting(lines, room)
        more = [f"and {len(lines) - kept} more"] if kept < len(lines) else []
        return "\n".join([head, *lines[:kept], *more])

    def show_page(self, head: str, places: Sequence[Place], room: int) -> str:
        """Return the first lines of a page, and where it goes on."""
        lines = [self._format(place) for place in places]
        if (kept := self._count_fitting(lines, room)) == len(lines):
            return "\n".join([head, *lines])
        first, last = places[kept], places[-1]
        rest = f"{first.ref}-{last.ref}" if first.ref else f"{first.path} {first.number}:{last.number}"
        return "\n".join([head, *lines[:kept], f"and {len(lines) - kept} more; go on with cat {rest}"])

    def show_hits(self, head: str, hits: Hits, pattern: str, room: int) -> str:
        """Return the lines that were found in their order; of too many the newest, of notes and of turns alike."""
        lines = {place: self._format(place, pattern) for place in hits.places}
        kept = self._choose_newest(lines, room)
        loose = [f'No line holds "{text}" as it is; these hold all of its words.' for text in hits.loose]
        older = len(lines) - len(kept)
        more = [f"and {older} older ones; look in one folder or file for them"] if older else []
        return "\n".join([head, *loose, *(line for place, line in lines.items() if place in kept), *more])

    def _choose_newest(self, lines: dict[Place, str], room: int) -> set[Place]:
        """Return the places whose lines fit: notes get half of the room, turns the other, and each what is left."""
        notes, turns = ([place for place in lines if bool(place.ref) is is_raw] for is_raw in (False, True))
        need = [sum(self._count(lines[place]) for place in places) for places in (notes, turns)]
        rooms = (max(room // 2, room - need[1]), max(room - room // 2, room - need[0]))
        kept = set[Place]()
        for places, share in zip((notes, turns), rooms, strict=True):
            newest = sorted(places, key=self._order, reverse=True)
            kept.update(newest[: self._count_fitting([lines[place] for place in newest], share)])
        return kept

    def _order(self, place: Place) -> int:
        turns = [turn for ref in place.line.sources[-1:] if (turn := self._raw.get(ref))]
        return turns[0].order if turns else -1

    def _count_fitting(self, lines: Iterable[str], room: int) -> int:
        """Return how many of the first lines fit; one always does."""
        used = kept = 0
        for line in lines:
            used += self._count(line)
            if kept and used > room:
                break
            kept += 1
        return kept

    def _format(self, place: Place, pattern: str = "") -> str:
        """Return a line around the first word that was looked for, with its address and what it rests on."""
        if place.ref and place.ref == self._hidden:
            return f"{place.ref}: (the current observation, which is shown anyway)"
        text, most = place.line.text, self._line_chars
        lowered = text.lower()
        words = re.split(r"[\s|\"]+", pattern.lower())
        ats = [at for word in words if word and (at := lowered.find(word)) >= 0]
        start = max(0, min(min(ats, default=0) - most // 2, len(text) - most))
        shown = f"{'… ' * (start > 0)}{text[start : start + most].strip()}{' …' * (start + most < len(text))}"
        sources = place.line.sources
        cited = ", ".join(sources[:_CITED]) + ", …" * (len(sources) > _CITED)
        return f"{place.address}: {shown}" + (f" [{cited}]" if cited and not place.ref else "")
