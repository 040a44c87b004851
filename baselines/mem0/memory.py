"""What Mem0 does with a stream of events: messages become facts, facts change the memory, queries find facts.

It calls the model through a ``Writer`` and knows no suite. See ``strategy.py`` for the source and the deviations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from baselines.mem0.replies import Operation, OperationKind
from baselines.mem0.search import Search
from baselines.mem0.store import Fact, FactStore, Turn
from baselines.mem0.writing import ExtractionInput, Writer
from baselines.shared.budget import select_fitting
from baselines.shared.units import build_query_text
from bench.protocols import Kit, Vectors
from bench.types import Context, Event, EventKind, Query

__all__ = ["Mem0Memory"]

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


class _IndexedStore:
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
        self._stores: dict[str, _IndexedStore] = {} if self._by_speaker else {"": _IndexedStore("", self._hybrid)}
        self._summary = ""
        self._pending: list[Turn] = []
        self._earlier: list[Turn] = []
        self._unsummarized: list[Turn] = []
        self._n_messages = 0

    @property
    def facts(self) -> list[Fact]:
        """Every fact that is there, store by store, oldest first."""
        stores = self._stores.values()
        return [fact for indexed in stores for n in indexed.store.numbers if (fact := indexed.store.get(n)) is not None]

    def observe(self, event: Event) -> None:
        """Take an event into the batch; a full batch, the end of a session or of a step is written down."""
        if event.kind is EventKind.SESSION_END:
            self._write()
            self._summarize()
            return
        if event.kind is EventKind.GOAL or not event.text.strip():
            return
        self._pending.append(self._make_turn(event))
        # An action waits for its observation, and the last observation is known before the next action.
        full = len(self._pending) >= self._batch and event.kind is not EventKind.ACTION
        if full or event.kind is EventKind.OBSERVATION:
            self._write()
            if event.kind is not EventKind.TURN and len(self._unsummarized) >= _SUMMARY_EVERY:
                self._summarize()

    def recall(self, query: Query) -> Context:
        """Return the facts nearest to the query that fit the budget, in time order. Read-only.

        Messages that wait for their batch to fill stand as they were said, before any fact.
        """
        ranked = [piece for piece in self._rank_pieces(query) if piece.refs != (query.ref,)]
        best = ranked[: self._k * max(1, len(self._stores))]
        chosen = select_fitting(best, query.budget_tokens, _render, self._kit.budget.count)
        refs = dict.fromkeys(ref for piece in chosen for ref in piece.refs if ref != query.ref)
        order = list(dict.fromkeys(ref for piece in ranked for ref in piece.refs if ref != query.ref))
        return Context(_render(chosen), tuple(refs), len(chosen) < len(best), tuple(order[:_RANKED_REFS]))

    def reach(self) -> frozenset[str]:
        """Return the refs of the messages that facts rest on, and of those that wait to be written down."""
        return frozenset(ref for fact in self.facts for ref in fact.refs) | {turn.ref for turn in self._pending}

    def _make_turn(self, event: Event) -> Turn:
        self._n_messages += 1
        text = " ".join(event.text.split())
        if event.kind is EventKind.TURN:
            speaker = event.speaker or "Somebody"
            return Turn(event.ref, speaker, text, event.time, self._n_messages, speaker)
        return Turn(
            event.ref, _SPEAKERS.get(event.kind, _WORLD), text, event.time or f"step {event.step}", self._n_messages
        )

    def _write(self) -> None:
        batch = tuple(self._pending)
        self._pending = []
        if not batch:
            return
        if self._by_speaker:
            for turn in batch:
                self._stores.setdefault(turn.person, _IndexedStore(turn.person, self._hybrid))
        for indexed in self._stores.values():
            self._write_to(indexed, batch)
        self._earlier = [*self._earlier, *batch][-self._m :] if self._m else []
        self._unsummarized += batch

    def _write_to(self, indexed: _IndexedStore, batch: tuple[Turn, ...]) -> None:
        store, known = indexed.store, tuple[str, ...]()
        if self._additive and len(store):
            nearest = store.find_candidates(self._embed(["\n".join(turn.line for turn in batch)]), self._s)
            known = tuple(store.render_lines(nearest))
        summary = self._summary if self._summarizes else ""
        facts = self.writer.extract_facts(ExtractionInput(batch, tuple(self._earlier), summary, known, indexed.about))
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
            same = store.find_number(fact.text)
            if same is None:
                store.add(fact, vector)
            else:
                store.cite(same, fact.refs)

    def _merge(self, store: FactStore, facts: Sequence[Fact], vectors: Vectors) -> None:
        """Let the model decide what each fact does to the memories near it."""
        near = store.find_candidates(vectors, self._s)
        operations = self.writer.decide_operations(facts, store.render_lines(near))
        rewritten = [
            one.text for one in operations if one.kind is OperationKind.UPDATE and one.text != facts[one.fact - 1].text
        ]
        new_vectors = dict(zip(rewritten, self._embed(rewritten), strict=True)) if rewritten else {}
        for one in operations:
            fact, vector = facts[one.fact - 1], vectors[one.fact - 1]
            self._apply(store, one, near, fact, new_vectors.get(one.text, vector))

    def _apply(self, store: FactStore, one: Operation, near: list[int], fact: Fact, vector: Vectors) -> None:
        number = near[one.memory - 1] if one.memory else None
        old = store.get(number) if number is not None else None
        if one.kind is OperationKind.ADD or (one.kind is OperationKind.UPDATE and old is None):
            # An earlier operation may have deleted what this one wants to change: nothing is lost by adding it.
            text = one.text or fact.text
            self._add(store, [Fact(text, fact.date, fact.speaker, fact.refs, fact.at)], vector[None, :])
        elif number is None or old is None:
            return
        elif one.kind is OperationKind.UPDATE:
            refs = tuple(dict.fromkeys((*old.refs, *fact.refs)))
            store.replace(number, Fact(one.text, fact.date, fact.speaker, refs, fact.at), vector)
        elif one.kind is OperationKind.DELETE:
            store.remove(number)
        else:
            store.cite(number, fact.refs)

    def _summarize(self) -> None:
        if self._summarizes and self._unsummarized:
            self._summary = self.writer.update_summary(self._summary, self._unsummarized)
        self._unsummarized = []

    def _embed(self, texts: Sequence[str]) -> Vectors:
        return self._kit.embedder.embed(texts)

    def _rank_pieces(self, query: Query) -> list[_Piece]:
        pending = [_Piece(turn.line, (turn.ref,), turn.at) for turn in reversed(self._pending)]
        if not any(len(indexed.store) for indexed in self._stores.values()):
            return pending
        text = build_query_text(query)
        vector = self._embed([text])[0]
        rankings = [self._rank_store(indexed, text, vector) for indexed in self._stores.values()]
        interleaved = [piece for rank in zip_longest(*rankings) for piece in rank if piece is not None]
        return [*pending, *interleaved]

    def _rank_store(self, indexed: _IndexedStore, text: str, vector: Vectors) -> list[_Piece]:
        facts = [indexed.store.get(number) for number in indexed.search.rank(text, vector, self._k)]
        return [_Piece(fact.line, fact.refs, fact.at) for fact in facts if fact is not None]


def _render(pieces: Sequence[_Piece]) -> str:
    return "\n".join(piece.line for piece in sorted(pieces, key=lambda piece: piece.at))
