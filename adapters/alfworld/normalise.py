"""Puts an action into the game's wording; every repair has a name and is recorded.

The action is a bare command already: ``bench.replies`` took off labels, fences and whatever else stood around it.
Source: the repairs in the code of ReAct, AgentBoard and ExpeL, as rules of our own. Differences: only the word between
two names is rewritten (replacing "in" and "on" everywhere, as is advised on alfworld issue 78, also rewrites the
letters inside names); put and move are translated to the wording of the game. A change of behaviour is a new
``VERSION``. Knows no engine.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from adapters.alfworld.grammar import Grammar

__all__ = ["FUZZY", "VERSION", "RepairedAction", "find_nearest", "normalise"]

VERSION = "2"
FUZZY = "fuzzy"
_FUZZY_CUTOFF = 0.8

_PLACE = re.compile(r"^(put|move|place)\s+(\S.*?)\s+(in/on|into|inside|onto|in|on|to)\s+(\S.*)$")


@dataclass(frozen=True, slots=True)
class RepairedAction:
    """An action as the game gets it, and the names of its repairs."""

    text: str
    repairs: tuple[str, ...] = ()


def normalise(action: str, grammar: Grammar) -> RepairedAction:
    """Return the action in the game's wording, with the names of the repairs that changed it, in order."""
    text, repairs = action, []
    steps: tuple[tuple[str, Callable[[str], str]], ...] = (
        ("space", lambda t: " ".join(t.split())),
        ("case", str.lower),
        ("preposition", lambda t: _preposition(t, grammar)),
        ("put-move", lambda t: _verb(t, grammar)),
    )
    for name, repair in steps:
        changed = repair(text)
        if changed != text:
            repairs.append(name)
        text = changed
    return RepairedAction(text, tuple(repairs))


def find_nearest(action: str, admissible: Sequence[str]) -> RepairedAction:
    """Return the nearest admissible command if it is near enough, else the action; ties go by sort order."""
    if action in admissible:
        return RepairedAction(action)
    close = difflib.get_close_matches(action, sorted(admissible), n=1, cutoff=_FUZZY_CUTOFF)
    return RepairedAction(close[0], (FUZZY,)) if close else RepairedAction(action)


def _preposition(text: str, grammar: Grammar) -> str:
    """Correct the preposition of the game's own verb; ``_verb`` translates the other verb."""
    found = _PLACE.match(text)
    if found is None or found.group(1) != grammar:
        return text
    verb, thing, _word, place = found.groups()
    return f"{verb} {thing} {'to' if grammar is Grammar.MOVE else 'in/on'} {place}"


def _verb(text: str, grammar: Grammar) -> str:
    """Translate putting down into the verb of the game."""
    found = _PLACE.match(text)
    if found is None:
        return text
    _verb_given, thing, _word, place = found.groups()
    return f"move {thing} to {place}" if grammar is Grammar.MOVE else f"put {thing} in/on {place}"
