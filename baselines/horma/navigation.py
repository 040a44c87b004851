"""One search through a workspace, reply by reply: what a navigator is shown, and what it selects. Changes nothing.

There is no model here and no training: whoever plays the navigator calls ``opening`` and then ``step`` with each reply.
Source: HORMA (arXiv 2606.11680), the retriever: ``ls``, ``cd``, ``grep``, ``cat`` (navigation), ``select`` (put content
into the context), ``done``. The grammar of each command, all limits and what ends a search are ours.

* A turn is a reply, which may hold several commands; they are carried out in order, at most ``commands`` of them.
* ``done`` ends the search, unless the same reply asked to read something that it cannot have seen yet.
* The search ends by itself after ``turns`` replies; where the room is nearly used up; and where nothing of a select
  fitted beside what is there.
* ``grep`` is literal and ignores case, from the beginning of a word on; ``a|b`` finds either. Where no line holds a
  phrase, lines with all its words are shown, and it says so. Of too many lines the newest are shown.
* The turn of the current observation, which the actor sees anyway, is named where it is found, and not selected. A note
  on it is like any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from baselines.horma.listing import build_tree, format_count, list_folder
from baselines.horma.places import Place, find_places, grep, split_addresses
from baselines.horma.refusals import Refusal, RefusalKind
from baselines.horma.requests import VERBS, Request, read_requests, split_pattern
from baselines.horma.results import Results
from baselines.horma.selection import Selection, Unit, make_unit
from baselines.horma.workspace import Workspace
from bench.protocols import count_words

__all__ = ["NavigationLimits", "NavigationResult", "NavigationSession"]

_LITTLE_ROOM = 0.05
"""The share of the room that is as good as none."""
_READING = ("ls", "cd", "grep", "cat")
_NO_COMMAND = f"no command could be read; write {', '.join(VERBS)}, one on a line"
_NAMED, _QUOTED = 6, 60
"""Addresses that a message names, and characters of what it quotes."""


@dataclass(frozen=True, slots=True)
class NavigationLimits:
    """How long a search may be, and how much it may see and take."""

    turns: int = 10
    """Replies."""
    commands: int = 5
    """Commands of one reply that are carried out."""
    cat_tokens: int = 2000
    grep_tokens: int = 1000
    """Tokens of the lines that one command shows; ``ls`` as much as ``cat``."""
    line_chars: int = 300
    """Characters of a line that a command shows; a unit of the context is whole."""
    budget_tokens: int | None = None
    """The most that the selected units may come to; None = no limit."""
    count: Callable[[str], int] = count_words
    """Counts tokens."""


@dataclass(frozen=True, slots=True)
class NavigationResult:
    """What one reply led to."""

    observation: str
    """What the navigator is shown next."""
    done: bool = False
    refused: str = ""
    """The kind of the first refusal; empty if nothing was refused."""


class NavigationSession:
    """A search for one query."""

    def __init__(
        self,
        workspace: Workspace,
        query_text: str,
        limits: NavigationLimits = NavigationLimits(),
        hidden: str = "",
    ):
        """``query_text``: a question, or the task of an episode. ``hidden``: the ref of an episode's current
        observation, which is shown to the actor anyway; nothing selects it.
        """
        self._workspace, self._query, self._limits, self._hidden = workspace, query_text, limits, hidden
        self._now = workspace.raw.get(hidden)
        self._results = Results(workspace.raw, limits.line_chars, limits.count, hidden)
        seen = self._now and make_unit(workspace.raw, self._now.path, self._now.number, self._now.line)
        self._selection = Selection(limits.budget_tokens, limits.count, (seen,) if seen else ())
        self._folder = ""
        self._done = False
        self.turns = 0
        """Replies so far."""
        self.refusals: Counter[RefusalKind] = Counter()
        """What was refused, by kind."""

    def opening(self) -> str:
        """Return what the navigator is shown first: what is asked, and one line for each folder at the top."""
        room = self._limits.budget_tokens
        status = f"Room for what you select: {room} tokens. " if room is not None else ""
        parts = [f"# {'Task' if self._now else 'Question'}\n{self._query}"]
        if self._now:
            parts.append(f"# Current observation, {self._hidden}\n{self._now.event.text}")
        parts.append(f"# Workspace\n{build_tree(self._workspace)}")
        return "\n\n".join([*parts, f"{status}Replies left: {self._limits.turns}"])

    def step(self, reply: str) -> NavigationResult:
        """Carry out the commands of a reply; what cannot be carried out is refused, and never an error."""
        if self._done:
            return NavigationResult("", True)
        self.turns += 1
        requests = read_requests(reply)
        shown, refused = list[str](), list[str]()
        if not requests:
            self._refuse(Refusal(RefusalKind.GRAMMAR, _NO_COMMAND), shown, refused)
        for request in requests[: self._limits.commands]:
            if not self._done:
                try:
                    shown.append(self._run(request, requests))
                except Refusal as refusal:
                    self._refuse(refusal, shown, refused)
        if (dropped := len(requests) - self._limits.commands) > 0 and not self._done:
            message = f"{dropped} more left out: a reply has at most {self._limits.commands} commands"
            self._refuse(Refusal(RefusalKind.TOO_MANY, message), shown, refused)
        self._done = self._done or self.turns >= self._limits.turns
        observation = "\n\n".join([*filter(None, shown), self._describe_status()])
        return NavigationResult(observation, self._done, refused[0] if refused else "")

    @property
    def selected(self) -> tuple[str, ...]:
        """The refs of what is selected, in the order of selection: those a note's line rests on, and raw turns."""
        return tuple(ref for ref in self._selection.refs if ref != self._hidden)

    @property
    def selected_units(self) -> tuple[Unit, ...]:
        """What goes into the context, in the order of selection."""
        return self._selection.units

    def render(self) -> str:
        """Return the context: what is selected, in the order of time."""
        return self._selection.render()

    @property
    def passed(self) -> tuple[str, ...]:
        """The refs of what was selected and did not fit."""
        return tuple(ref for unit in self._selection.passed for ref in unit.refs if ref != self._hidden)

    @property
    def left_out(self) -> bool:
        """True if something was selected that did not fit."""
        return bool(self._selection.passed)

    def _refuse(self, refusal: Refusal, shown: list[str], refused: list[str]) -> None:
        self.refusals[refusal.kind] += 1
        shown.append(f"Refused: {refusal}.")
        refused.append(refusal.kind.value)

    def _run(self, request: Request, requests: Sequence[Request]) -> str:
        """Carry out one command and return what it shows. Raises: Refusal."""
        text = request.text
        if request.verb == "select":
            return self._select(text)
        if request.verb == "done":
            if unread := next((one.verb for one in requests if one.verb in _READING), ""):
                raise Refusal(RefusalKind.GRAMMAR, f"done in one reply with {unread}; look at what it shows first")
            self._done = True
            return ""
        if request.verb == "grep":
            return self._grep(*split_pattern(text, self._workspace.list_children(self._folder)))
        if request.verb == "cat":
            places = find_places(self._workspace, text, self._folder)
            head = f"cat {text}: {format_count(len(places), 'line')}"
            return self._results.show_page(head, places, self._limits.cat_tokens)
        folder = self._find_folder(text)
        if request.verb == "cd":
            self._folder = folder
        lines = list_folder(self._workspace, folder)
        head = f"{folder or 'the root'}: {format_count(len(lines), 'entry', 'entries')}"
        return self._results.show_list(head, lines, self._limits.cat_tokens)

    def _grep(self, pattern: str, where: str) -> str:
        scope = self._workspace.find(where, self._folder, upward=True) if where else self._folder
        hits = grep(self._workspace, pattern, scope)
        head = f"grep {pattern}{f' in {scope}' if scope else ''}: {format_count(len(hits.places), 'line')}"
        return self._results.show_hits(head, hits, pattern, self._limits.grep_tokens)

    def _select(self, text: str) -> str:
        """Select the lines of one or more addresses. Raises: Refusal if none of them can be selected."""
        found, missing = self._find_selected(text)
        places = [place for place in found if not place.ref or place.ref != self._hidden]
        raw, is_shown = self._workspace.raw, len(places) < len(found)
        units = [unit for one in places if (unit := make_unit(raw, one.path, one.number, one.line))]
        if not units and not is_shown:
            raise Refusal(RefusalKind.MISSING, f"nothing of {text[:_QUOTED]!r} can be selected")
        was_empty, before = not self._selection.units, len(self._selection.passed)
        added = self._selection.add(units)
        passed = len(self._selection.passed) - before
        room = self._limits.budget_tokens
        self._done = room is not None and (
            self._selection.tokens >= room * (1 - _LITTLE_ROOM) or (passed > 0 and not added and not was_empty)
        )
        again = len(units) - len(added) - passed
        parts = [f"{n} {what}" for n, what in ((again, "already selected"), (passed, "too long for the room")) if n > 0]
        parts += [f"{self._hidden} is shown anyway"] if is_shown else []
        parts += [f"not there: {', '.join(missing[:_NAMED])}"] if missing else []
        return ", ".join([f"select: {format_count(len(added), 'line')} added", *parts])

    def _find_selected(self, text: str) -> tuple[tuple[Place, ...], list[str]]:
        """Return the lines that one or more addresses name, and the addresses that name none. Raises: Refusal."""
        try:
            return find_places(self._workspace, text, self._folder), []
        except Refusal:
            addresses = split_addresses(text)
            if len(addresses) < 2:
                raise
        found, refused = list[Place](), dict[str, Refusal]()
        for address in addresses:
            try:
                found += find_places(self._workspace, address, self._folder)
            except Refusal as refusal:
                refused[address[:_QUOTED]] = refusal
        if not found:
            raise next(iter(refused.values()))
        self.refusals.update(refusal.kind for refusal in refused.values())
        return tuple(found), list(refused)

    def _find_folder(self, text: str) -> str:
        folder = self._workspace.find(text, self._folder, upward=True)
        if not self._workspace.is_folder(folder):
            raise Refusal(RefusalKind.MISSING, f"{folder} is a file; use cat")
        return folder

    def _describe_status(self) -> str:
        if self._done:
            return "The search is over."
        room = self._limits.budget_tokens
        used = f"{self._selection.tokens} of {room} tokens" if room is not None else f"{self._selection.tokens} tokens"
        where = f" You are in {self._folder}." if self._folder else ""
        return f"Selected: {used}.{where} Replies left: {self._limits.turns - self.turns}"
