"""The offline model's rule for text adventures (role ``act``): parse the messages, build a map, take the next step.

A simple explorer that knows no game. In this order it follows the literal orders of the goal, takes and lights a lamp,
opens closed things, takes loose things, walks unexplored ways that the text mentions, and tries verbs on the nouns of
the room. It is weak on purpose: it repeats every action that its context does not show.

Known beforehand: the compass, the verbs of the frame, and how such games put things. Its patterns were fitted to the
three Zork games (what counts as a lamp, an entry, a loose thing), so its scores there say nothing of other games.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from adapters.jericho.frames import first_line
from adapters.jericho.offline.view import DIRECTIONS, OPPOSITE, View, direction_of, read_view
from bench.protocols import OfflineRule
from bench.types import Message

__all__ = ["RULES", "TextAdventurer"]

_ARTICLE = r"(?:an?|the|some|his|her|its|their)"
_ORDER = re.compile(rf"\b(take|get|read|open|climb|move|unlock|light)(?: down| up)? {_ARTICLE} ([a-z' -]+)")
_LAMP = re.compile(r"\b(lamp|lantern|torch|flashlight)\b")
_SHUT = (
    re.compile(r"\b(\w+),?(?: which| that)?(?: is| are)?(?: slightly)? (?:ajar|closed|locked|shut)\b"),
    re.compile(r"\b(?:closed|locked|shut) ([a-z]+(?: [a-z]+)?)"),
    re.compile(r"\bsmall ([a-z]+)(?: here\b|[.,])"),
)
_LOOSE = re.compile(
    rf"\b(?:There (?:is|are)|Beside you .* is|you see|hangs) {_ARTICLE} ([\w' -]+)"
    rf"|\b{_ARTICLE} ([\w' -]+?) (?:is|are|lies|hangs) (?:lying |sitting |on the (?:ground|floor|table))",
    re.IGNORECASE,
)
_THING = re.compile(rf"\b{_ARTICLE} ([a-z][a-z' -]+)", re.IGNORECASE)
_NAME_ENDS = re.compile(
    r"\b(?:and|are|at|by|can|from|has|here|in|into|is|lies|of|on|or|stands?|that|there|to|was|where|which|with)\b"
    r"|[^a-z ]",
    re.IGNORECASE,
)
_WAY = re.compile(r"\b(north|south|east|west|up|down)(?:(east|west)\b|ward|wards)?(?!ern)\b", re.IGNORECASE)
_ENTRY = re.compile(r"\ballow(?:s|ing)? (?:entry|you to enter)\b")
_INSIDE = re.compile(r"\b(?:booth|gazebo|hut|doorway|entrance|opening)\b", re.IGNORECASE)
_DOWNWARD = re.compile(r"\b(?:down|underground|below|cellar|descend)\b", re.IGNORECASE)
_COMPASS = ("north", "east", "south", "west")
_LAST_VERBS = ("open", "move", "take", "examine")


class TextAdventurer:
    """The acting rule of every game."""

    role = "act"

    @property
    def header(self) -> str:
        """The sentence that opens the instructions."""
        return first_line()

    def reply(self, messages: Sequence[Message]) -> str:
        """Return one action line; a pure function of the messages."""
        view = read_view(messages)
        return f"Action: {next(_list_commands(view))}"


def _list_commands(view: View) -> Iterator[str]:
    """Yield the commands to try, best first; there is always one."""
    room = view.rooms.get(view.here, "")
    seen = f"{view.last}\n{room}"
    if _ENTRY.search(view.last):
        yield "in"
    for command in (*_use_lamp(view), *_follow_goal(view, seen), *_open_things(seen), *_take_things(room)):
        if not view.has_tried_anywhere(command) or (command.startswith("open") and not view.has_tried(command)):
            yield command
    yield from _explore(view, _list_ways)
    yield from (way for way in _COMPASS if way not in view.ways.get(view.here, {}))
    for verb in _LAST_VERBS:
        yield from (f"{verb} {thing}" for thing in _find_nouns(room) if not view.has_tried_anywhere(f"{verb} {thing}"))
    yield from _explore(view, lambda _view, _room: list(DIRECTIONS))
    yield "wait"


def _find_nouns(text: str) -> list[str]:
    """Return the nouns of a text: the last word of each noun phrase."""
    return list(dict.fromkeys(name for found in _THING.findall(text) if (name := _extract_noun(found))))


def _extract_noun(phrase: str) -> str:
    words = _NAME_ENDS.split(phrase.lower())[0].split()
    return words[-1] if words else ""


def _use_lamp(view: View) -> Iterator[str]:
    lamps = [found[1] for text in view.rooms.values() if (found := _LAMP.search(text.lower()))]
    for lamp in dict.fromkeys(lamps):
        if view.has_tried_anywhere(f"take {lamp}"):
            yield f"turn on {lamp}"
    if found := _LAMP.search(view.rooms.get(view.here, "").lower()):
        yield f"take {found[1]}"


def _follow_goal(view: View, text: str) -> Iterator[str]:
    """Yield the orders of the goal about things that the text mentions."""
    for verb, phrase in _ORDER.findall(view.goal.lower()):
        noun = _extract_noun(phrase)
        if noun and re.search(rf"\b{noun}\b", text.lower()):
            yield f"{verb} {noun}"


def _open_things(text: str) -> Iterator[str]:
    for pattern in _SHUT:
        for phrase in pattern.findall(text.lower()):
            if name := _NAME_ENDS.split(phrase)[0].strip():
                yield f"open {name}"


def _take_things(text: str) -> Iterator[str]:
    for found in _LOOSE.finditer(text):
        if noun := _extract_noun(found[1] or found[2]):
            yield f"take {noun}"


def _list_ways(view: View, room: str) -> list[str]:
    """Return the directions that the text of a room names, in the order in which to try them."""
    text = view.rooms.get(room, "") + (f"\n{view.last}" if room == view.here else "")
    found = [f"{first}{second}".lower() for first, second in _WAY.findall(text)]
    if "descend" in text.lower():
        found.append("down")
    if _INSIDE.search(text):
        found.append("in")
    ways = list(dict.fromkeys(way for way in found if way in DIRECTIONS))
    back = OPPOSITE.get(direction_of(view.last_action), "-") if room == view.here else "-"
    downward = _DOWNWARD.search(view.goal) is not None
    return sorted(ways, key=lambda way: (not (downward and way == "down"), way != "in", back in way or way in back))


def _explore(view: View, ways_of: Callable[[View, str], list[str]]) -> Iterator[str]:
    """Yield the first step towards the nearest unexplored way; nothing if there is none."""
    first: dict[str, str] = {view.here: ""}
    queue = [view.here]
    for room in queue:
        known = view.ways.get(room, {})
        walked = {direction_of(command) for command in view.tried.get(room, ())}
        fresh = [way for way in ways_of(view, room) if way not in walked and way not in known]
        if fresh:
            yield first[room] or fresh[0]
            return
        for way, target in sorted(known.items()):
            if target and target not in first:
                first[target] = first[room] or way
                queue.append(target)


RULES: tuple[OfflineRule, ...] = (TextAdventurer(),)
