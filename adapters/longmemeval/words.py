"""Text as comparable words: one form for numbers, dates and months, simple stemming, stop words removed.

Our own rules for short English answers: ``twenty-five``, ``25`` and ``25.0`` are one word, and so are ``June
3rd``, ``Jun 3`` and the day of ``2023/06/03``. Knows no question and no score.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from pathlib import Path

__all__ = ["MONTHS", "content_stems", "normalise", "parse_amount", "stem", "words"]

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_STOP_WORDS = frozenset((Path(__file__).parent / "small_words.txt").read_text(encoding="utf-8").split())
_UNITS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_VALUES = {
    **{word: value for value, word in enumerate(_UNITS)},
    **{word: value for value, word in zip(range(20, 100, 10), _TENS, strict=True)},
}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_SAME = {
    **{month[:3]: month for month in MONTHS if month != "may"},
    **{"sept": "september", "twice": "2", "thrice": "3", "once": "1", "st": "street"},
}
_REPLACEMENTS = (
    (re.compile(r"[‘’ʼ`]"), "'"),
    (re.compile(r"(?<=\d),(?=\d{3}\b)"), ""),
    (re.compile(r"\bcannot\b"), "can not"),
    (re.compile(r"\bcan't\b"), "can not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\bi(?:'m| am)\b"), "i"),  # elsewhere ``am`` is a time of day
    (re.compile(r"'s\b"), ""),
    (re.compile(r"%"), " percent "),
    (re.compile(r"\b(\d{1,2}):00\b"), r"\1"),
    (re.compile(r"\b([ap])\.m\.?"), r"\1m"),
    (re.compile(r"(?<=\d)(?:st|nd|rd|th)\b"), ""),
    (re.compile(r"\b(?:an?|one) (\w+) and a half\b"), r"1.5 \1"),
    (re.compile(r"\bhalf an hour\b"), "30 minutes"),
)
_DAY = re.compile(r"\b(\d{4})[/-](\d{1,2})[/-](\d{1,2})\b")
_WORD = re.compile(r"\d+(?:[.:/]\d+)+|\d+|[^\W\d_]+")
_DECIMAL = re.compile(r"\d+(?:\.\d+)?")


def normalise(text: str) -> str:
    """Return the text in lower case without accents, with contractions, dates and numbers in one form."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    plain = _DAY.sub(_spell_day, plain)
    for pattern, to in _REPLACEMENTS:
        plain = pattern.sub(to, plain)
    return plain


def _spell_day(found: re.Match[str]) -> str:
    year, month, day = (int(part) for part in found.groups())
    return f"{MONTHS[month - 1]} {day} {year}" if 1 <= month <= 12 else found[0]


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[str, ...]:
    """Return every word in order; a number is one word in digits."""
    spellings = [_SAME.get(word, word) for word in _WORD.findall(normalise(text))]
    found: list[str] = []
    at = 0
    while at < len(spellings):
        value, after = _parse_number(spellings, at)
        found.append(spellings[at] if value is None else f"{value:.6f}".rstrip("0").rstrip("."))
        at = after
    return tuple(found)


def _parse_number(spellings: list[str], at: int) -> tuple[float | None, int]:
    """Return the value and the end of the number that begins at a word; (None, the next word) if there is none."""
    word = spellings[at]
    value: float
    if word in _VALUES:
        value, at = _VALUES[word], at + 1
        if word in _TENS and at < len(spellings) and 1 <= _VALUES.get(spellings[at], 0) <= 9:
            value, at = value + _VALUES[spellings[at]], at + 1
    elif _DECIMAL.fullmatch(word):
        value, at = float(word), at + 1
    elif word == "a" and at + 1 < len(spellings) and spellings[at + 1] in _SCALES:
        value, at = 1, at + 1
    else:
        return None, at + 1
    while at < len(spellings) and spellings[at] in _SCALES:
        value, at = value * _SCALES[spellings[at]], at + 1
    if spellings[at : at + 3] == ["and", "a", "half"]:
        value, at = value + 0.5, at + 3
    return value, at


def parse_amount(word: str) -> float | None:
    """Return the value of a word that is a plain number; None for all others, ``7:30`` and ``1/48`` among them."""
    return float(word) if _DECIMAL.fullmatch(word) else None


def stem(word: str) -> str:
    """Return a word without the endings of plurals and regular verb forms; numbers and short words as they are."""
    if len(word) < 3 or not word.isalpha():
        return word
    for ending in ("ies", "ied"):
        if word.endswith(ending) and len(word) > 4:
            return f"{word[:-3]}i"
    if word.endswith(("sses", "xes", "zes", "ches", "shes")):
        word = word[:-2]
    elif word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= 3 and re.search("[aeiouy]", rest):
            word = rest[:-1] if rest[-1] == rest[-2] and rest[-1] not in "aeiouls" else rest
            break
    word = word[:-1] if word.endswith("e") and len(word) > 3 else word
    return f"{word[:-1]}i" if word.endswith("y") and word[-2] not in "aeiou" else word


def content_stems(text: str) -> tuple[str, ...]:
    """Return the stems of the words that carry meaning, in order."""
    return tuple(stem(word) for word in words(text) if word not in _STOP_WORDS)
