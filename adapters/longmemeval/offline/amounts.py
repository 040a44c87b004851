"""Answers "how many" and "how much": a figure that the user gave, a sum of amounts, or a count of lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from adapters.longmemeval.offline.history import History, pick_newest
from adapters.shared.answering.finding import Match
from adapters.shared.answering.patterns import find_typed_span
from adapters.shared.answering.question import Kind, ParsedQuestion
from adapters.shared.answering.words import stems

__all__ = ["asks_amount", "find_amount"]

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
"""The distance in words after and before a figure within which the counted thing must stand."""
_OF_BEST = 0.6
"""The points, relative to the best, of a sentence about the same things."""
_ENOUGH_IN_ALL = 0.3
"""The least share of the question's weight in a sentence with one of several amounts of money."""


def asks_amount(question: ParsedQuestion) -> bool:
    """True if a question asks for a number of things or a sum."""
    return question.kind is Kind.COUNT or bool(_IS_MONEY.search(question.text) and _IN_ALL.search(question.text))


def find_amount(question: ParsedQuestion, history: History) -> str:
    """Return an amount; empty if the memory has nothing about the thing."""
    matches = history.find(question)
    if not matches or matches[0].share < history.enough:
        return ""
    if _IS_MONEY.search(question.text):
        return _find_money(question, matches, history)
    things = _THINGS.search(question.text)
    if not things or _MUCH.search(question.text):
        return _find_measure(history.piece(pick_newest(matches, question, history.memory)).text)
    heads = frozenset(stems(things[1]))
    good = [one for one in matches if one.points >= _OF_BEST * matches[0].points]
    with_figure = [one for one in good if _find_figure(history.piece(one).text, heads)]
    if with_figure:
        return _find_figure(history.piece(pick_newest(with_figure, question, history.memory)).text, heads)
    naming = {one.line for one in good if heads & history.memory.lines[one.line].stems}
    return str(len(naming or {one.line for one in good}))


def _find_figure(text: str, heads: frozenset[str]) -> str:
    """Return the figure close to the counted thing (``heads``: its stems); empty if there is none."""
    words = text.split()
    for at, word in enumerate(words):
        bare = word.strip(".,!?;:()\"'*")
        near = words[max(0, at - _NEAR_BEFORE) : at] + words[at + 1 : at + 1 + _NEAR]
        if _FIGURE.match(bare) and heads & frozenset(stems(" ".join(near))):
            return bare
    return ""


def _find_measure(text: str) -> str:
    """Return the first figure of a text with the word after it; empty if there is none."""
    found = _MEASURE.search(text)
    return found[0].strip(" .,!?;:") if found else ""


def _find_money(question: ParsedQuestion, matches: Sequence[Match], history: History) -> str:
    holding = [one for one in matches if _MONEY.search(history.piece(one).text)]
    if not holding:
        return find_typed_span(history.piece(matches[0]).text, question.kind)
    if not _IN_ALL.search(question.text):
        return f"${_MONEY.findall(history.piece(pick_newest(holding, question, history.memory)).text)[0]}"
    found = {
        (one.line, amount)
        for one in holding
        if one.share >= _ENOUGH_IN_ALL * history.caution
        for amount in _MONEY.findall(history.piece(one).text)
    }
    total = sum(float(amount.replace(",", "")) for _, amount in sorted(found))
    return f"${total:,.2f}".removesuffix(".00")
