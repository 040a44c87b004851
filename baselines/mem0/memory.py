"""What Mem0 does with a stream of events: messages become facts, facts change the memory, queries find facts.

It calls the model through a ``Writer`` and knows no suite. See ``strategy.py`` for the source and the deviations.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from baselines.mem0.replies import Operation, What
from baselines.mem0.search import Search
from baselines.mem0.store import Fact, FactStore, Turn
from baselines.mem0.writing import Listening, Writer
from bench.protocols import Kit, Vectors
from bench.types import Context, Event, EventKind, Query, Shape

__all__ = ["Mem0Memory"]

_NAMES_TASK = re.compile(r"\b(?:task|goal)\b", re.IGNORECASE)
_SPEAKERS = {EventKind.ACTION: "Agent", EventKind.NOTE: "Note", EventKind.FEEDBACK: "Judge"}
_WORLD = "World"
_RANKED_REFS = 50
_SUMMARY_EVERY = 20  # messages of an episode, which has no sessions


@dataclass(frozen=True, slots=True)
class _Piece:
    """What one line of a context holds, and where it stands in time."""

    line: str
    refs: tuple[str, ...]
    at: int


class _Shelf:
    """One store with its search; ``about`` is the person whose facts it takes, empty = everybody's."""

    def __init__(self, about: str, hybrid: bool):
        self.about = about
        self.store = FactStore()
        self.search = Search(self.store, hybrid)


class Mem0Memory:
    """Facts about what was said, in one store or one a speaker."""

    def __init__(self, kit: Kit):
        self._kit, params = kit, kit.params
        self._additive = params.text("variant") == "add-only"
        self._hybrid = params.text("search") == "hybrid"
        self._by_speaker = params.text("stores") == "speaker"
        self._k, self._s, self._m = (params.integer(name) for name in ("k", "s", "m"))
        self._batch = params.integer("batch")
        summary = params.text("summary")
        self._summarizes = summary == "on" or (summary == "auto" and not self._additive)
        self.writer = Writer(kit, self._additive)
        self._shelves: dict[str, _Shelf] = {} if self._by_speaker else {"": _Shelf("", self._hybrid)}
        self._summary = ""
        self._pending: list[Turn] = []
        self._earlier: list[Turn] = []
        self._unsummarized: list[Turn] = []
        self._heard = 0

    @property
    def facts(self) -> list[Fact]:
        """Every fact that is there, store by store, oldest first."""
        shelves = self._shelves.values()
        return [fact for shelf in shelves for n in shelf.store.numbers if (fact := shelf.store.get(n)) is not None]

    def observe(self, event: Event) -> None:
        """Take an event into the batch; a full batch, the end of a session or of a step is written down."""
        if event.kind is EventKind.SESSION_END:
            self._write()
            self._summarize()
            return
        if event.kind is EventKind.GOAL or not event.text.strip():
            return
        self._pending.append(self._turn(event))
        # An action waits for its observation, and what the world said last is known before the next action.
        full = len(self._pending) >= self._batch and event.kind is not EventKind.ACTION
        if full or event.kind is EventKind.OBSERVATION:
            self._write()
            if event.kind is not EventKind.TURN and len(self._unsummarized) >= _SUMMARY_EVERY:
                self._summarize()

    def recall(self, query: Query) -> Context:
        """Return the facts nearest to the query that fit the budget, in time order. Read-only.

        Messages that wait for their batch to fill stand as they were said, before any fact.
        """
        ranked = [piece for piece in self._ranked(query) if piece.refs != (query.ref,)]
        best = ranked[: self._k * max(1, len(self._shelves))]
        shown = self._fitting(best, query.budget_tokens)
        refs = dict.fromkeys(ref for piece in shown for ref in piece.refs if ref != query.ref)
        order = list(dict.fromkeys(ref for piece in ranked for ref in piece.refs if ref != query.ref))
        return Context(_text(shown), tuple(refs), len(shown) < len(best), tuple(order[:_RANKED_REFS]))

    def _turn(self, event: Event) -> Turn:
        self._heard += 1
        text = " ".join(event.text.split())
        if event.kind is EventKind.TURN:
            speaker = event.speaker or "Somebody"
            return Turn(event.ref, speaker, text, event.time, self._heard, speaker)
        return Turn(event.ref, _SPEAKERS.get(event.kind, _WORLD), text, event.time or f"step {event.step}", self._heard)

    def _write(self) -> None:
        batch = tuple(self._pending)
        self._pending = []
        if not batch:
            return
        if self._by_speaker:
            for turn in batch:
                self._shelves.setdefault(turn.person, _Shelf(turn.person, self._hybrid))
        for shelf in self._shelves.values():
            self._write_to(shelf, batch)
        self._earlier = [*self._earlier, *batch][-self._m :] if self._m else []
        self._unsummarized += batch

    def _write_to(self, shelf: _Shelf, batch: tuple[Turn, ...]) -> None:
        store, known = shelf.store, tuple[str, ...]()
        if self._additive and len(store):
            nearest = store.candidates(self._embed(["\n".join(turn.line for turn in batch)]), self._s)
            known = tuple(store.lines(nearest))
        summary = self._summary if self._summarizes else ""
        facts = self.writer.facts(Listening(batch, tuple(self._earlier), summary, known, shelf.about))
        if not facts:
            return
        vectors = self._embed([fact.text for fact in facts])
        if self._additive or not len(store):
            self._add(store, facts, vectors)
        else:
            self._merge(store, facts, vectors)

    def _add(self, store: FactStore, facts: Sequence[Fact], vectors: Vectors) -> None:
        """Store facts; one whose text is there already only adds its messages."""
        for fact, vector in zip(facts, vectors, strict=True):
            same = store.known(fact.text)
            if same is None:
                store.add(fact, vector)
            else:
                store.cite(same, fact.refs)

    def _merge(self, store: FactStore, facts: Sequence[Fact], vectors: Vectors) -> None:
        """Let the model decide what each fact does to the memories near it."""
        near = store.candidates(vectors, self._s)
        operations = self.writer.operations(facts, store.lines(near))
        rewritten = [one.text for one in operations if one.what is What.UPDATE and one.text != facts[one.fact - 1].text]
        extra = dict(zip(rewritten, self._embed(rewritten), strict=True)) if rewritten else {}
        for one in operations:
            fact, vector = facts[one.fact - 1], vectors[one.fact - 1]
            self._apply(store, one, near, fact, extra.get(one.text, vector))

    def _apply(self, store: FactStore, one: Operation, near: list[int], fact: Fact, vector: Vectors) -> None:
        number = near[one.memory - 1] if one.memory else None
        old = store.get(number) if number is not None else None
        if one.what is What.ADD or (one.what is What.UPDATE and old is None):
            # An earlier operation may have deleted what this one wants to change: nothing is lost by adding it.
            text = one.text or fact.text
            self._add(store, [Fact(text, fact.date, fact.speaker, fact.refs, fact.at)], vector[None, :])
        elif number is None or old is None:
            return
        elif one.what is What.UPDATE:
            refs = tuple(dict.fromkeys((*old.refs, *fact.refs)))
            store.replace(number, Fact(one.text, fact.date, fact.speaker, refs, fact.at), vector)
        elif one.what is What.DELETE:
            store.remove(number)
        else:
            store.cite(number, fact.refs)

    def _summarize(self) -> None:
        if self._summarizes and self._unsummarized:
            self._summary = self.writer.summary(self._summary, self._unsummarized)
        self._unsummarized = []

    def _embed(self, texts: Sequence[str]) -> Vectors:
        return self._kit.embedder.embed(texts)

    def _ranked(self, query: Query) -> list[_Piece]:
        waiting = [_Piece(turn.line, (turn.ref,), turn.at) for turn in reversed(self._pending)]
        if not any(len(shelf.store) for shelf in self._shelves.values()):
            return waiting
        text = _query_text(query)
        vector = self._embed([text])[0]
        by_shelf = [self._found(shelf, text, vector) for shelf in self._shelves.values()]
        taken_in_turn = [piece for rank in zip_longest(*by_shelf) for piece in rank if piece is not None]
        return [*waiting, *taken_in_turn]

    def _found(self, shelf: _Shelf, text: str, vector: Vectors) -> list[_Piece]:
        facts = [shelf.store.get(number) for number in shelf.search.ranked(text, vector, self._k)]
        return [_Piece(fact.line, fact.refs, fact.at) for fact in facts if fact is not None]

    def _fitting(self, best: list[_Piece], budget_tokens: int | None) -> list[_Piece]:
        if budget_tokens is None:
            return best
        shown: list[_Piece] = []
        for piece in best:
            if self._kit.budget.count(_text([*shown, piece])) <= budget_tokens:
                shown.append(piece)
        return shown


def _text(pieces: Sequence[_Piece]) -> str:
    return "\n".join(piece.line for piece in sorted(pieces, key=lambda piece: piece.at))


def _query_text(query: Query) -> str:
    if query.shape is Shape.CONVERSATION:
        return query.text
    paragraphs = [part for part in re.split(r"\n\s*\n", query.goal) if part.strip()]
    task = [part for part in paragraphs if _NAMES_TASK.search(part)] or paragraphs
    return "\n".join([*task, query.text])
