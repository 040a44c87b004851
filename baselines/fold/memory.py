"""Fold's record: the main line of events and closed branches, and the branch that is open.

Events come from the driver, branches from the agent. A closed branch is its description and the message that came back;
its own record is out of view for good. Where the whole does not fit, its oldest parts are left out, which is said; only
the heading of the open branch stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from baselines.shared.budget import find_room
from baselines.shared.reach import list_shown
from baselines.shared.summarizer import add_slack, count_words
from baselines.shared.turns import LEFT_OUT, split_turns
from bench.agents import render
from bench.protocols import Kit
from bench.replies import trim_to_sentence
from bench.types import Context, Event, EventKind, Query

__all__ = ["Branch", "FoldMemory"]


@dataclass(slots=True)
class Branch:
    """A stretch of work. ``message`` is None while it is open."""

    id: int
    description: str
    events: list[Event] = field(default_factory=list)
    message: str | None = None
    was_full: bool = False
    """It had to return, so its aim need not have been reached."""


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    refs: tuple[str, ...] = ()
    pinned: bool = False


class FoldMemory:
    """The main line, in order; the last of it may be an open branch."""

    def __init__(self, kit: Kit):
        self._kit = kit
        self._count = kit.budget.count
        room = find_room(kit)
        self.message_tokens = int(kit.params.number("message") * room)
        self.branch_tokens = int(kit.params.number("branch") * room)
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
        """True if the open branch has no room for another turn like its last."""
        branch = self.branch
        if branch is None or not branch.events:
            return False
        used, last = (self._count(render(part)) for part in (branch.events, split_turns(branch.events)[-1]))
        return used + last > self.branch_tokens

    def open(self, description: str) -> None:
        """Open a branch; there must be none."""
        self.n_opened += 1
        self._line.append(Branch(self.n_opened, description))

    def close(self, message: str) -> bool:
        """Close the open branch; True if the message was trimmed.

        One that says nothing gives way to the branch's last observation; one that is longer than its share, or than
        what it stands for, is trimmed at the end of a sentence.
        """
        branch = self.branch
        if branch is None:
            return False
        branch.was_full = self.is_full
        seen = [event.text for event in branch.events if event.kind is EventKind.OBSERVATION]
        limit = min(add_slack(self.message_tokens), self._count(render(branch.events)))
        text = " ".join(message.split()) or " ".join(seen[-1:])
        branch.message = trim_to_sentence(text, limit, self._count)
        return branch.message != text

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
            rest = [piece for at, piece in enumerate(pieces) if at >= n or piece.pinned]
            text = "\n".join([*[LEFT_OUT] * (n > 0), *(piece.text for piece in rest)])
            if budget is None or self._count(text) <= budget:
                return Context(text, tuple(ref for piece in rest for ref in piece.refs), truncated=n > 0)
        return Context(truncated=True)

    def reach(self) -> frozenset[str]:
        """Return the refs of all that is shown, whatever the query."""
        return list_shown(self, self._kit)

    def _iterate_pieces(self, query: Query) -> Iterator[_Piece]:
        main = list[Event]()
        for part in self._line:
            if isinstance(part, Event):
                main.append(part)
                continue
            yield from self._iterate_raw(main, query)
            main = []
            if part.message is None:
                yield _Piece(f"Branch {part.id} ({self._describe_room(part)}): {part.description}", pinned=True)
                yield from self._iterate_raw(part.events, query)
            else:
                state = "closed because it was full" if part.was_full else "closed"
                heading = f"Branch {part.id} ({state}), opened for: {part.description}"
                text = f"{heading}\nReturned from branch {part.id}:\n{part.message}"
                yield _Piece(text, tuple(event.ref for event in part.events if event.ref != query.ref))
        yield from self._iterate_raw(main, query)

    def _describe_room(self, branch: Branch) -> str:
        """Say what room the open branch has left, in words, as the dialect does."""
        used, most = (count_words(tokens) for tokens in (self._count(render(branch.events)), self.branch_tokens))
        state = "no room for another step" if self.is_full else f"about {used} of {most} words used"
        return f"open, {state}; a message has room for about {count_words(self.message_tokens)} words"

    @staticmethod
    def _iterate_raw(events: list[Event], query: Query) -> Iterator[_Piece]:
        turns = split_turns(event for event in events if event.ref != query.ref)
        return (_Piece(render(turn), tuple(event.ref for event in turn)) for turn in turns)
