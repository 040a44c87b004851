"""What every reader of English knows: the forms of a verb, the singular of a plural, which words are nouns.

Two small word lists beside this file and no other knowledge: no appliance, no usual place, no task.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

__all__ = [
    "TREATMENTS",
    "Noun",
    "find_verb",
    "is_attribute",
    "is_kind",
    "read_noun",
    "read_nouns",
    "singular",
    "split_tokens",
]

_FOLDER = Path(__file__).parent
_VERBS = {
    word: words[0]
    for line in (_FOLDER / "verbs.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#") and (words := line.split())
    for word in words
}
_FUNCTION = frozenset((_FOLDER / "function_words.txt").read_text(encoding="utf-8").split())
TREATMENTS = frozenset(("heat", "cool", "clean", "slice"))
"""Verbs that change a thing with a tool."""
_ATTRIBUTES = frozenset(("hot", "cold", "cool", "clean", "heated", "cooled", "cleaned", "warm", "sliced"))
_BETWEEN = frozenset(
    ("and", "or", "in", "on", "at", ",", "usually", "often", "mostly", "sometimes", "possibly", "maybe", "then", "also")
)
"""What may stand between the nouns of a list."""
_ARTICLES = frozenset(("a", "an", "the", "some", "any", "one", "two", "your", "each", "every", "my", "its"))
_SHORTEST_PART = 4
"""Letters that a noun must have to stand for a longer one that it is a part of."""
_TOKEN = re.compile(r"[{<\[][^}>\]\n]{1,40}[}>\]]|[a-z]+(?:n't)?|\d+|->|=>|→|[,:;=]")
_PLURALS = {"knives": "knife", "lives": "life"}
_STEMS = (
    ("lves", "lf"),
    ("eaves", "eaf"),
    ("oaves", "oaf"),
    ("oes", "o"),
    ("ies", "y"),
    ("xes", "x"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("sses", "ss"),
)


@dataclass(frozen=True, slots=True)
class Noun:
    """A thing or a place: its kind, its number if it has one, and the token behind it."""

    kind: str
    number: str
    end: int

    @property
    def name(self) -> str:
        """The kind with its number."""
        return f"{self.kind} {self.number}" if self.number else self.kind


@lru_cache(maxsize=4096)
def split_tokens(text: str) -> tuple[str, ...]:
    """Return the words, numbers, placeholders and separators of a text, in lower case."""
    return tuple(_TOKEN.findall(text.lower().replace("’", "'")))


def find_verb(word: str) -> str:
    """Return the verb that a word is a form of; empty if it is none."""
    return _VERBS.get(word, "")


def is_attribute(tokens: tuple[str, ...], at: int) -> bool:
    """True for a word that only describes a noun: "hot", and "cool" in "a cool plate"."""
    word = tokens[at]
    if word in ("hot", "cold"):
        return True
    return word in _ATTRIBUTES and at > 0 and tokens[at - 1] in _ARTICLES


def is_kind(told: str, kind: str) -> bool:
    """True if a noun means things of a kind: "sink" a sinkbasin, "table" a diningtable, "lamp" a desklamp."""
    return told == kind or (len(told) >= _SHORTEST_PART and (kind.startswith(told) or kind.endswith(told)))


@lru_cache(maxsize=4096)
def singular(word: str) -> str:
    """Return the singular of a noun."""
    if word in _PLURALS:
        return _PLURALS[word]
    for ending, stem in _STEMS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word.removesuffix(ending) + stem
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3 else word


def _is_noun(word: str) -> bool:
    return word.isalpha() and word not in _FUNCTION and word not in _VERBS


def read_noun(tokens: tuple[str, ...], at: int) -> Noun | None:
    """Return the noun at a token, articles and adjectives skipped; None if there is none ("it", a placeholder)."""
    while at < len(tokens) and (tokens[at] in _ARTICLES or tokens[at] in ("other", "another", "asked")):
        at += 1
    if at >= len(tokens) or not _is_noun(tokens[at]):
        return None
    words = [tokens[at]]
    at += 1
    if at < len(tokens) and _is_noun(tokens[at]):
        words.append(tokens[at])
        at += 1
    number = ""
    if at < len(tokens) and tokens[at].isdigit():
        number = tokens[at]
        at += 1
    return Noun("".join(words[:-1]) + singular(words[-1]), number, at)


def read_nouns(tokens: tuple[str, ...], at: int) -> list[Noun]:
    """Return the nouns of a list at a token: "shelves or in cabinets", "drawer 1, drawer 2 or desk 1"."""
    found: list[Noun] = []
    while at < len(tokens) and tokens[at] in _BETWEEN:
        at += 1
    while noun := read_noun(tokens, at):
        found.append(noun)
        at = noun.end
        start = at
        while at < len(tokens) and tokens[at] in _BETWEEN:
            at += 1
        if at == start:
            break
    return found
