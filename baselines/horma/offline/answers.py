"""Which faults of notes explain that a question was answered in one way and not in the other.

From what a feedback prompt shows of the question. Knows English, dates, names, and no suite.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from baselines.horma.refine.showing import GAVE, PAST, list_roots
from baselines.shared.extractive import strip_ending

__all__ = ["explain_answer"]

_BLOCK = re.compile(
    rf"(?P<question>.*)\nWith the whole past: (?P<mark>right|wrong), (?P<whole>.*)\nWith notes: \w+, (?P<noted>.*)\n"
    rf"Searched: (?P<searched>.*)\n{re.escape(GAVE)}\n(?P<given>(?:.*\n)*?){re.escape(PAST)}\n(?P<past>(?:.*\n?)*)"
)
_LINE = re.compile(r"(?:\[(?P<time>[^\]]*)\] )?(?P<who>[^\W\d][^:\[\]]{0,30}): (?P<text>.*)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\s+(?=\[shares )")
_WORD = re.compile(r"[^\W_]+")
_NAME = re.compile(r"\b[A-Z][^\W\d_]{2,}")
_DENIAL = re.compile(r"\b(?:not|never|nobody|nothing|none|no longer)\b|n['’]t\b", re.IGNORECASE)
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_DATE = re.compile(rf"\b(?:\d{{1,2}} (?:{_MONTHS})|(?:{_MONTHS}),? \d|\d{{4}})\b", re.IGNORECASE)
_RELATIVE = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|(?:last|next|this) (?:week|weekend|month|year|\w+day))\b", re.IGNORECASE
)
_FEW_LINES = 3
_BEGINNING = 4
"""Words of a sentence that a note made of it begins with."""


@dataclass(frozen=True, slots=True)
class _Turn:
    who: str
    sentences: tuple[str, ...]
    roots: frozenset[str]


def explain_answer(block: str) -> list[str]:
    """Return the names of the faults that explain one question, the likeliest first; none where nothing is found."""
    shown = _BLOCK.match(block)
    if shown is None:
        return []
    given = shown["given"].strip()
    if shown["mark"] == "wrong":  # the notes did better
        return ["together"] if len(given.splitlines()) <= _FEW_LINES else []
    turns = [turn for line in shown["past"].splitlines() if (turn := _read_turn(line))]
    asked = set(list_roots(shown["question"]))
    needed = [root for root in list_roots(shown["whole"]) if root not in asked]
    if not turns or not needed:
        return []
    if _DATE.search(shown["whole"]):
        return list(_explain_date(asked, given, turns, shown["searched"]))
    return list(_explain_fact(needed, shown["question"], given, turns, shown["searched"]))


def _explain_date(asked: set[str], given: str, turns: list[_Turn], searched: str) -> Iterator[str]:
    told = max(turns, key=lambda turn: len(asked & turn.roots))
    yield "anchor" if any(map(_RELATIVE.search, told.sentences)) else "dates"
    if len(asked & told.roots & set(list_roots(given))) < len(asked & told.roots):
        yield from _explain_search(searched)


def _explain_fact(needed: list[str], question: str, given: str, turns: list[_Turn], searched: str) -> Iterator[str]:
    missing = set(needed) - set(list_roots(given))
    at = max(range(len(turns)), key=lambda place: len(missing & turns[place].roots))
    told = turns[at]
    if not missing & told.roots:
        return
    sentence = max(told.sentences, key=lambda one: len(missing & set(list_roots(one))))
    if _is_cut(sentence, given):
        kept = [word for word in _WORD.findall(sentence)[1:] if word[0].isupper() or word[0].isdigit()]
        yield "details" if missing & {strip_ending(word) for word in kept} else "whole"
        return
    if sentence.startswith("[shares "):
        yield "pictures"
    elif _DENIAL.search(sentence):
        yield "denials"
    elif sentence != told.sentences[0]:
        yield "sentences"
    if any(name not in told.who and name in " ".join(told.sentences) for name in _NAME.findall(question)[1:]):
        yield "people"
    places = _find_given(given, turns)
    if {at - 1, at + 1} & places:
        yield "neighbours"
    elif any(place < at for place in places):
        yield "latest"
    yield from _explain_search(searched)


def _find_given(given: str, turns: list[_Turn]) -> set[int]:
    """Return which of the turns the notes gave, or a part of them."""
    lines = [turn.roots for line in given.splitlines() if (turn := _read_turn(line)) and turn.roots]
    return {place for place, turn in enumerate(turns) if any(roots <= turn.roots for roots in lines)}


def _explain_search(searched: str) -> Iterator[str]:
    if searched.count("grep ") <= 1:
        yield "rarest"
        yield "several"
    elif searched.count("select ") == 1 and "," not in searched.partition("select ")[2]:
        yield "enough"


def _is_cut(sentence: str, given: str) -> bool:
    """True if the notes hold the beginning of a sentence and not its end."""
    words = sentence.split()
    start = " ".join(words[:_BEGINNING])
    return len(words) > _BEGINNING and start in given and sentence.rstrip(".!?") not in given


def _read_turn(line: str) -> _Turn | None:
    found = _LINE.match(line)
    if found is None:
        return None
    sentences = tuple(filter(None, _SENTENCE.split(found["text"])))
    return _Turn(found["who"], sentences, frozenset(list_roots(" ".join(sentences))))
