"""A-MEM's memory: writes a note for each event, links it, lets it change its neighbors, and finds notes for a query.

It asks the model of the kit and knows no suite. See ``strategy.py`` for the source.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from pathlib import Path

from baselines.a_mem.notes import Index, Note
from baselines.a_mem.replies import Card, Evolution, ask, read_card, read_evolution, read_keywords
from baselines.shared.units import query_text
from bench.protocols import Kit
from bench.types import Context, Event, EventKind, Message, Phase, Query, Shape

__all__ = ["AMem"]

_HERE = Path(__file__).parent
_EXTRACT, _LINK, _KEYWORDS = (
    (_HERE / f"{name}.txt").read_text(encoding="utf-8").strip() for name in ("extract", "link", "keywords")
)
_CARD_TOKENS, _LINK_TOKENS, _KEYWORDS_TOKENS = 300, 1000, 100
_RANKED = 50


class AMem:
    """The notes, and the index they are found by."""

    def __init__(self, kit: Kit):
        self._kit = kit
        params = kit.params
        self._k, self._neighbors = params.integer("k"), params.integer("neighbors")
        self._rebuild = params.integer("rebuild")
        self._is_linked, self._is_evolving = params.flag("links"), params.flag("evolution")
        self._asks_keywords = params.text("query") == "keywords"
        self._notes: list[Note] = []
        self._index = Index(kit.embedder)
        self._action: Event | None = None
        self._evolutions = 0
        self._keywords: dict[str, str | None] = {}
        self._undescribed = self._undecided = 0

    def observe(self, event: Event) -> None:
        """Make a note of a turn, a remark, or an action with its observation: two calls and two embeddings."""
        if event.kind is EventKind.ACTION:
            self._action = event
            return
        if event.kind in (EventKind.GOAL, EventKind.SESSION_END):
            return
        events: tuple[Event, ...] = (event,)
        if event.kind is EventKind.OBSERVATION and self._action is not None:
            events, self._action = (self._action, event), None
        if any(part.text.strip() for part in events):
            self._add(events)

    def recall(self, query: Query) -> Context:
        """Return the nearest notes with those they link to, as far as they fit. Read-only but for caches of queries."""
        past = {at for at, note in enumerate(self._notes) if not query.ref or query.ref not in note.refs}
        if not past:
            return Context()
        text = query_text(query)
        with self._kit.phase(Phase.READ):
            searched = self._searched(text) or text
            ranked = [at for at in self._index.nearest(searched, _found(self._k), keep=True) if at in past]
        wanted = self._with_links(ranked[: self._k], past)
        shown = self._fitting(wanted, query)
        refs = (ref for at in self._ordered(shown, query) for ref in self._notes[at].refs)
        best = (ref for at in ranked for ref in self._notes[at].refs)
        return Context(
            self._text(shown, query),
            tuple(dict.fromkeys(refs)),
            truncated=len(shown) < len(wanted),
            ranking=tuple(dict.fromkeys(best))[:_RANKED],
        )

    def troubles(self, query_text: str) -> tuple[str, ...]:
        """Return what went without a usable reply, for the decision's notes; empty if nothing did."""
        of_all = f"of {len(self._notes)} notes"
        found = [f"undescribed: {self._undescribed} {of_all}"] if self._undescribed else []
        found += [f"undecided: {self._undecided} {of_all} may lack links"] if self._undecided else []
        failed = query_text in self._keywords and self._keywords[query_text] is None
        return (*found, "unsearched: the question itself was searched with") if failed else tuple(found)

    def _add(self, events: tuple[Event, ...]) -> None:
        note = Note(events)
        card = ask(
            self._kit.model,
            (Message("system", _EXTRACT), Message("user", note.line)),
            role="extract",
            max_tokens=_CARD_TOKENS,
            read=read_card,
        )
        self._undescribed += card is None
        card = card or Card()
        note = replace(note, keywords=card.keywords, context=card.context, tags=card.tags)
        evolution = Evolution()
        if self._is_linked or self._is_evolving:
            near = self._index.nearest(note.content, self._neighbors)
            evolution = self._decided(note, near) if near else evolution
            note = self._evolved(note, near, evolution)
        self._notes.append(note)
        self._index.add(note.index_text)
        self._evolutions += evolution.evolves
        if evolution.evolves and self._evolutions % self._rebuild == 0:
            self._index.refresh([each.index_text for each in self._notes])

    def _decided(self, note: Note, near: Sequence[int]) -> Evolution:
        """Ask whether the new note is tied to its neighbors and they change."""
        cards = "\n".join(f"{number}. {_card(self._notes[at])}" for number, at in enumerate(near, start=1))
        evolution = ask(
            self._kit.model,
            (Message("system", _LINK), Message("user", f"# New card\n{_card(note)}\n\n# Neighbors\n{cards}")),
            role="link",
            max_tokens=_LINK_TOKENS,
            read=lambda text: read_evolution(text, len(near)),
        )
        self._undecided += evolution is None
        return evolution or Evolution()

    def _evolved(self, note: Note, near: Sequence[int], evolution: Evolution) -> Note:
        """Put revised neighbors in place and return the new note as it is to be kept."""
        if self._is_evolving:
            for revision in evolution.revisions:
                at = near[revision.place]
                self._notes[at] = replace(self._notes[at], context=revision.context, tags=revision.tags)
        if not (evolution.strengthens and self._is_linked):
            return note
        return replace(note, links=tuple(near[place] for place in evolution.links), tags=evolution.tags)

    def _searched(self, text: str) -> str | None:
        """Return the keywords of a query, asked for once; None if there are none to be had."""
        if not self._asks_keywords:
            return text
        if text not in self._keywords:
            words = ask(
                self._kit.model,
                (Message("system", _KEYWORDS), Message("user", text)),
                role="keywords",
                max_tokens=_KEYWORDS_TOKENS,
                read=read_keywords,
            )
            self._keywords[text] = ", ".join(words) if words else None
        return self._keywords[text]

    def _with_links(self, hits: Sequence[int], past: Set[int]) -> list[int]:
        """Return each hit followed by the notes it links to, each note once, at most k linked ones."""
        wanted, linked = dict[int, None](), 0
        for hit in hits:
            wanted.setdefault(hit)
            for at in self._notes[hit].links:
                if linked < self._k and at in past and at not in wanted:
                    wanted.setdefault(at)
                    linked += at not in hits
        return list(wanted)

    def _fitting(self, wanted: Sequence[int], query: Query) -> list[int]:
        if query.budget_tokens is None:
            return list(wanted)
        shown: list[int] = []
        for at in wanted:
            if self._kit.budget.count(self._text([*shown, at], query)) <= query.budget_tokens:
                shown.append(at)
        return shown

    def _text(self, shown: Sequence[int], query: Query) -> str:
        return "\n".join(self._notes[at].shown for at in self._ordered(shown, query))

    def _ordered(self, shown: Sequence[int], query: Query) -> Sequence[int]:
        return sorted(shown) if query.shape is Shape.EPISODE else shown


def _found(k: int) -> int:
    """How many notes are searched for: the k shown, enough to rank, and one that may be the current one."""
    return max(k, _RANKED) + 1


def _card(note: Note) -> str:
    keywords, tags = ", ".join(note.keywords), ", ".join(note.tags)
    return f"{note.line}\nKeywords: {keywords}\nTags: {tags}\nContext: {note.context}"
