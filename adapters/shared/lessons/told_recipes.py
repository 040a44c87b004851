"""How a sentence or a list says that a thing is to be looked at with another: hold it, and use the other.

Which other thing that is comes from the text alone: the noun behind "with" or "under".
"""

from __future__ import annotations

import re

from adapters.shared.lessons.english import find_verb, read_noun, split_tokens
from adapters.shared.lessons.records import Recipe

__all__ = ["read_recipe"]

_PLACEHOLDER = re.compile(r"[{<\[]([^}>\]]*)[}>\]]")
_IS_LOOKED_AT = re.compile(r"\b(?:examin\w+|inspect\w*|look(?:ing|s|ed)? at|read(?:ing)?)\b")
_HELPERS = ("with", "under", "using", "beside", "by")
_SWITCHES = ("turn", "switch", "toggle")


def read_recipe(text: str) -> Recipe | None:
    """Return the recipe that a text tells, None if it tells none."""
    text = _PLACEHOLDER.sub(r"\1", text.lower())
    looked = _IS_LOOKED_AT.search(text)
    if not looked:
        return None
    tokens = split_tokens(text[looked.start() :])
    helpers = {noun.kind for at, word in enumerate(tokens) if word in _HELPERS and (noun := read_noun(tokens, at + 1))}
    if not any(_is_used(split_tokens(text), helper) for helper in sorted(helpers)):
        return None
    held = any(find_verb(word) == "take" for word in split_tokens(text))
    return Recipe(frozenset(("examine",)), (*("take X",) * held, "use Y"))


def _names_before(tokens: tuple[str, ...], at: int, helper: str) -> bool:
    """True if the last noun before a token is the helper: it is what "it" means."""
    nouns = (noun for start in range(at - 1, -1, -1) if (noun := read_noun(tokens, start)) and noun.end <= at)
    last = next(nouns, None)
    return last is not None and (helper.endswith(last.kind) or last.kind.endswith(helper))


def _is_used(tokens: tuple[str, ...], helper: str) -> bool:
    """True if the helper, or "it", is said to be used or switched on."""
    for at, word in enumerate(tokens):
        if find_verb(word) != "use" or tokens[at - 1 : at] == ("by",):
            continue
        is_switch = word.startswith(_SWITCHES) or _names_before(tokens, at, helper)
        start = at + 2 if tokens[at + 1 : at + 2] == ("on",) else at + 1
        noun = read_noun(tokens, start)
        if noun and (helper.endswith(noun.kind) or noun.kind.endswith(helper)):
            return True
        if is_switch and tokens[start : start + 1] in (("it",), ("that",)):
            return True
    return False
