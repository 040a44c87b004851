"""A session for the tests of the environment: it does what it is told to."""

from __future__ import annotations

from collections.abc import Sequence

from baselines.horma.navigation import NavigationResult


class ScriptedSession:
    """Selects ``select REF``, refuses what is no command, ends at ``done`` or after ``turns``."""

    def __init__(self, opening: str = "question", turns: int = 4, known: Sequence[str] = ("a", "b", "c")):
        self._opening, self._turns, self._known = opening, turns, known
        self._selected: list[str] = []

    def opening(self) -> str:
        return self._opening

    def step(self, reply: str) -> NavigationResult:
        self._turns -= 1
        verb, _, ref = reply.partition(" ")
        if verb not in ("select", "look", "done"):
            return NavigationResult("what?", self._turns <= 0, "grammar")
        if verb == "select" and ref not in self._known:
            return NavigationResult("no such turn", self._turns <= 0, "missing")
        if verb == "select":
            self._selected.append(ref)
        return NavigationResult(f"seen {ref}", verb == "done" or self._turns <= 0)

    @property
    def selected(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._selected))


class NamingSession(ScriptedSession):
    """Selects every ref that a reply names, and refuses nothing: even a model of random weights finds something."""

    def step(self, reply: str) -> NavigationResult:
        self._turns -= 1
        self._selected += [ref for ref in self._known if ref in reply.split()]
        return NavigationResult("seen", self._turns <= 0)
