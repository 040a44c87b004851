"""HiAgent's working memory: sub-goal chunks in order, the open one in full, closed ones as their summaries.

Events come from the driver; sub-goals and wishes to see a chunk in full come from the agent. A sub-goal that the agent
declares becomes a chunk with the action that follows it, which closes the chunk before and has it summarised: never in
``recall``, which is read-only. Ids are the chunks' own and never shift.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from baselines.hiagent.summaries import Chunk, Summaries
from baselines.shared.summarizer import describe_lengths
from baselines.shared.turns import LEFT_OUT, split_turns
from bench.agents import render
from bench.protocols import Kit
from bench.types import Context, Event, EventKind, Query

__all__ = ["HiAgentMemory"]


@dataclass(frozen=True, slots=True)
class _Piece:
    """What is dropped as a whole where room is short."""

    text: str
    refs: tuple[str, ...] = ()
    pinned: bool = False
    """The line of the open sub-goal, or a closed one that was asked for."""


class HiAgentMemory:
    """Chunks, which of them are shown in full, and the sub-goal that is about to be opened."""

    def __init__(self, kit: Kit):
        self._count = kit.budget.count
        self._summaries = Summaries(kit)
        self._hide = kit.params.flag("hide")
        self._chunks = [Chunk(0, "")]
        self._next = ""
        self._goal = ""
        self._expanded: set[int] = set()

    @property
    def closed_ids(self) -> tuple[int, ...]:
        """The ids of the sub-goals that can be asked for."""
        last = len(self._chunks) if self._next else len(self._chunks) - 1
        return tuple(chunk.id for chunk in self._chunks[1:last])

    @property
    def next_subgoal(self) -> str:
        """The sub-goal that the next action will open; empty if none."""
        return self._next

    def describe_lengths(self) -> tuple[str, ...]:
        """Return the notes about summaries that were too long; none if none was."""
        return describe_lengths(self._summaries.summarizer)

    def declare(self, subgoal: str) -> None:
        """The next action opens this sub-goal, unless it is the one that is open; what was expanded folds again."""
        if subgoal.casefold() != self._chunks[-1].subgoal.casefold():
            self._next = subgoal
            self._expanded.clear()

    def withdraw(self) -> None:
        """No action came for the declared sub-goal: it was never opened."""
        self._next = ""

    def expand(self, ids: Iterable[int]) -> tuple[int, ...]:
        """Show these chunks in full from now on; return the ids that no closed sub-goal has."""
        requested = tuple(ids)
        self._expanded |= set(requested) & set(self.closed_ids)
        return tuple(one for one in requested if one not in self.closed_ids)

    def fold(self) -> None:
        """Show every closed chunk as its summary again."""
        self._expanded.clear()

    def observe(self, event: Event) -> None:
        """Keep the event in the open chunk; an action opens the declared sub-goal first.

        Makes one model call where that closes a chunk whose summary is the model's.
        """
        if event.kind is EventKind.GOAL:
            self._goal = event.text
        if event.kind in (EventKind.GOAL, EventKind.SESSION_END):
            return
        if event.kind is EventKind.ACTION and self._next:
            closing = self._chunks[-1]
            if self._hide and closing.id:
                before = self._chunks[-2].summary if closing.id > 1 else ""
                closing.summary = self._summaries.summarize(self._goal, closing, before)
            self._chunks.append(Chunk(closing.id + 1, self._next))
            self._next = ""
        self._chunks[-1].events.append(event)

    def recall(self, query: Query) -> Context:
        """Return all chunks, as many as fit. Read-only.

        Where room is short, the oldest are dropped; but of what was expanded only the rest of the past, then it folds.
        """
        budget = query.budget_tokens
        pieces = self._build_pieces(query, self._expanded)
        if budget is None or self._count(_render(pieces)) <= budget:
            return _build_context(pieces)
        is_earlier = len(pieces) - len(self._build_open(query))
        for expanded, most in ((self._expanded, is_earlier), (set[int](), len(pieces))):
            pieces = self._build_pieces(query, expanded)
            for n in range(1, most + 1):
                rest = [_Piece(LEFT_OUT), *(piece for at, piece in enumerate(pieces) if at >= n or piece.pinned)]
                if self._count(_render(rest)) <= budget:
                    return _build_context(rest, truncated=True)
        return Context(truncated=True)

    def _build_pieces(self, query: Query, expanded: set[int]) -> list[_Piece]:
        pieces: list[_Piece] = []
        for chunk in self._chunks[:-1]:
            turns = _build_turns(chunk, query)
            if not chunk.id or not self._hide:
                pieces += [*_build_heading(chunk), *turns]
            elif chunk.id in expanded:
                pieces.append(_join([*_build_heading(chunk), *turns], pinned=True))
            else:
                pieces.append(_Piece(_fold_chunk(chunk), _join(turns).refs))
        return [*pieces, *self._build_open(query)]

    def _build_open(self, query: Query) -> list[_Piece]:
        chunk = self._chunks[-1]
        return [*_build_heading(chunk, pinned=True), *_build_turns(chunk, query)]


def _build_heading(chunk: Chunk, *, pinned: bool = False) -> list[_Piece]:
    """The line of a sub-goal; none for what came before the first."""
    return [_Piece(f"{chunk.id} Subgoal: {chunk.subgoal}", pinned=pinned)] if chunk.id else []


def _build_turns(chunk: Chunk, query: Query) -> list[_Piece]:
    turns = split_turns(event for event in chunk.events if event.ref != query.ref)
    return [_Piece(render(turn), tuple(event.ref for event in turn)) for turn in turns]


def _fold_chunk(chunk: Chunk) -> str:
    """A closed sub-goal: its line, and its outcome in place of all that happened."""
    (heading,) = _build_heading(chunk)
    return f"{heading.text}\n[{chunk.events[-1].step}] Outcome: {chunk.summary}" if chunk.summary else heading.text


def _join(pieces: Sequence[_Piece], *, pinned: bool = False) -> _Piece:
    return _Piece(_render(pieces), tuple(ref for piece in pieces for ref in piece.refs), pinned)


def _render(pieces: Sequence[_Piece]) -> str:
    return "\n".join(piece.text for piece in pieces if piece.text)


def _build_context(pieces: Sequence[_Piece], *, truncated: bool = False) -> Context:
    joined = _join(pieces)
    return Context(joined.text, joined.refs, truncated)
