"""GenericAgent's memory of one trial: index, anchor and raw past, always within the budget to the token.

Events come from the driver; a turn's summary, key info and files that were read come from the agent. Compression and
eviction happen as observations come in; ``recall`` is read-only and drops more only where a query allows less. In that
order: old raw turns, lines of past turns, the index from its end, the newest raw turns, the turn number, the key info,
then a file that was asked for just now and the notice of this call.
The budget is the run's; without one, the parameter ``budget_tokens`` takes its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from baselines.generic_agent.trial.anchor import VERSIONS, Anchor
from baselines.generic_agent.trial.compression import (
    EVICT_TO,
    EXEMPT,
    EXEMPT_WHEN_FULL,
    Entry,
    Lengths,
    compress,
    cut_middle,
    iterate_turn_starts,
)
from baselines.generic_agent.trial.layers import File, Layers
from baselines.shared.reach import list_shown
from baselines.shared.summarizer import add_slack
from bench.agents import render_event
from bench.protocols import Kit
from bench.replies import trim_to_sentence
from bench.types import Context, Event, EventKind, Query

__all__ = ["KEY_INFO_HEADING", "KEY_INFO_TOKENS", "GenericMemory"]

KEY_INFO_TOKENS = 200
"""The most that the key info may be long, whatever the budget."""
_KEY_INFO_SHARE = 1 / 3
"""The most that it may take of a small budget."""
_NUDGE_GAP = 4
"""Turns after which key info is old enough to be asked for again."""
KEY_INFO_HEADING = "Key info:"
_INDEX_HEADING = "Index of the memory files:"
_TURNS_HEADING = "Past turns:"
_RAW_OLD, _LINE, _INDEX, _RAW_NEW, _TURN, _KEY, _FILE, _NOTICE = range(8)
"""What is dropped first where there is no room."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """What is dropped as a whole. A heading is shown above the first piece that is left of its section."""

    rank: int
    text: str
    refs: tuple[str, ...] = ()
    heading: str = ""


class GenericMemory:
    """Raw messages, the anchor over them, and the layers."""

    def __init__(self, kit: Kit):
        self._kit = kit
        tokens = kit.budget.tokens
        self._budget = kit.params.integer("budget_tokens") if tokens is None else tokens
        self._count = kit.budget.count
        self._lengths = Lengths.for_budget(self._budget)
        self.key_info_tokens = min(KEY_INFO_TOKENS, int(_KEY_INFO_SHARE * self._budget))
        """The most that the key info may be long: what the dialect asks for, held here."""
        self._version = VERSIONS[kit.params.text("version")]
        self._nudge_every = kit.params.integer("nudge_every")
        self._nudge_at = kit.params.number("nudge_at")
        self._anchor = Anchor(self._version)
        self._layers = Layers(kit.artifact.files, self._count)
        self._entries: list[Entry] = []
        self._summary = ""
        self._has_evicted = False

    @property
    def layers(self) -> Layers:
        return self._layers

    def needs_reminder(self, query: Query) -> bool:
        """True if the agent is to be reminded of the key info: every so many turns, and before eviction is near."""
        turn = query.step
        if self._anchor.key_info and turn - self._anchor.key_turn < _NUDGE_GAP:
            return False
        if self._nudge_every and turn > 0 and turn % self._nudge_every == 0:
            return True
        return bool(self._nudge_at) and turn > 1 and self._count_tokens(query, 0) >= self._nudge_at * self._budget

    def set_summary(self, text: str) -> None:
        """The line that the coming action leaves in the anchor."""
        self._summary = text

    def checkpoint(self, turn: int, text: str) -> str:
        """Replace the key info and return it: whole sentences within its limit, empty if there is nothing to keep."""
        key_info = trim_to_sentence(" ".join(text.split()), add_slack(self.key_info_tokens), self._count)
        if key_info:
            self._anchor.set_key_info(turn, key_info)
        return key_info

    def show(self, turn: int, file: File) -> None:
        """Put a file into the raw past; the same one read before leaves it."""
        head = f"[{turn}] Note: read({file.name}) "
        self._entries = [entry for entry in self._entries if entry.ref or not _is_read_of(entry, file)]
        body = cut_middle(" ".join(file.text.split()), self._lengths.file)
        self._entries.append(Entry(turn, head, body))

    def observe(self, event: Event) -> None:
        """Keep the event, cut to the length of stage 1; an action also leaves its turn's line in the anchor."""
        if event.kind in (EventKind.GOAL, EventKind.SESSION_END):
            return
        is_action = event.kind is EventKind.ACTION
        if is_action:
            self._anchor.add(event.step, self._summary or event.text, event.ref)
            self._summary = ""
        head = render_event(replace(event, text=""))
        body = cut_middle(event.text, self._lengths.new)
        self._entries.append(Entry(event.step, head, body, event.ref, is_action))
        if event.kind is EventKind.OBSERVATION:
            self._compress(event)

    def _compress(self, event: Event) -> None:
        """Stages 2 and 3, as the context of the next decision asks for them."""
        if event.step and event.step % self._version.compress_every == 0:
            self._entries = compress(self._entries, EXEMPT, self._lengths.old)
        coming = Query(event.text, "", event.step + 1, ref=event.ref)
        if self._count_tokens(coming, 0) <= self._budget:
            return
        self._entries = compress(self._entries, EXEMPT_WHEN_FULL, self._lengths.old)
        first = self._find_first_that_fits(coming, int(EVICT_TO * self._budget) - 1)
        self._has_evicted = self._has_evicted or first > 0
        del self._entries[:first]

    def _find_first_that_fits(self, query: Query, tokens: int, notice: str = "") -> int:
        """Return where the raw past has to begin for the context to fit; at the newest messages if it never does."""
        last = max(0, len(self._entries) - EXEMPT_WHEN_FULL)
        first = 0
        for first in iterate_turn_starts(self._entries):
            if first >= last or self._count_tokens(query, first, notice) <= tokens:
                break
        return first

    def _count_tokens(self, query: Query, first: int, notice: str = "") -> int:
        return self._count(_join(self._build_pieces(query, first, notice)).text)

    def recall(self, query: Query) -> Context:
        """Return what fits of index, anchor and raw past. Read-only."""
        return self.build_context(query, "")

    def reach(self) -> frozenset[str]:
        """Return the refs of all that is shown, whatever the query."""
        return list_shown(self, self._kit)

    def build_context(self, query: Query, notice: str) -> Context:
        """Return the context with a notice of this call at its end, which counts as context too. Read-only."""
        limit = self._budget if query.budget_tokens is None else query.budget_tokens
        first = self._find_first_that_fits(query, limit, notice)
        pieces = self._build_pieces(query, first, notice)
        shown = _drop_by_rank(pieces, limit, self._count)
        lost = self._has_evicted or first > 0 or len(shown) < len(pieces)
        return replace(_join(shown), truncated=lost)

    def _build_pieces(self, query: Query, first: int, notice: str = "") -> list[_Piece]:
        """Return what there is to show if the raw past begins at ``first``, in order."""
        raw = [entry for entry in self._entries[first:] if not entry.ref or entry.ref != query.ref]
        anchor, now = self._anchor, query.step
        pieces = [_Piece(_INDEX, line, heading=_INDEX_HEADING) for line in self._layers.index]
        if now > 1:
            pieces.append(_Piece(_TURN, f"Turn {now}."))
        if anchor.key_info:
            text = f"[{anchor.key_turn}] {anchor.key_info}"
            pieces.append(_Piece(_KEY, text, heading=KEY_INFO_HEADING))
        begins = next((entry.turn for entry in raw if entry.opens), None)
        if begins is not None and first == 0 and not self._has_evicted:
            begins -= 1  # the observation before that turn is in view as well
        for line in anchor.select_lines(now, begins):
            pieces.append(_Piece(_LINE, f"[{line.turn}] Summary: {line.text}", line.refs, _TURNS_HEADING))
        for at, entry in enumerate(raw):
            was_read_now = not entry.ref and entry.turn == now
            rank = _FILE if was_read_now else _RAW_OLD if at < len(raw) - EXEMPT_WHEN_FULL else _RAW_NEW
            pieces.append(_Piece(rank, entry.line, (entry.ref,) if entry.ref else ()))
        return [*pieces, _Piece(_NOTICE, notice)] if notice else pieces


def _is_read_of(entry: Entry, file: File) -> bool:
    return entry.head.endswith(f"read({file.name}) ")


def _drop_by_rank(pieces: Sequence[_Piece], limit: int, count: Callable[[str], int]) -> Sequence[_Piece]:
    """Drop pieces by rank, the oldest of a rank first (of the index the last), until the rest fits."""

    def drop_order(at: int) -> tuple[int, int]:
        return (pieces[at].rank, -at if pieces[at].rank == _INDEX else at)

    order = sorted(range(len(pieces)), key=drop_order)
    for n in range(len(order)):
        gone = set(order[:n])
        kept = [piece for at, piece in enumerate(pieces) if at not in gone]
        if count(_join(kept).text) <= limit:
            return kept
    return ()


def _join(pieces: Sequence[_Piece]) -> Context:
    lines: list[str] = []
    heading = ""
    for piece in pieces:
        if piece.heading != heading and piece.heading:
            lines.append(piece.heading)
        heading = piece.heading
        lines.append(piece.text)
    refs = dict.fromkeys(ref for piece in pieces for ref in piece.refs)
    return Context("\n".join(lines), tuple(refs))
