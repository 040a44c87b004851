"""The workspace as a memory: filed while it observes, searched once for each query and state. Knows no suite."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from baselines.horma.listing import list_files
from baselines.horma.manager import Manager
from baselines.horma.navigation import NavigationLimits, NavigationSession
from baselines.horma.navigators import build_instructions, choose_navigator, play
from baselines.horma.raw_logs import RawTurn
from baselines.horma.refusals import RefusalKind
from baselines.horma.workspace import Workspace
from baselines.shared.units import build_query_text
from bench.protocols import Kit
from bench.types import Context, Event, EventKind, Phase, Query, Shape

__all__ = ["HormaMemory", "Search"]

_ROOM_TOKENS = {Shape.EPISODE: 2200, Shape.CONVERSATION: 10_000}
"""The paper's budgets: Large on ALFWorld (Small is 1950), and that of LoCoMo (LongMemEval: 50,000)."""
_RANKED = 50


@dataclass(frozen=True, slots=True)
class _SearchKey:
    """What makes a search itself."""

    text: str
    """What is asked."""
    hidden: str
    """The turn that is shown anyway."""
    room: int
    state: int
    """Of the workspace."""


@dataclass(frozen=True, slots=True)
class Search:
    """What a search came to."""

    context: Context = Context()
    trail: tuple[str, ...] = ()
    """The navigator's replies, in short."""
    selected: tuple[str, ...] = ()
    refused: tuple[tuple[RefusalKind, int], ...] = ()


class HormaMemory:
    """One workspace, its manager, and a navigator for each query."""

    def __init__(self, kit: Kit):
        self._kit, params = kit, kit.params
        self.workspace = Workspace()
        self.manager = Manager(kit, self.workspace)
        self._build_navigator = choose_navigator(params.text("navigator"))
        self._turns, self._every = params.integer("turns"), params.integer("every")
        self._tokens = params.integer("tokens")
        self._seed = kit.rng.random()
        self._pending: list[RawTurn] = []
        self._ended = 0
        self._searches: dict[_SearchKey, Search] = {}

    def observe(self, event: Event) -> None:
        """Keep an event word for word; let the manager file what is new after a step or at the end of a session."""
        if event.kind is EventKind.GOAL:
            self.manager.task = event.text
            return
        if event.kind is not EventKind.SESSION_END:
            self._pending.append(self.workspace.write_raw(event))
        if event.kind is EventKind.SESSION_END or (event.kind is EventKind.OBSERVATION and event.step > 0):
            self._ended += 1
            if self._ended % self._every == 0:
                pending, self._pending = self._pending, []
                self.manager.organise(pending)

    def recall(self, query: Query) -> Context:
        """Return what the navigator selected for a query. Read-only but for cached searches."""
        return self.search(query).context

    def search(self, query: Query) -> Search:
        """Let the navigator look through the workspace, once for each query, room and state of the workspace."""
        key = self._find_key(query)
        if key not in self._searches:
            can_find = key.room > 0 and any(ref != query.ref for ref in self.workspace.raw.refs)
            with self._kit.phase(Phase.READ):
                self._searches[key] = self._navigate(key) if can_find else Search()
        return self._searches[key]

    def begin(self, query: Query) -> NavigationSession:
        """Open a search for a query, as ``recall`` does, for whoever wants to play it."""
        return self._open(self._find_key(query))

    @property
    def instructions(self) -> str:
        """What a navigator that is a model is told first."""
        return build_instructions(self._kit)

    def reach(self) -> frozenset[str]:
        """Return the refs of all raw turns: a search may find them whether a note cites them or not."""
        return frozenset(self.workspace.raw.refs)

    def files(self) -> tuple[tuple[str, str], ...]:
        """Return the workspace as Markdown files: path and text, sorted by path."""
        return list_files(self.workspace)

    def _describe(self, query: Query) -> str:
        """Return what is asked: the question, or the task; with an observation that was not observed, that too."""
        if query.shape is Shape.CONVERSATION:
            return query.goal
        is_observed = self.workspace.raw.get(query.ref) is not None
        return build_query_text(replace(query, text="") if is_observed else query).strip()

    def _find_key(self, query: Query) -> _SearchKey:
        tokens = self._tokens or _ROOM_TOKENS[query.shape]
        room = tokens if query.budget_tokens is None else query.budget_tokens
        return _SearchKey(self._describe(query), query.ref, room, self.workspace.state)

    def _open(self, key: _SearchKey) -> NavigationSession:
        limits = NavigationLimits(turns=self._turns, budget_tokens=key.room, count=self._kit.budget.count)
        return NavigationSession(self.workspace, key.text, limits, key.hidden)

    def _navigate(self, key: _SearchKey) -> Search:
        session = self._open(key)
        trail: tuple[str, ...] = ()
        if step := self._find_only_step(key.hidden):  # there is nothing to look for: no call
            session.step(f"select {' '.join(step)}")
        else:
            trail = play(session, self._build_navigator(self._kit, f"{self._seed}|{key.text}|{key.state}"))
        refs = self.workspace.raw.sort(ref for unit in session.selected_units for ref in unit.refs if ref != key.hidden)
        ranking = dict.fromkeys((*session.selected, *session.passed))
        return Search(
            Context(session.render(), refs, session.left_out, tuple(ranking)[:_RANKED]),
            trail,
            session.selected,
            tuple(sorted(Counter(session.refusals).items())),
        )

    def _find_only_step(self, hidden: str) -> tuple[str, ...]:
        """Return the turns of the step that led to the current observation if there are no others; else none."""
        now, turns = self.workspace.raw.get(hidden), self.workspace.raw.turns
        is_only = now is not None and all(turn.folder == now.folder for turn in turns)
        return tuple(turn.event.ref for turn in turns if turn.event.ref != hidden) if is_only else ()
