"""What the prose of a teaching text tells: tools, places, orders of search, recipes.

A line is read for itself, and a sentence of it for itself; a list below a heading or a task is also read as a whole,
for its recipe. A command with placeholders only ("heat {object} with {place}") tells nothing.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from adapters.shared.lessons.english import TREATMENTS, split_tokens
from adapters.shared.lessons.records import Recipe
from adapters.shared.lessons.told_places import ToldOrder, read_order, read_places
from adapters.shared.lessons.told_recipes import read_recipe
from adapters.shared.lessons.told_tools import ToldTool, read_tools
from adapters.shared.teaching import find_task

__all__ = ["Told"]

_BULLET = re.compile(r"^\s*(?:[-*•>]+\s+|\d{1,2}[.)]\s+|#+\s*)")
_SENTENCE = re.compile(r"[.!?](?:\s+|$)|;\s*")
_LISTED = re.compile(r"^\s*(?:[-*•>]\s|\d{1,2}[.)]\s|[a-z])")
_FAILS = re.compile(
    r"\b(?:nothing happen\w*|(?:did|does) (?:not|n't) (?:work|help)|didn't work|failed|(?:without|no) effect)\b"
)


@dataclass
class Told:
    """What was told so far; later lines outrank earlier ones of equal count."""

    own: bool = False
    """The text is about earlier attempts at the same task: names with numbers hold."""
    tools: Counter[tuple[str, str]] = field(default_factory=Counter)
    failed: Counter[tuple[str, str]] = field(default_factory=Counter)
    places: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    found: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    absent: list[tuple[str, str]] = field(default_factory=list)
    preferred: list[tuple[str, str]] = field(default_factory=list)
    recipes: list[Recipe] = field(default_factory=list)
    latest: list[tuple[str, str]] = field(default_factory=list)
    """Verbs with their tools in the order of the text."""

    def add(self, lines: Sequence[str]) -> int:
        """Take the lines of a text; return how many told something."""
        told = [self._read_line(line) for line in lines]
        for first, end in _find_lists(lines):
            if recipe := read_recipe("\n".join(lines[first:end])):
                self.recipes.append(recipe)
                told[first:end] = [True] * (end - first)
        return sum(told)

    def _read_line(self, line: str) -> bool:
        if find_task(line):
            return False
        text = _BULLET.sub("", line).lower()
        told = [self._read_sentence(part) for part in _SENTENCE.split(text) if part.strip()]
        recipe = read_recipe(text)
        if recipe:
            self.recipes.append(recipe)
        return any(told) or recipe is not None

    def _read_sentence(self, sentence: str) -> bool:
        tokens = split_tokens(sentence)
        tools = read_tools(sentence, tokens)
        for tool in tools:
            self._take_tool(tool, bool(_FAILS.search(sentence)))
        orders = read_order(tokens)
        for order in orders:
            self._take_order(order)
        places = [] if tools or orders else read_places(sentence, tokens)
        told = [place for place in places if place.thing not in TREATMENTS]
        for place in told:
            if place.is_there:
                self.places[place.thing][place.place.kind] += 1
            if self.own and place.place.number:
                name = place.place.name
                self.found[place.thing].append(name) if place.is_there else self.absent.append((place.thing, name))
        return bool(tools or orders or any(place.is_there or self.own for place in told))

    def _take_tool(self, tool: ToldTool, fails: bool) -> None:
        counts = self.tools if tool.works and not fails else self.failed
        counts[tool.verb, tool.kind] += 1
        self.latest.append((tool.verb, tool.kind))

    def _take_order(self, order: ToldOrder) -> None:
        sooner, later = order.sooner, order.later
        name = (sooner.name if self.own else sooner.kind) if sooner else ""
        self.preferred.append((name, later.kind if later else ""))


def _find_lists(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return the stretches of a heading or task with the list below it, as first and end."""
    found: list[tuple[int, int]] = []
    first = -1
    for at, line in enumerate(lines):
        is_head = bool(find_task(line)) or line.strip().endswith(":") or line.startswith("#")
        if is_head or not _LISTED.match(line):
            if first >= 0 and at - first > 1:
                found.append((first, at))
            first = at if is_head else -1
    return [*found, (first, len(lines))] if 0 <= first < len(lines) - 1 else found
