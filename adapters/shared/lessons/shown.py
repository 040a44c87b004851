"""What a trajectory shows: where things were, which tools worked, and how the task was done.

A failed trajectory gives facts and no recipe. Places are counted per look, so that a place that was searched often and
seldom held a thing counts little, whoever searched and in which order.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from adapters.shared.lessons.english import TREATMENTS, find_verb
from adapters.shared.lessons.records import Act, Recipe, Trajectory
from adapters.shared.lessons.trajectories import is_refusal

__all__ = ["Shown"]

_NAME = re.compile(r"\b([a-z]+) (\d+)\b")
_LISTS = re.compile(r"(?:\b(?:on|in) the ([a-z]+ \d+)|\bthe ([a-z]+ \d+) is open\. in it), you see ([^.]*)\.")
_KEPT = (*sorted(TREATMENTS), "take", "put", "use")


@dataclass
class Shown:
    """Counts over all trajectories of a text."""

    seen: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Kind of thing to kinds of places."""
    looks: Counter[str] = field(default_factory=Counter)
    contents: Counter[str] = field(default_factory=Counter)
    tools: Counter[tuple[str, str]] = field(default_factory=Counter)
    failed: Counter[tuple[str, str]] = field(default_factory=Counter)
    recipes: list[Recipe] = field(default_factory=list)
    names: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Kind of thing to names of places, in the order of the looks."""
    looked: dict[str, frozenset[str]] = field(default_factory=dict)
    """Name of a place to the kinds of things that were there."""

    def add(self, trajectory: Trajectory) -> bool:
        """Count one trajectory; True if it showed anything."""
        before = (self.looks.total(), self.tools.total(), self.failed.total(), len(self.recipes))
        self._count_places(trajectory)
        for act in trajectory.acts:
            verb, nouns = _read_action(act.action)
            if verb in TREATMENTS and len(nouns) > 1:
                counts = self.failed if is_refusal(act.result) else self.tools
                counts[verb, nouns[1]] += 1
        if not trajectory.failed and (recipe := _lift(trajectory)):
            self.recipes.append(recipe)
        return before != (self.looks.total(), self.tools.total(), self.failed.total(), len(self.recipes))

    def _count_places(self, trajectory: Trajectory) -> None:
        """Count the first look into each place; what the player has put somewhere is not counted."""
        looked, moved = set[str](), set[str]()
        for act in trajectory.acts:
            for on, inside, listed in _LISTS.findall(act.result or ""):
                place = on or inside
                things = [name for name in map(" ".join, _NAME.findall(listed)) if name not in moved]
                if place not in looked:
                    self._count_look(place, things)
                looked.add(place)
            if find_verb(act.action.split(" ", 1)[0]) == "put":
                moved.update(map(" ".join, _NAME.findall(act.action)[:1]))

    def _count_look(self, place: str, things: list[str]) -> None:
        kind = place.split(" ")[0]
        kinds = {thing.split(" ")[0] for thing in things}
        self.looks[kind] += 1
        self.contents[kind] += len(things)
        self.looked.setdefault(place, frozenset(kinds))
        for thing in sorted(kinds):
            self.seen[thing][kind] += 1
            self.names[thing].append(place)


def _read_action(action: str) -> tuple[str, list[str]]:
    """Return the verb of a command and the kinds of the things it names."""
    return find_verb(action.split(" ", 1)[0]), [kind for kind, _ in _NAME.findall(action)]


def _lift(trajectory: Trajectory) -> Recipe | None:
    """Return how the task was done, with its nouns as roles; None if no goal of it was reached."""
    steps = [(verb, nouns) for verb, nouns in map(_read_kept, trajectory.acts) if verb and nouns]
    if not steps:
        return None
    last, nouns = steps[-1]
    taken = [step_nouns[0] for verb, step_nouns in steps if verb == "take"]
    thing = nouns[0] if last == "put" else taken[-1] if taken and last == "use" else ""
    goal = nouns[-1]
    words = set(re.findall(r"[a-z]+", trajectory.task.lower()))
    if not thing or (words and not {thing, goal} <= words):
        return None
    roles = {thing: "X"} | ({goal: "Y"} if words and goal != thing else {})
    used = [(verb, names) for verb, names in steps if thing in names or (verb == last == "use" and names == nouns)]
    lifted = [" ".join([verb, *(roles.get(name, name) for name in _shorten(verb, names))]) for verb, names in used]
    verbs = {"examine" if verb == "use" else verb for verb, _ in used} - {"take"}
    return Recipe(frozenset(verbs), tuple(dict.fromkeys(lifted)), shown=True)


def _read_kept(act: Act) -> tuple[str, list[str]]:
    """Return the verb and nouns of an action that took effect and changed something; empty for any other."""
    verb, nouns = _read_action(act.action)
    return (verb, nouns) if verb in _KEPT and not is_refusal(act.result) else ("", [])


def _shorten(verb: str, nouns: list[str]) -> list[str]:
    """Leave out where a thing was taken from: it lies elsewhere in another task."""
    return nouns[:1] if verb == "take" else nouns
