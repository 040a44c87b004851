"""Fold's record: the main line of events and closed branches, and the branch that is open.

Events come from the driver, branches from the agent. A closed branch is its description and the message that came back;
its own record is out of view for good. Where the whole does not fit, the oldest parts of it are not shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from bench.agents import render, render_event
from bench.protocols import Kit
from bench.types import Context, Event, EventKind, Query

__all__ = ["Branch", "FoldMemory"]


@dataclass(slots=True)
class Branch:
    """A stretch of work. ``message`` is None while it is open."""

    id: int
    description: str
    events: list[Event] = field(default_factory=list)
    message: str | None = None


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    refs: tuple[str, ...]


class FoldMemory:
    """The main line, in order; the last of it may be an open branch."""

    def __init__(self, kit: Kit):
        self._count = kit.budget.count
        room = kit.params.integer("tokens") if kit.budget.tokens is None else kit.budget.tokens
        self.message_tokens = int(kit.params.number("message") * room)
        self._branch_tokens = kit.params.number("branch") * room
        self._line: list[Event | Branch] = []
        self.n_opened = 0
        """How many branches there have been."""

    @property
    def branch(self) -> Branch | None:
        """The open branch."""
        last = self._line[-1] if self._line else None
        return last if isinstance(last, Branch) and last.message is None else None

    @property
    def is_full(self) -> bool:
        """True if the open branch has reached its share of the room."""
        branch = self.branch
        return branch is not None and self._count(render(branch.events)) > self._branch_tokens

    def open(self, description: str) -> None:
        """Open a branch; there must be none."""
        self.n_opened += 1
        self._line.append(Branch(self.n_opened, description))

    def close(self, message: str) -> None:
        """Close the open branch. A message that says nothing gives way to the branch's last observation; one that is
        longer than its share, or than what it stands for, is cut at a word."""
        branch = self.branch
        if branch is None:
            return
        seen = [event.text for event in branch.events if event.kind is EventKind.OBSERVATION]
        limit = min(self.message_tokens, self._count(render(branch.events)))
        branch.message = self._cut_words(" ".join(message.split()) or " ".join(seen[-1:]), limit)

    def observe(self, event: Event) -> None:
        """Keep the event where work is being done."""
        if event.kind not in (EventKind.GOAL, EventKind.SESSION_END):
            branch = self.branch
            (self._line if branch is None else branch.events).append(event)

    def recall(self, query: Query) -> Context:
        """Return the main line with the open branch's record, the oldest left out where it does not fit. Read-only."""
        pieces = list(self._iterate_pieces(query))
        budget = query.budget_tokens
        for n in range(len(pieces) + 1):
            text = "\n".join(piece.text for piece in pieces[n:])
            if budget is None or self._count(text) <= budget:
                return Context(text, tuple(ref for piece in pieces[n:] for ref in piece.refs), truncated=n > 0)
        return Context(truncated=True)

    def _iterate_pieces(self, query: Query) -> Iterator[_Piece]:
        for part in self._line:
            if isinstance(part, Event):
                yield from self._iterate_raw([part], query)
            elif part.message is None:
                limit = f"open; return at most {self.message_tokens} tokens"
                yield _Piece(f"Branch {part.id} ({limit}): {part.description}", ())
                yield from self._iterate_raw(part.events, query)
            else:
                text = f"Branch {part.id} (closed): {part.description}\nReturned from branch {part.id}:\n{part.message}"
                yield _Piece(text, tuple(event.ref for event in part.events if event.ref != query.ref))

    @staticmethod
    def _iterate_raw(events: list[Event], query: Query) -> Iterator[_Piece]:
        return (_Piece(render_event(event), (event.ref,)) for event in events if event.ref != query.ref)

    def _cut_words(self, text: str, limit_tokens: int) -> str:
        words = text.split(" ")
        low, high = 0, len(words)
        while low < high:
            middle = (low + high + 1) // 2
            fits = self._count(" ".join(words[:middle])) <= limit_tokens
            low, high = (middle, high) if fits else (low, middle - 1)
        return " ".join(words[:low])
