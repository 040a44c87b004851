"""Where a sentence says that things are or are not, and in which order it says to search."""

from __future__ import annotations

import re
from dataclasses import dataclass

from adapters.shared.lessons.english import TREATMENTS, Noun, find_verb, read_noun, read_nouns

__all__ = ["ToldOrder", "ToldPlace", "read_order", "read_places"]

_POSITIONS = frozenset(("in", "on", "at", "inside"))
_LINKS = frozenset(
    word
    for words in (
        "is are was were be been can may might often usually mostly typically sometimes commonly generally always most",
        "more likely found finds find kept seen stored located lie lies lying sit sits there also",
    )
    for word in words.split()
)
_PASSIVES = (("searched",), ("checked",), ("opened",), ("visited",))
_SEARCHES = frozenset(("search", "examine", "open"))
_ABSENCE = re.compile(r"\bno\b|\bnot\b|n't\b|\bnever\b")
_LABELS = frozenset(("places", "place", "where", "insights", "lessons", "rules", "note", "actions", "thing", "object"))
_ARROWS = frozenset((":", "->", "=>", "→", "="))
_BREAKS = frozenset((",", ";", ":", "that", "and", "because", "so"))


@dataclass(frozen=True, slots=True)
class ToldPlace:
    """A kind of thing and a place where it is, or is not."""

    thing: str
    place: Noun
    is_there: bool = True


@dataclass(frozen=True, slots=True)
class ToldOrder:
    """Places to be searched sooner and later; without one of them, before or after all others."""

    sooner: Noun | None
    later: Noun | None = None


def read_places(sentence: str, tokens: tuple[str, ...]) -> list[ToldPlace]:
    """Return where a sentence says that things are."""
    denied = bool(_ABSENCE.search(sentence))
    listed = _read_list(tokens)
    if listed:
        return listed
    for at in range(len(tokens)):
        pair = _read_search(tokens, at) or _read_statement(tokens, at)
        if pair:
            thing, places = pair
            return [ToldPlace(thing.kind, place, not denied) for place in places]
    return []


def _read_list(tokens: tuple[str, ...]) -> list[ToldPlace]:
    """Read "apple: fridge 1, countertop"."""
    thing = read_noun(tokens, 0)
    if not thing or thing.kind in _LABELS or thing.end >= len(tokens) or tokens[thing.end] not in _ARROWS:
        return []
    places = read_nouns(tokens, thing.end + 1)
    return [ToldPlace(thing.kind, place) for place in places] if places and places[-1].end == len(tokens) else []


def _read_search(tokens: tuple[str, ...], at: int) -> tuple[Noun, list[Noun]] | None:
    """Read "look for pillows on the sofa" and "search the desk for pencils"."""
    if find_verb(tokens[at]) not in ("search", "examine"):
        return None
    if tokens[at + 1 : at + 2] == ("for",):
        thing = read_noun(tokens, at + 2)
        if thing and thing.end < len(tokens) and tokens[thing.end] in _POSITIONS:
            return _pair(thing, read_nouns(tokens, thing.end + 1))
        return None
    places = read_nouns(tokens, at + 1)
    if places and tokens[places[-1].end : places[-1].end + 1] == ("for",):
        thing = read_noun(tokens, places[-1].end + 1)
        return _pair(thing, places) if thing else None
    return None


def _pair(thing: Noun, places: list[Noun]) -> tuple[Noun, list[Noun]] | None:
    return (thing, places) if places else None


def _read_statement(tokens: tuple[str, ...], at: int) -> tuple[Noun, list[Noun]] | None:
    """Read "mugs are often found on shelves", "I found the pan on the stove", "there was no mug in drawer 1"."""
    if not _can_begin(tokens, at):
        return None
    thing = read_noun(tokens, at)
    if thing is None:
        return None
    place, linked = thing.end, at > 0 and tokens[at - 1] not in _BREAKS
    while place < len(tokens) and tokens[place] in _LINKS:
        place, linked = place + 1, True
    if not linked or place >= len(tokens) or tokens[place] not in _POSITIONS:
        return None
    return _pair(thing, read_nouns(tokens, place + 1))


def _can_begin(tokens: tuple[str, ...], at: int) -> bool:
    """True where the thing of a statement may stand: at the start of a clause, behind "found" or behind "there is"."""
    if at == 0 or tokens[at - 1] in _BREAKS:
        return True
    before = [word for word in tokens[max(0, at - 4) : at] if word not in ("a", "an", "the", "no", "any", "often")]
    return bool(before) and (find_verb(before[-1]) == "find" or before[-2:] in (["there", "is"], ["there", "was"]))


def read_order(tokens: tuple[str, ...]) -> list[ToldOrder]:
    """Return the order of search that a sentence asks for."""
    if any(find_verb(word) in TREATMENTS for word in tokens):
        return []
    for at, word in enumerate(tokens):
        verb, before = find_verb(word), tokens[at - 1 : at]
        if before in _PASSIVES and word in ("first", "last"):
            return [ToldOrder(noun) if word == "first" else ToldOrder(None, noun) for noun in read_nouns(tokens, 0)]
        if word == "prefer":
            return _read_preference(tokens, at + 1)
        if verb == "start" and tokens[at + 1 : at + 2] == ("with",):
            return [ToldOrder(noun) for noun in read_nouns(tokens, at + 2)[:1]]
        if verb in _SEARCHES:
            start = at + 2 if tokens[at + 1 : at + 2] and tokens[at + 1] in ("at", "in", "on") else at + 1
            if order := _read_order_at(tokens, start):
                return order
    return []


def _read_preference(tokens: tuple[str, ...], at: int) -> list[ToldOrder]:
    """Read "A over B" behind "prefer"."""
    sooner = read_noun(tokens, at)
    is_pair = sooner and tokens[sooner.end : sooner.end + 1] in (("over",), ("to",))
    return [ToldOrder(sooner, read_noun(tokens, sooner.end + 1))] if sooner and is_pair else []


def _read_order_at(tokens: tuple[str, ...], start: int) -> list[ToldOrder]:
    """Read "A before B", "A first", "A first, then B" behind a verb of searching."""
    sooner = read_noun(tokens, start)
    if not sooner or sooner.end >= len(tokens):
        return []
    mark, rest = tokens[sooner.end], tokens[sooner.end + 1 :]
    if mark not in ("before", "first"):
        return []
    for at in range(sooner.end + 1, len(tokens)):
        if later := read_noun(tokens, at):
            return [ToldOrder(sooner, later)]
    return [ToldOrder(sooner)] if mark == "first" and not any(find_verb(word) for word in rest) else []
