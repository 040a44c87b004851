"""The facts that a text states: its dates, numbers and words, in one form however they are written. Pure functions.

``3rd of May, 2023``, ``May 3 2023`` and ``2023/05/03`` are one date, ``two`` and ``2`` one number, ``$2,000`` and
``2000`` too, ``moved`` and ``moving`` one word. Function words state nothing, and neither do yes and no.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

__all__ = ["Date", "Stated", "read_stated"]

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_LAST_DAYS = (31, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
"""The last day of each month, of any year; the first entry: of a month that is not named."""
_UNITS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NUMBERS = {
    **{word: str(value) for value, word in enumerate(_UNITS)},
    **{word: str(value) for value, word in zip(range(20, 100, 10), _TENS, strict=True)},
    **{"once": "1", "twice": "2", "first": "1", "second": "2", "third": "3"},
}
_FUNCTION_WORDS = frozenset(Path(__file__).with_name("function_words.txt").read_text(encoding="utf-8").split())
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)}|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?)"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DATES = tuple(
    re.compile(rf"(?<![^\W_])(?<!\d[.:/-]){form}(?![^\W_])(?![.:/-]\d)")
    for form in (
        rf"{_YEAR}[-/](?P<number>[01]?\d)[-/](?P<day>[0-3]?\d)",
        rf"{_DAY}(?: of)? ?{_MONTH},? ?{_YEAR}",
        rf"{_MONTH} {_DAY},? {_YEAR}",
        rf"{_MONTH},?(?: of)? {_YEAR}",
        rf"{_DAY}(?: of)? {_MONTH}",
        rf"{_MONTH} {_DAY}",
        _YEAR,
    )
)
"""Longer forms first: each takes its text away from those that follow."""
_WORD = re.compile(r"\d+(?:[.:]\d+)*|[^\W\d_]+(?:'[^\W\d_]+)?")


@dataclass(frozen=True, slots=True, order=True)
class Date:
    """A day, a day of any year, a month, or a year; 0 = the text does not say."""

    year: int
    month: int = 0
    day: int = 0

    def says(self, other: Date) -> bool:
        """True if it says all that the other date says: a day says its month and its year."""
        pairs = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        return all(wanted in (0, own) for own, wanted in pairs)


@dataclass(frozen=True, slots=True)
class Stated:
    """What a text states; what stands in a date is no number and no word."""

    dates: frozenset[Date] = frozenset()
    numbers: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    """Stems in lower case."""

    def __len__(self) -> int:
        return len(self.dates) + len(self.numbers) + len(self.words)

    def __or__(self, other: Stated) -> Stated:
        return Stated(self.dates | other.dates, self.numbers | other.numbers, self.words | other.words)

    def __and__(self, other: Stated) -> Stated:
        """Return what of it the other text states too."""
        dates = frozenset(date for date in self.dates if other.says(date))
        return Stated(dates, self.numbers & other.numbers, self.words & other.words)

    def __sub__(self, other: Stated) -> Stated:
        """Return what of it the other text does not state."""
        both = self & other
        return Stated(self.dates - both.dates, self.numbers - both.numbers, self.words - both.words)

    def says(self, date: Date) -> bool:
        """True if one of its dates says all that a date says."""
        return any(one.says(date) for one in self.dates)


@lru_cache(maxsize=64)
def read_stated(text: str) -> Stated:
    """Return the facts that a text states."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    plain = _THOUSANDS.sub("", plain)
    dates: set[Date] = set()
    for form in _DATES:
        plain = form.sub(lambda found: _take_date(found, dates), plain)
    numbers: set[str] = set()
    words: set[str] = set()
    for token in _WORD.findall(plain):
        if token[0].isdigit():
            numbers.add(_plain_number(token))
        elif token in _NUMBERS:
            numbers.add(_NUMBERS[token])
        elif token not in _FUNCTION_WORDS and (word := token.partition("'")[0]) not in _FUNCTION_WORDS:
            words.add(_stem(word))
    return Stated(frozenset(dates), frozenset(numbers), frozenset(words))


def _take_date(found: re.Match[str], dates: set[Date]) -> str:
    """Add the date to the others and return what stands in its place; a day or month that cannot be stays as it is."""
    parts = found.groupdict()
    month = int(parts.get("number") or 0) or _find_month(parts.get("month") or "")
    year, day = int(parts.get("year") or 0), int(parts.get("day") or 0)
    zero = any(text and not int(text) for text in map(parts.get, ("number", "day")))
    if zero or month > len(_MONTHS) or day > _LAST_DAYS[month]:
        return found[0]
    dates.add(Date(year, month, day))
    return " "


def _find_month(name: str) -> int:
    return next((at for at, month in enumerate(_MONTHS, start=1) if name and month.startswith(name[:3])), 0)


def _plain_number(token: str) -> str:
    """``07`` and ``7``, ``2.50`` and ``2.5``, ``5:00`` and ``5`` are the same."""
    if ":" in token:
        return token.lstrip("0").removesuffix(":00")
    whole, _, rest = token.partition(".")
    rest = rest.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{rest}" if rest else "")


def _stem(word: str) -> str:
    """Return a word without the common endings of nouns and verbs; never fewer than three letters."""
    if word.endswith("ies") and len(word) > 4:
        word = f"{word[:-3]}y"
    elif word.endswith("es") and word[:-2].endswith(("s", "x", "z", "ch", "sh")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            word = word[:-1] if word[-1] == word[-2] and word[-1] not in "lsz" else word
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word
