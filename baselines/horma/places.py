"""Where things are in a workspace: lines by address and lines by what they say.

An address is a path, a ref (``D1:3``) or refs from one to another (``D1:3-6``); lines of a page stand behind ``#``:
``entities/ann.md#2,5-7``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from baselines.horma.listing import read_page
from baselines.horma.notes import Line
from baselines.horma.refusals import Refusal, RefusalKind
from baselines.horma.requests import list_alternatives
from baselines.horma.workspace import Workspace

__all__ = ["Hits", "Place", "find_places", "grep", "list_places", "read_numbers", "split_addresses"]

_WITH_LINES = re.compile(
    r"(?P<page>.*?)(?:\s*#\s*|\s+(?:lines?\s+)?|(?<=[^:\s]):)\[?(?:lines?\s+)?(?P<lines>\d[\d\s,:–-]*)\]?", re.DOTALL
)
_UNKNOWN_TURN = re.compile(r"[A-Za-z]{1,3}\d{1,6}:\d{1,6}")
_SPAN = re.compile(r"(\d{1,9})(?:\s*[-–:]\s*(\d{1,9}))?")
_MOST_NUMBERS = 10_000
_NUMBERS = re.compile(r"\d+(?:[-–]\d+)?")
_BEGINNING = r"(?<![^\W_])"
"""Of a word."""
_FILLERS = frozenset(("line", "lines", "and", "&"))


@dataclass(frozen=True, slots=True)
class Place:
    """One line of a page. ``ref``: of a raw turn, which is known by it; empty for a line of a note."""

    path: str
    number: int
    line: Line
    ref: str = ""

    @property
    def address(self) -> str:
        return self.ref or f"{self.path}:{self.number}"


@dataclass(frozen=True, slots=True)
class Hits:
    """The lines that hold a text. ``loose``: the texts that no line holds as they are, but some with all of their
    words."""

    places: tuple[Place, ...]
    loose: tuple[str, ...] = ()


def list_places(workspace: Workspace, path: str) -> tuple[Place, ...]:
    """Return the lines of what is at a clean path. Raises: Refusal if that is nothing to read."""
    if turn := workspace.raw.find_path(path):
        return (Place(turn.folder, turn.number, turn.line, turn.event.ref),)
    lines = read_page(workspace, path)
    is_raw = bool(workspace.raw.list_folder(path))
    return tuple(
        Place(path, number, line, line.sources[0] if is_raw else "") for number, line in enumerate(lines, start=1)
    )


def find_places(workspace: Workspace, text: str, folder: str = "") -> tuple[Place, ...]:
    """Return the lines that an address names, seen from a folder. Raises: Refusal if there are none."""
    if turns := workspace.raw.find_range(text):
        return tuple(Place(turn.folder, turn.number, turn.line, turn.event.ref) for turn in turns)
    try:
        return list_places(workspace, workspace.find(text, folder, upward=True))
    except Refusal:
        if _UNKNOWN_TURN.fullmatch(text.strip()):
            raise Refusal(RefusalKind.MISSING, f"there is no turn {text.strip()}") from None
        found = _WITH_LINES.fullmatch(text.strip(" \"'`"))
        if found is None or not found["page"].strip(" \"'`"):
            raise
    path = workspace.find(found["page"], folder, upward=True)
    places = list_places(workspace, path)
    wanted = read_numbers(found["lines"], len(places))
    chosen = [place for place in places if place.number in wanted]
    if not chosen:
        raise Refusal(RefusalKind.MISSING, f"{path} has lines 1 to {len(places)}")
    return tuple(chosen)


def read_numbers(text: str, most: int = _MOST_NUMBERS) -> tuple[int, ...]:
    """Return the numbers that ``2, 5-7`` stands for, up to ``most``, each once."""
    spans = ((int(span[1]), int(span[2] or span[1])) for span in _SPAN.finditer(text))
    return tuple(dict.fromkeys(number for first, last in spans for number in range(first, min(last, most) + 1)))


def split_addresses(text: str) -> list[str]:
    """Split ``a.md#1, 3 b.md#2 D1:4`` into addresses; a number alone is one more line of the page before it."""
    addresses = list[str]()
    for word in re.split(r"[,;\s]+", text):
        if not word or word.lower() in _FILLERS:
            continue
        if _NUMBERS.fullmatch(word) and addresses:
            addresses[-1] += f",{word}" if "#" in addresses[-1] else f"#{word}"
        else:
            addresses.append(word)
    return addresses


def grep(workspace: Workspace, pattern: str, scope: str = "") -> Hits:
    """Return the lines below a clean path, or of the page there, that hold a text: those of notes first.

    Literal, in any case, from the beginning of a word on; ``a|b`` finds either. Where no line holds a text of several
    words as it is, those do that hold all of its words. Raises: Refusal for an empty pattern or a path that is not
    there.
    """
    texts = list_alternatives(pattern)
    if not texts:
        raise Refusal(RefusalKind.GRAMMAR, "grep needs a text to look for")
    pages = workspace.list_pages(scope) if workspace.is_folder(scope) else [scope]
    places = [place for path in pages for place in list_places(workspace, path)]
    found, loose = set[int](), list[str]()
    for text in texts:
        at = _find_lines(places, [text])
        if not at and len(words := text.split()) > 1 and (at := _find_lines(places, words)):
            loose.append(text)
        found |= at
    return Hits(tuple(places[at] for at in sorted(found)), tuple(loose))


def _find_lines(places: Sequence[Place], texts: Sequence[str]) -> set[int]:
    """Return which lines hold all of some texts in lower case, each from the beginning of a word on."""
    forms = [re.compile((_BEGINNING if text[0].isalnum() else "") + re.escape(text)) for text in texts]
    lines = enumerate(place.line.text.casefold() for place in places)
    return {at for at, line in lines if all(form.search(line) for form in forms)}
