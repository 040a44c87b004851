"""A-MEM's memory: writes a note for each event, links it, lets it change its neighbors, and finds notes for a query.

It asks the model of the kit and knows no suite. See ``strategy.py`` for the source.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from pathlib import Path

from baselines.a_mem.notes import Index, Note
from baselines.a_mem.replies import Card, Evolution, ask, read_card, read_evolution, read_keywords
from baselines.shared.budget import select_fitting
from baselines.shared.units import build_query_text
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
        self._adds_links, self._updates_neighbors = params.flag("links"), params.flag("evolution")
        self._asks_keywords = params.text("query") == "keywords"
        self._notes: list[Note] = []
        self._index = Index(kit.embedder)
        self._action: Event | None = None
        self._evolutions = 0
        self._keywords: dict[str, str | None] = {}
        self._failed_cards = self._failed_links = 0

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
        text = build_query_text(query)
        with self._kit.phase(Phase.READ):
            search_text = self._choose_search_text(text) or text
            ranking = [
                at
                for at in self._index.find_nearest(search_text, _compute_pool_size(self._k), cache=True)
                if at in past
            ]
        candidates = self._add_links(ranking[: self._k], past)
        chosen = select_fitting(
            candidates, query.budget_tokens, lambda places: self._render(places, query), self._kit.budget.count
        )
        refs = (ref for at in self._sort_notes(chosen, query) for ref in self._notes[at].refs)
        best = (ref for at in ranking for ref in self._notes[at].refs)
        return Context(
            self._render(chosen, query),
            tuple(dict.fromkeys(refs)),
            truncated=len(chosen) < len(candidates),
            ranking=tuple(dict.fromkeys(best))[:_RANKED],
        )

    def reach(self) -> frozenset[str]:
        """Return the refs of all notes."""
        return frozenset(ref for note in self._notes for ref in note.refs)

    def describe_failures(self, query_text: str) -> tuple[str, ...]:
        """Return what went without a usable reply, for the decision's notes; empty if nothing did."""
        of_all = f"of {len(self._notes)} notes"
        failures = [f"undescribed: {self._failed_cards} {of_all}"] if self._failed_cards else []
        failures += [f"undecided: {self._failed_links} {of_all} may lack links"] if self._failed_links else []
        failed = query_text in self._keywords and self._keywords[query_text] is None
        return (*failures, "unsearched: the question itself was searched with") if failed else tuple(failures)

    def _add(self, events: tuple[Event, ...]) -> None:
        note = Note(events)
        card = ask(
            self._kit.model,
            (Message("system", _EXTRACT), Message("user", note.line)),
            role="extract",
            max_tokens=_CARD_TOKENS,
            read=read_card,
        )
        self._failed_cards += card is None
        card = card or Card()
        note = replace(note, keywords=card.keywords, context=card.context, tags=card.tags)
        evolution = Evolution()
        if self._adds_links or self._updates_neighbors:
            near = self._index.find_nearest(note.content, self._neighbors)
            evolution = self._ask_evolution(note, near) if near else evolution
            note = self._apply_evolution(note, near, evolution)
        self._notes.append(note)
        self._index.add(note.index_text)
        self._evolutions += evolution.evolves
        if evolution.evolves and self._evolutions % self._rebuild == 0:
            self._index.refresh([each.index_text for each in self._notes])

    def _ask_evolution(self, note: Note, near: Sequence[int]) -> Evolution:
        """Ask whether the new note is tied to its neighbors and they change."""
        cards = "\n".join(f"{number}. {_render_card(self._notes[at])}" for number, at in enumerate(near, start=1))
        evolution = ask(
            self._kit.model,
            (Message("system", _LINK), Message("user", f"# New card\n{_render_card(note)}\n\n# Neighbors\n{cards}")),
            role="link",
            max_tokens=_LINK_TOKENS,
            read=lambda text: read_evolution(text, len(near)),
        )
        self._failed_links += evolution is None
        return evolution or Evolution()

    def _apply_evolution(self, note: Note, near: Sequence[int], evolution: Evolution) -> Note:
        """Put revised neighbors in place and return the new note as it is to be stored."""
        if self._updates_neighbors:
            for revision in evolution.revisions:
                at = near[revision.place]
                old = self._notes[at]
                context = old.context if revision.context is None else revision.context
                tags = old.tags if revision.tags is None else revision.tags
                self._notes[at] = replace(old, context=context, tags=tags)
        if not (evolution.strengthens and self._adds_links):
            return note
        tags = note.tags if evolution.tags is None else evolution.tags
        return replace(note, links=tuple(near[place] for place in evolution.links), tags=tags)

    def _choose_search_text(self, text: str) -> str | None:
        """Return the keywords of a query, asked for once; None if no reply could be used."""
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

    def _add_links(self, hits: Sequence[int], past: Set[int]) -> list[int]:
        """Return each hit followed by the notes it links to, each note once, at most k linked ones."""
        notes, linked = dict[int, None](), 0
        for hit in hits:
            notes.setdefault(hit)
            for at in self._notes[hit].links:
                if linked < self._k and at in past and at not in notes:
                    notes.setdefault(at)
                    linked += at not in hits
        return list(notes)

    def _render(self, places: Sequence[int], query: Query) -> str:
        return "\n".join(self._notes[at].prompt_text for at in self._sort_notes(places, query))

    def _sort_notes(self, places: Sequence[int], query: Query) -> Sequence[int]:
        return sorted(places) if query.shape is Shape.EPISODE else places


def _compute_pool_size(k: int) -> int:
    """How many notes are searched for: the k shown, enough to rank, and one that may be the current one."""
    return max(k, _RANKED) + 1


def _render_card(note: Note) -> str:
    keywords, tags = ", ".join(note.keywords), ", ".join(note.tags)
    return f"{note.line}\nKeywords: {keywords}\nTags: {tags}\nContext: {note.context}"
