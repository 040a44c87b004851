"""How many and how much, from what a user told over many sessions: said outright, added up, or counted by lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from adapters.longmemeval.offline.history import History, newest
from adapters.shared.answering.asking import Asked, Kind
from adapters.shared.answering.finding import Find
from adapters.shared.answering.spans import typed_span
from adapters.shared.answering.words import stems

__all__ = ["counted", "is_amount"]

_THINGS = re.compile(
    r"\bhow (?:many|much) (?:different |types of |kinds of )?(.+?) "
    r"(?:did|do|does|have|has|had|are|is|was|were|will|can|would|should)\b",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"\$?\d[\d,]*(?:\.\d+)?(?:-\d+)?%?$|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)$", re.I
)
_MONEY = re.compile(r"\$(\d[\d,]*(?:\.\d+)?)")
_IS_MONEY = re.compile(
    r"\bhow much\b.*\b(?:money|spend|spent|cost|pay|paid|earn\w*|raise\w*|save\w*|worth|made)\b|\b(?:cost|price)\b",
    re.I,
)
_IN_ALL = re.compile(r"\b(?:total|altogether|in all|combined|all the|all of)\b", re.IGNORECASE)
_MUCH = re.compile(r"\bhow much\b", re.IGNORECASE)
_MEASURE = re.compile(r"\$?\b\d[\d,.]*%?(?: [a-z]+)?")
_NEAR, _NEAR_BEFORE = 4, 1
"""Within how many words behind and before a figure the thing stands that it counts."""
_OF_BEST = 0.6
"""How good a sentence must be beside the best to tell of the same things."""
_ENOUGH_IN_ALL = 0.3
"""The least share of the question's weight in a sentence that names one of several sums."""


def is_amount(asked: Asked) -> bool:
    """True if a question wants a number of things or a sum."""
    return asked.kind is Kind.COUNT or bool(_IS_MONEY.search(asked.text) and _IN_ALL.search(asked.text))


def counted(asked: Asked, history: History) -> str:
    """Return an amount; empty if the memory does not tell of the thing."""
    finds = history.find(asked)
    if not finds or finds[0].share < history.enough:
        return ""
    if _IS_MONEY.search(asked.text):
        return _money(asked, finds, history)
    things = _THINGS.search(asked.text)
    if not things or _MUCH.search(asked.text):
        return _measured(history.piece(newest(finds, asked, history.memory)).text)
    heads = frozenset(stems(things[1]))
    good = [one for one in finds if one.points >= _OF_BEST * finds[0].points]
    said = [one for one in good if _said(history.piece(one).text, heads)]
    if said:
        return _said(history.piece(newest(said, asked, history.memory)).text, heads)
    naming = {one.line for one in good if heads & history.memory.lines[one.line].stems}
    return str(len(naming or {one.line for one in good}))


def _said(text: str, heads: frozenset[str]) -> str:
    """Return the figure that stands next to, or shortly before, the thing that is counted; empty if there is none."""
    words = text.split()
    for at, word in enumerate(words):
        bare = word.strip(".,!?;:()\"'*")
        near = words[max(0, at - _NEAR_BEFORE) : at] + words[at + 1 : at + 1 + _NEAR]
        if _FIGURE.match(bare) and heads & frozenset(stems(" ".join(near))):
            return bare
    return ""


def _measured(text: str) -> str:
    """Return the first figure of a text with the word behind it; empty if there is none."""
    found = _MEASURE.search(text)
    return found[0].strip(" .,!?;:") if found else ""


def _money(asked: Asked, finds: Sequence[Find], history: History) -> str:
    holding = [one for one in finds if _MONEY.search(history.piece(one).text)]
    if not holding:
        return typed_span(history.piece(finds[0]).text, asked.kind)
    if not _IN_ALL.search(asked.text):
        return f"${_MONEY.findall(history.piece(newest(holding, asked, history.memory)).text)[0]}"
    found = {
        (one.line, amount)
        for one in holding
        if one.share >= _ENOUGH_IN_ALL * history.caution
        for amount in _MONEY.findall(history.piece(one).text)
    }
    total = sum(float(amount.replace(",", "")) for _, amount in sorted(found))
    return f"${total:,.2f}".removesuffix(".00")
