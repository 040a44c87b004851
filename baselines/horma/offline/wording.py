"""English, as far as the offline manager needs it: statements, names, numbered things, relative dates."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path

from baselines.horma.dates import find_date
from baselines.shared.extractive import SMALL_WORDS

__all__ = ["anchor_dates", "find_names", "find_things", "shorten", "split_statements"]

_SENTENCE = re.compile(r"(?<=[.!?…])\s+(?=\S)|\s+(?=\[shares )")
_PICTURE = re.compile(r"\[shares .*\]$")
_DENIAL = re.compile(r"\b(?:not|never|no longer|nobody|nothing|none|neither|nor)\b|n['’]t\b", re.IGNORECASE)
_CONTENT = re.compile(r"[^\W\d_]{3,}|\d+")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][^\W\d_]{2,}(?: [A-Z][^\W\d_]{2,})?")
_THING = re.compile(r"\b[a-z]{2,20} ?\d{1,3}\b")
_WORDS = 10
"""Words of a shortened sentence."""
_FEWEST = 2
"""Content words of a statement; one is enough for a denial."""
_FILLER = frozenset(Path(__file__).with_name("filler.txt").read_text(encoding="utf-8").split())
"""Words of small talk."""
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October"),
    *("November", "December"),
)
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "couple of": 2}
_TIME_WORD = re.compile(
    rf"(?:yesterday|today|tonight|tomorrow|ago|last|next|week|weekend|month|year|since|{'|'.join(_DAYS)}"
    rf"|{'|'.join(month.lower() for month in _MONTHS)}|\d{{1,4}}(?:st|nd|rd|th)?)s?[.,!?;:]*"
)
_RELATIVE = re.compile(
    rf"\b(?P<text>(?P<day>yesterday|today|tonight|this morning|tomorrow)"
    rf"|(?P<way>last|next) (?P<unit>week|weekend|month|year|{'|'.join(_DAYS)})"
    rf"|(?P<count>{'|'.join(_COUNTS)}|\d{{1,3}}) (?P<units>day|week|month|year)s? ago)\b",
    re.IGNORECASE,
)


def split_statements(text: str, *, denials: bool, pictures: bool) -> list[str]:
    """Return the sentences that state something: no questions and small talk, denials and pictures if wanted."""
    found = list[str]()
    for sentence in _SENTENCE.split(text.strip()):
        if _PICTURE.match(sentence):
            found += [sentence.strip("[]")] if pictures else []
        elif sentence.endswith("?") or (_DENIAL.search(sentence) and not denials):
            continue
        elif _count_content(sentence) >= _FEWEST - bool(_DENIAL.search(sentence)):
            found.append(sentence)
    return found


def _count_content(sentence: str) -> int:
    """Return how many words say something; a name alone says nothing of anybody."""
    known = {name.lower() for name in find_names(sentence, "")} | SMALL_WORDS | _FILLER
    return len([word for word in _CONTENT.findall(sentence.lower()) if word not in known])


def shorten(sentence: str, times: bool = False, details: bool = False) -> str:
    """Return the first words of a sentence; more, up to the last one that tells a time, or a name or number."""
    words = sentence.split()
    kept = min(_WORDS, len(words))
    for at, word in enumerate(words[kept:], start=kept + 1):
        is_time = times and _TIME_WORD.fullmatch(word.lower())
        is_detail = details and (word[0].isupper() or any(char.isdigit() for char in word))
        kept = at if is_time or is_detail else kept
    return sentence if kept == len(words) else " ".join(words[:kept]).rstrip(",;:-")


def find_names(sentence: str, speaker: str) -> list[str]:
    """Return the capitalised names within a sentence, behind a word, but that of the speaker."""
    names = (
        name for name in _NAME.findall(sentence) if name.split()[0].lower() not in SMALL_WORDS and name not in speaker
    )
    return [name for name in dict.fromkeys(names) if name not in _MONTHS and name.lower() not in _DAYS]


def find_things(text: str) -> list[str]:
    """Return the things with numbers that a text names, such as ``mug 1``, each once, in order."""
    return list(dict.fromkeys(_THING.findall(text.lower())))


def anchor_dates(text: str, said_on: str) -> str:
    """Put the date that a relative time comes to behind it: ``yesterday (7 May 2023)``."""
    day = find_date(said_on)
    if day is None:
        return text
    return _RELATIVE.sub(lambda found: f"{found['text']} ({_compute_date(found, day)})", text)


def _compute_date(found: re.Match[str], day: date) -> str:
    if name := found["day"]:
        shift = {"yesterday": -1, "tomorrow": 1}.get(name.lower(), 0)
        return _write_day(day + timedelta(days=shift))
    if unit := found["unit"]:
        return _move_by_unit(day, unit.lower(), 1 if found["way"].lower() == "next" else -1)
    count = _COUNTS.get(found["count"].lower()) or int(found["count"])
    if found["units"].lower() in ("day", "week"):
        return _write_day(day - timedelta(days=count * (7 if found["units"].lower() == "week" else 1)))
    return _move_by_unit(day, found["units"].lower(), -count)


def _move_by_unit(day: date, unit: str, by: int) -> str:
    if unit in _DAYS:
        shift = (_DAYS.index(unit) - day.weekday()) % 7 if by > 0 else -((day.weekday() - _DAYS.index(unit)) % 7)
        return _write_day(day + timedelta(days=shift or 7 * by))
    if unit == "year":
        return str(day.year + by)
    if unit == "month":
        months = day.year * 12 + day.month - 1 + by
        return f"{_MONTHS[months % 12]} {months // 12}"
    return f"the {unit} {'after' if by > 0 else 'before'} {_write_day(day)}"


def _write_day(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
