"""GenericAgent's layers for one conversation: files each session when it ends, and reads for a question on demand.

Sessions go to the archive (L4) turn by turn. At the end of one, ``extract`` proposes facts (L2) and rules (L3) with the
turns they rest on; where a new fact meets earlier ones under its topic, one ``update`` call may drop what no longer
holds. The index (L1) is written again only when L2 or L3 gained or lost an entry, or L4 its first. A session that was
not ended is in the archive alone. The context of a question is what was read, facts and raw turns together in the order
they were said, and the index, which is always there and stands last, so that no pointer is read before what it points
to. Its refs are those of what was read: a pointer cites nothing.
Budget: an index that takes more than a quarter of it is left out; what was read fills the rest, best first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from baselines.generic_agent.dialogue.archive import Archive, RawTurn
from baselines.generic_agent.dialogue.facts import Fact, Facts, Rule
from baselines.generic_agent.dialogue.navigation import MOST_RANKED, Navigator, SearchResult
from baselines.generic_agent.dialogue.pointers import ARCHIVE_LINE, RULES_LINE, build_index
from baselines.generic_agent.dialogue.proposals import read_drops, read_proposals
from baselines.generic_agent.trial.compression import cut_middle
from bench.protocols import Kit
from bench.types import Context, Event, EventKind, Message, Query

__all__ = ["DialogueMemory", "Reading"]

_PIECE_TOKENS = 2500
"""The most of a session that one ``extract`` call sees; a longer session takes more calls."""
_TURN_CHARS = 6000
"""A turn is shown to ``extract`` up to here; the archive has all of it."""
_EXTRACT_TOKENS, _UPDATE_TOKENS = 2500, 200
_SPARE_TOKENS, _TOKENS_A_TOKEN = 100, 3
"""How long a reply to ``extract`` may be: so much, and so much for each token it files. A short part asks little."""
_EARLIER = 40
"""Earlier facts that one ``update`` call sees, the newest."""
_INDEX_SHARE = 4


def _read_text(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8").strip()


_EXTRACT, _UPDATE = map(_read_text, ("extract.txt", "update.txt"))


@dataclass(frozen=True, slots=True)
class Reading:
    """The context of one question, and what it is made of."""

    context: Context
    always_on_tokens: int
    """The index."""
    on_demand_tokens: int
    """Facts, rules and turns that were read."""
    trail: tuple[str, ...] = ()


class DialogueMemory:
    """L1 to L4; a layer that is left out is neither written to a prompt nor read."""

    def __init__(self, kit: Kit):
        self._kit = kit
        self._layers = kit.params.text("layers")
        self._archive = Archive()
        self._facts = Facts(self._archive)
        self._navigator = Navigator(kit, self._facts, self._archive)
        self._index: tuple[str, ...] = ()
        self._indexed_changes = 0
        self._read: dict[Query, Reading] = {}

    @property
    def facts(self) -> Facts:
        return self._facts

    @property
    def index(self) -> tuple[str, ...]:
        return self._index

    def observe(self, event: Event) -> None:
        """Keep a turn; at the end of a session, file it (a call for each piece, and one for earlier facts)."""
        self._read.clear()
        if event.kind is EventKind.SESSION_END:
            self._file_session(self._archive.close_session())
        elif event.kind in (EventKind.TURN, EventKind.NOTE, EventKind.FEEDBACK):
            self._archive.add(event)

    def recall(self, query: Query) -> Context:
        """Return what was read for this query, reading it only if nobody asked it before. Read-only."""
        return (self._read.get(query) or self.read(query)).context

    def read(self, query: Query) -> Reading:
        """Read for a query (at most ``rounds`` calls), whoever asked before: a decision pays for its own reading."""
        found = self._navigator.read(query, self._index)
        reading = self._read[query] = self._build_reading(found, query.budget_tokens)
        return reading

    def reach(self) -> frozenset[str]:
        """Return the refs of the turns that facts and rules rest on, and with the archive of all turns."""
        archived = self._archive.turns if "4" in self._layers else ()
        filed = (turn for entry in self._facts.entries for turn in entry.turns)
        return frozenset(turn.event.ref for turn in (*archived, *filed))

    def _file_session(self, turns: Sequence[RawTurn]) -> None:
        gained = [fact for piece in self._split_session(turns) for fact in self._extract(piece)]
        if gained:
            self._drop_earlier(gained)
        fixed = [RULES_LINE] if self._facts.rules else []
        fixed += [ARCHIVE_LINE] if "4" in self._layers and not self._archive.is_empty else []
        if self._facts.changes > self._indexed_changes or not self._index:
            self._indexed_changes = self._facts.changes
            self._index = build_index(self._facts.count_topics(), fixed, self._kit.budget.count)

    def _split_session(self, turns: Sequence[RawTurn]) -> Iterator[list[RawTurn]]:
        piece, used = list[RawTurn](), 0
        for turn in turns:
            tokens = self._kit.budget.count(_render_turn(turn))
            if piece and used + tokens > _PIECE_TOKENS:
                yield piece
                piece, used = [], 0
            piece.append(turn)
            used += tokens
        if piece:
            yield piece

    def _extract(self, piece: Sequence[RawTurn]) -> list[Fact]:
        date = f", {piece[0].event.time}" if piece[0].event.time else ""
        parts = [
            "# Index",
            *(self._index or ["(empty)"]),
            "",
            f"# Session {piece[0].session}{date}",
            *map(_render_turn, piece),
        ]
        messages = (Message("system", _EXTRACT), Message("user", "\n".join(parts)))
        n_tokens = sum(self._kit.budget.count(_render_turn(turn)) for turn in piece)
        longest = min(_EXTRACT_TOKENS, _SPARE_TOKENS + _TOKENS_A_TOKEN * n_tokens)
        reply = self._kit.model.chat(messages, role="extract", max_tokens=longest).text
        proposals = read_proposals(reply)
        if "3" in self._layers:
            for rule in proposals.rules:
                self._facts.admit_rule(rule)
        return [fact for one in proposals.facts if (fact := self._facts.admit(one))]

    def _drop_earlier(self, gained: Sequence[Fact]) -> None:
        """Ask which earlier facts the new ones take the place of; a pair outside the two lists is ignored."""
        new = {fact.number: fact for fact in gained}
        topics = sorted({fact.topic for fact in gained})
        related = [fact for topic in topics for fact in self._facts.list_facts(topic) if fact.number not in new]
        earlier = {fact.number: fact for fact in sorted(related, key=lambda fact: fact.number)[-_EARLIER:]}
        if not earlier:
            return
        shared_topics = {fact.topic for fact in earlier.values()}
        parts = ["# Earlier facts", *map(_render_numbered, earlier.values()), "", "# New facts"]
        parts += [_render_numbered(fact) for fact in gained if fact.topic in shared_topics]
        messages = (Message("system", _UPDATE), Message("user", "\n".join(parts)))
        reply = self._kit.model.chat(messages, role="update", max_tokens=_UPDATE_TOKENS).text
        for drop in read_drops(reply):
            if drop.earlier in earlier and drop.newer in new:
                self._facts.drop(drop.earlier)

    def _build_reading(self, found: SearchResult, budget: int | None) -> Reading:
        """Return the context: the index, and as much of what was found as fits, best first."""
        count = self._kit.budget.count
        rules = self._facts.rules if found.has_rules else []
        index = [*self._index]
        if budget is not None and count(_render_context([], [], index)) > budget // _INDEX_SHARE:
            index = []  # a part of it says nothing about the rest
        head = [rule.line for rule in rules]
        if budget is not None and count(_render_context(head, [], index)) > budget:
            head, rules = [], []
        chosen: list[Fact | RawTurn] = []
        for item in found.shown:
            if budget is None or count(_render_context(head, [*chosen, item], index)) <= budget:
                chosen.append(item)
        text, index_text = _render_context(head, chosen, index), _render_context([], [], index)
        cited = [turn for item in (*rules, *_sort_items(chosen)) for turn in _list_turns(item)]
        ranked = [turn.event.ref for item in found.ranking for turn in _list_turns(item)]
        context = Context(
            text,
            tuple(dict.fromkeys(turn.event.ref for turn in cited)),
            truncated=len(chosen) < len(found.shown) or len(index) < len(self._index) or found.has_rules > bool(head),
            ranking=tuple(dict.fromkeys(ranked))[:MOST_RANKED],
        )
        return Reading(context, count(index_text), count(text) - count(index_text), found.trail)


def _render_turn(turn: RawTurn) -> str:
    text = cut_middle(" ".join(turn.event.text.split()), _TURN_CHARS)
    return f"{turn.place} {turn.event.speaker}: {text}" if turn.event.speaker else f"{turn.place} {text}"


def _render_numbered(fact: Fact) -> str:
    return f"{fact.number} | {fact.topic} | {fact.line}"


def _list_turns(item: Fact | RawTurn | Rule) -> tuple[RawTurn, ...]:
    return (item,) if isinstance(item, RawTurn) else item.turns


def _sort_items(items: Sequence[Fact | RawTurn]) -> list[Fact | RawTurn]:
    """Facts and turns together in the order they were said, so that what is said last holds."""
    return sorted(items, key=lambda item: (item.order, isinstance(item, RawTurn)))


def _render_context(head: Sequence[str], items: Sequence[Fact | RawTurn], index: Sequence[str]) -> str:
    """Return the text of a context; a section that is empty has no heading."""
    lines = [*head, *(item.line for item in _sort_items(items) if item.line)]
    return "\n".join([*lines, *(["Index:", *index] if index else [])])
