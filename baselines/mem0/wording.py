"""English wording that the offline rules of Mem0 look for: statements, small talk, denials, properties of a person."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

__all__ = ["denies", "find_slot", "has_denial", "is_same_fact", "is_small_talk", "makes_statement"]

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_CONTENT = re.compile(r"[^\W\d_]{3,}|\d+")
_FILLER = frozenset(Path(__file__).with_name("filler.txt").read_text(encoding="utf-8").split())
_SMALL_TALK = re.compile(
    r"(?:hi|hey|hello|long time|bye|goodbye|good (?:morning|evening|night|luck)|thanks?|thank you|wow|congrat\w*"
    r"|great|awesome|cool|nice|amazing|sounds?|that sounds"
    r"|that's (?:so )?(?:great|awesome|amazing|cool|nice|wonderful|good|true)"
    r"|what an?|how (?:nice|cool|great)|glad|i'm (?:so )?glad|happy for you|take care|see you|talk (?:to you )?soon"
    r"|no (?:problem|worries)|you're welcome|you|your|you're|you've|let me know|keep (?:it|up|me)|good to)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|me|we|we're|we've|our|us)\b", re.IGNORECASE)
_TALK_WORDS = 12  # a greeting or compliment that is longer goes on to say something
_DENIAL = re.compile(r"\b(?:no longer|any ?more|not anymore|stopped|quit|gave up)\b", re.IGNORECASE)
_SLOTS = (
    re.compile(r"\b(?:live in|moved to|living in)\s+(.+)", re.IGNORECASE),
    re.compile(r"\b(?:work(?:ing)? (?:as|at|for)|my (?:new )?job is|started as)\s+(.+)", re.IGNORECASE),
    re.compile(
        r"\bmy (?:new |current )?(?P<what>(?:favou?rite )?[a-z]+) is (?:now )?(?:called |named )?(.+)", re.IGNORECASE
    ),
)
_SAME = 0.85
"""The share of words that two facts have in common when they say the same."""


def makes_statement(sentence: str) -> bool:
    """True if a sentence says something about a person or the world, and is no question and no small talk."""
    if sentence.rstrip().endswith("?") or is_small_talk(sentence):
        return False
    content = {word for word in _CONTENT.findall(sentence.lower()) if word not in _FILLER}
    return len(content) >= (1 if _FIRST_PERSON.search(sentence) else 2)


def is_small_talk(sentence: str) -> bool:
    """True for a question, a greeting, thanks or a short compliment."""
    if sentence.rstrip().endswith("?"):
        return True
    return bool(_SMALL_TALK.match(sentence)) and len(sentence.split()) <= _TALK_WORDS


@lru_cache(maxsize=8192)
def _split_words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text))


def is_same_fact(first: str, second: str) -> bool:
    """True if two texts have nearly all their words in common."""
    one, two = _split_words(first), _split_words(second)
    return bool(one) and len(one & two) >= _SAME * len(one | two)


def denies(fact: str, memory: str) -> bool:
    """True if every content word of the memory stands in a fact that says it holds no longer."""
    words = _find_content_words(memory)
    return bool(words) and not _DENIAL.search(memory) and words <= _find_content_words(fact)


def _find_content_words(text: str) -> frozenset[str]:
    return frozenset(word for word in _CONTENT.findall(_DENIAL.sub("", text).lower()) if word not in _FILLER)


@lru_cache(maxsize=8192)
def find_slot(text: str) -> str:
    """Return the property that a short statement sets ("where one lives"); empty if it sets none for certain."""
    for number, pattern in enumerate(_SLOTS):
        found = pattern.search(text)
        if found and len(text.split()) <= _TALK_WORDS and _FIRST_PERSON.search(text[: found.end()]):
            return f"{number} {found.groupdict().get('what', '').lower()}"
    return ""


def has_denial(text: str) -> bool:
    """True if a text says that something holds no longer."""
    return bool(_DENIAL.search(text))
