"""From what an agent wrote to an action call: liberal about words, strict about meaning.

Lower case, name of the action anywhere, arguments in their order among the known objects, other words ignored. The
text is held against all action names of the domain, so that "not an action" and "not possible now" are told apart.
Deviation from AgentBoard, which holds it against the currently applicable actions and mistakes one for the other.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from adapters.pddl.domain import Atom, domain
from adapters.pddl.wording import wording

__all__ = ["CHECK", "LOOK", "Command", "read_command"]

CHECK = "check valid actions"
LOOK = "look around"

_WORD = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class Command:
    """What a text means: an action call, or one of the two commands that only ask. Neither = not understood."""

    call: Atom | None = None
    asks: str = ""


def read_command(text: str, domain_name: str, objects: Collection[str]) -> Command:
    """Return what ``text`` means; an action with too few known objects is not understood, surplus ones are dropped."""
    text = text.lower().strip()
    words = _WORD.findall(text)
    if words[:1] == ["check"] and any(word.startswith("action") for word in words):
        return Command(asks=CHECK)
    if words[:2] == ["look", "around"]:
        return Command(asks=LOOK)
    match = _any_name(domain_name).search(text)
    if not match:
        return Command()
    name = _spellings(domain_name)[match.group()]
    rest = f"{text[: match.start()]} {text[match.end() :]}"
    arity = len(domain(domain_name).operator(name).variables)
    args = [word for word in _WORD.findall(rest) if word in objects][:arity]
    return Command(Atom(name, tuple(args))) if len(args) == arity else Command()


@cache
def _spellings(domain_name: str) -> dict[str, str]:
    return {spelling: form.name for form in wording(domain_name).actions for spelling in form.spellings}


@cache
def _any_name(domain_name: str) -> re.Pattern[str]:
    """Return what finds the first name in a text; the longest spelling wins where several begin."""
    longest_first = sorted(_spellings(domain_name), key=lambda s: (-len(s), s))
    return re.compile(r"(?<![\w-])(?:" + "|".join(map(re.escape, longest_first)) + r")(?![\w-])")
