"""Parses the text of an agent into an action call.

The text is the bare value of a reply, as ``bench.replies`` returns it. It begins with the action, before whose name
only objects may stand (``left grasp shot1``): a thought such as ``To stack b1 on b2, I first need to ...`` is never
executed. Case is ignored; arguments are the known objects in the text, in their order; other words behind the name are
ignored. The name is searched among all actions of the domain, so that "not an action" and "not possible now" are
distinct. AgentBoard searches among the currently applicable actions only and confuses the two.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache

from adapters.pddl.domain import Atom, load_domain
from adapters.pddl.wording import load_wording

__all__ = ["CHECK", "LOOK", "Command", "find_names", "read_command"]

CHECK = "check valid actions"
LOOK = "look around"

_CHECK = re.compile(r"check (?:(?:the|all|valid|possible|available|my) ){0,3}actions?\b")
_BEFORE_NAME = frozenset({"the", "hand", "arm", "gripper", "robot", "please"})
"""Words that may stand before the name of an action, as objects may."""
_WORD = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class Command:
    """A parsed text: an action call, or one of the two commands that only ask; neither if it is not understood."""

    call: Atom | None = None
    asks: str = ""


def read_command(text: str, key: str, objects: Collection[str]) -> Command:
    """Return the command in ``text``. Too few known objects: the action is not understood; extra ones are dropped."""
    text = text.lower().strip()
    words = _WORD.findall(text)
    if _CHECK.match(" ".join(words)):
        return Command(asks=CHECK)
    if words[:2] == ["look", "around"]:
        return Command(asks=LOOK)
    found = next(find_names(text, key), None)
    if found is None:
        return Command()
    name, start, end = found
    if not _BEFORE_NAME.union(objects).issuperset(_WORD.findall(text[:start])):
        return Command()
    rest = f"{text[:start]} {text[end:]}"
    arity = len(load_domain(key).operator(name).variables)
    args = [word for word in _WORD.findall(rest) if word in objects][:arity]
    return Command(Atom(name, tuple(args))) if len(args) == arity else Command()


def find_names(text: str, key: str) -> Iterator[tuple[str, int, int]]:
    """Yield the actions that a lower-case text names, in order, and where each name starts and ends.

    Of several names that start at one place it is the longest.
    """
    spellings, pattern = _compile_names(key)
    for match in pattern.finditer(text):
        yield spellings[match.group()], match.start(), match.end()


@cache
def _compile_names(key: str) -> tuple[dict[str, str], re.Pattern[str]]:
    """Return the action that each spelling means, and the pattern of a spelling."""
    spellings = {spelling: form.name for form in load_wording(key).actions for spelling in form.spellings}
    longest_first = sorted(spellings, key=lambda spelling: (-len(spelling), spelling))
    return spellings, re.compile(r"(?<![\w-])(?:" + "|".join(map(re.escape, longest_first)) + r")(?![\w-])")
