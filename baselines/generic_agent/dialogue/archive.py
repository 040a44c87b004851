"""L4 of a conversation: the raw sessions by place, a line about each of them, and a search by words.

A place is ``session:turn``, both counted from 1 in the order of arrival: short, and the same for every suite. A search
ranks turns by the rarity of the words they share with what is looked for, a long turn counting a little less. Nothing
is summarised and nothing is promoted from here: a turn is shown as it was, or not at all.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from baselines.generic_agent.dialogue.words import SMALL_WORDS, find_stems, split_words
from bench.agents import render_event
from bench.types import Event

__all__ = ["Archive", "RawTurn"]

_LENGTH_SHARE = 0.3
"""How far length counts: a turn of twice the mean length gets its points over 1 + this."""
_DECIMALS = 6
_WORDS_A_SESSION = 8


@dataclass(frozen=True, slots=True)
class RawTurn:
    """One turn as it was said, and where it stands."""

    session: int
    number: int
    order: int
    """Its place among all turns, from 0."""
    event: Event

    @property
    def place(self) -> str:
        return f"{self.session}:{self.number}"

    @property
    def line(self) -> str:
        return render_event(self.event)

    @property
    def words(self) -> frozenset[str]:
        return find_stems(f"{self.event.speaker}: {self.event.text}")


class Archive:
    """Every turn, appended once and never changed."""

    def __init__(self) -> None:
        self._turns: list[RawTurn] = []
        self._places: dict[str, RawTurn] = {}
        self._turns_by_word: dict[str, list[int]] = {}
        self._session, self._in_session, self._lengths = 1, 0, 0

    def add(self, event: Event) -> None:
        """Keep one turn of the session that is open."""
        self._in_session += 1
        turn = RawTurn(self._session, self._in_session, len(self._turns), event)
        self._turns.append(turn)
        self._places[turn.place] = turn
        for word in sorted(turn.words):
            self._turns_by_word.setdefault(word, []).append(turn.order)
        self._lengths += len(turn.words)

    def close_session(self) -> list[RawTurn]:
        """End the session and return its turns; a session without turns is none."""
        ended = self.get_session(self._session)
        if ended:
            self._session, self._in_session = self._session + 1, 0
        return ended

    @property
    def turns(self) -> Sequence[RawTurn]:
        """Every turn, in order."""
        return self._turns

    @property
    def is_empty(self) -> bool:
        return not self._turns

    def get_turn(self, place: str) -> RawTurn | None:
        """Return the turn at a place, None if there is none."""
        return self._places.get(place)

    def get_session(self, number: int) -> list[RawTurn]:
        """Return the turns of one session in order."""
        first = self._places.get(f"{number}:1")
        if first is None:
            return []
        last = first.order
        while last < len(self._turns) and self._turns[last].session == number:
            last += 1
        return self._turns[first.order : last]

    def compute_rarity(self, word: str) -> float:
        """Return how well a word distinguishes turns: 0 for one that no turn holds."""
        n_turns = len(self._turns_by_word.get(word, ()))
        return math.log(1 + len(self._turns) / n_turns) if n_turns else 0.0

    def compute_points(self, query_words: frozenset[str], words: frozenset[str]) -> float:
        """Return what a text with these words is worth to who looks for ``query_words``."""
        shared = sum(self.compute_rarity(word) for word in sorted(query_words & words))
        mean = self._lengths / max(1, len(self._turns)) or 1.0
        return round(shared / (1 + _LENGTH_SHARE * (len(words) / mean - 1)), _DECIMALS)

    def find(self, query_words: frozenset[str], most: int) -> list[RawTurn]:
        """Return the turns that share the rarest words, best first; equal ones in the order they were said."""
        orders = sorted({order for word in query_words for order in self._turns_by_word.get(word, ())})
        return self.rank((self._turns[order] for order in orders), query_words, most)

    def rank(self, turns: Iterable[RawTurn], query_words: frozenset[str], most: int) -> list[RawTurn]:
        """Return the best of these turns, best first, those included that share no word."""
        return sorted(turns, key=lambda turn: (-self.compute_points(query_words, turn.words), turn.order))[:most]

    def describe_sessions(self) -> list[str]:
        """Return a line about each session: number, date, turns, and the words it says most beyond the others."""
        return [self._describe_session(number) for number in range(1, self._session + 1) if self.get_session(number)]

    def _describe_session(self, number: int) -> str:
        turns = self.get_session(number)
        counts = Counter(word for turn in turns for word in split_words(turn.event.text) if word not in SMALL_WORDS)
        known = {word: min(find_stems(word), default="") for word in counts}
        frequent = sorted(counts, key=lambda word: (-counts[word] * self.compute_rarity(known[word]), word))[
            :_WORDS_A_SESSION
        ]
        date = f", {turns[0].event.time}" if turns[0].event.time else ""
        return f"session {number}{date}, {len(turns)} turns: {', '.join(frequent)}"
