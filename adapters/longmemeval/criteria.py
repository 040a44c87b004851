"""The official criteria of LongMemEval as rules over words, without a judge.

Source: the criteria by question type of the official judge (arXiv 2410.10813). There is no official scorer without a
judge to compare with. Knows no instance and no file. Differences from a judge:

* A paraphrase in other words is wrong.
* A word of the reference answer that the question contains need not be repeated.
* Counts and times are compared as numbers.
* If the question offers two options, the answer's option is the one that it names first.
* An order is right if its parts are named in turn, each by a third of the words that only this part has.
* An answer with several candidates, a range or a denial passes if it contains the words of the reference answer.
"""

from __future__ import annotations

import re
from itertools import pairwise

from adapters.longmemeval.spans import UNITS, Amount, find_amounts, find_unit
from adapters.longmemeval.words import MONTHS, content_stems, parse_amount, stem, words

__all__ = ["list_readings", "meets_criteria"]

_ORDER = re.compile(r"\border\b|\bfirst, second\b", re.IGNORECASE)
_HOW_MANY = re.compile(r"\bhow (?:many|much|long|old|often)\b", re.IGNORECASE)
_PARENTHESES = re.compile(r"\s*\(([^)]*)\)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_ALSO = re.compile(r"\b(?:is|are) also acceptable", re.IGNORECASE)
_RANGE = re.compile(r"from (\d+) \w+ to (\d+) (\w+)")
_TOTAL = re.compile(r"\btotal of (.+)", re.IGNORECASE)
_PART = re.compile(r"[,;:.]\s|\b(?:then|finally|lastly|followed by)\b|\b\d+\. ", re.IGNORECASE)
_MEANING = re.compile(r",? (?:meaning|i\.e\.|that is,) ")
_MONTHS = frozenset(stem(month) for month in MONTHS)
_PART_SHARE = 1 / 3
_OPTION_SHARE = 1 / 2


def list_readings(question: str, reference_answer: str) -> tuple[str, ...]:
    """Return the readings of a reference answer, each of which is right by itself; the main one first.

    ``7 days. 8 days (including the last day) is also acceptable.`` gives ``7 days`` and ``8 days``.
    """
    alternatives: list[str] = []
    for inner in _PARENTHESES.findall(reference_answer):
        if inner.lower().startswith("or "):
            alternatives.append(re.split(r",| for ", inner[3:])[0])
        elif re.fullmatch(r"[A-Z]{2,}", inner):
            alternatives.append(inner)
    sentences = _SENTENCE.split(_PARENTHESES.sub("", reference_answer))
    for sentence in sentences:
        if (also := _ALSO.search(sentence)) is None:
            continue
        if found := _RANGE.search(sentence):
            alternatives += [f"{n} {found[3]}" for n in range(int(found[1]), int(found[2]) + 1)]
        else:
            alternatives.append(sentence[: also.start()])
    main = _extract_main(question, [one for one in sentences if not _ALSO.search(one)])
    choices = [] if "," in main or _asks_count(question) or _ORDER.search(question) else re.split(r"\bor\b", main)
    if len(choices) == 2 and not _find_options(question, main):
        alternatives += [one for one in choices if not one.strip().lower().startswith(("another", "other"))]
    return tuple(one.strip() for one in (main, *alternatives) if words(one))


def _asks_count(question: str) -> bool:
    return len(_HOW_MANY.findall(question)) == 1


def _extract_main(question: str, sentences: list[str]) -> str:
    """Return the part of the reference answer that an answer must contain; a count needs no explanation."""
    joined = _MEANING.split(" ".join(sentences))[0]
    if not _asks_count(question):
        return joined
    if total := _TOTAL.search(joined):
        return total[1]
    return sentences[0].split(": ")[0] if sentences else joined


def meets_criteria(
    question: str, reference_answer: str, answer: str, *, near: bool = False, any_place: bool = False
) -> bool:
    """True if an answer contains one reading of the reference answer.

    ``near`` accepts a count of days, weeks or months that differs by one. With ``any_place`` other numbers may surround
    the right one, as an old value does in a question about the newest; else the right number must be first or last.
    """
    echoes = set(content_stems(answer)) == set(content_stems(question)) != set()
    if not words(answer) or echoes:
        return False
    if _ORDER.search(question) and len(parts := _split_order(reference_answer)) > 1:
        return _names_in_order(parts, answer)
    return any(
        _matches_reading(question, reading, answer, near, any_place)
        for reading in list_readings(question, reference_answer)
    )


def _matches_reading(question: str, reference_answer: str, answer: str, near: bool, any_place: bool) -> bool:
    answer_words, reference_words = words(answer), words(reference_answer)
    if reference_words[0] in ("yes", "no"):
        return next((word for word in answer_words if word in ("yes", "no")), "") == reference_words[0]
    known = frozenset(content_stems(question))
    needed = [word for word in content_stems(reference_answer) if word not in known]
    number = _find_only_number(question, reference_answer, needed)
    if number is not None:
        return _matches_number(number, question, answer, near, any_place)
    stems = content_stems(answer)
    if not needed and (options := _find_options(question, reference_answer)):
        return _names_option(options, stems) and not (options[1] & set(stems) and "or" in answer_words)
    needed = needed or list(content_stems(reference_answer)) or list(reference_words)
    return set(needed) <= {*stems, *answer_words}


def _find_only_number(question: str, reference_answer: str, needed: list[str]) -> Amount | None:
    """Return the number of a reference answer that is only a number with its unit; else None."""
    found = find_amounts(reference_answer, find_unit(question))
    rest = [word for word in needed if parse_amount(word) is None and word not in UNITS]
    return found[0] if len(found) == 1 and not rest and not _MONTHS & set(content_stems(reference_answer)) else None


def _matches_number(expected: Amount, question: str, answer: str, near: bool, any_place: bool) -> bool:
    known = [one.value for one in find_amounts(question, "")]
    found = [
        one for one in find_amounts(answer, expected.unit) if one.value not in known or one.value == expected.value
    ]
    if not any_place:
        found = [*found[:1], *found[-1:]]
    return any(one.equals(expected) or (near and one.close_to(expected)) for one in found)


def _find_options(question: str, reference_answer: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return the words of the option in the reference answer and of the other one; None without two options."""
    left, found, right = question.rpartition(" or ")
    if not found:
        return None
    before, comma, tail = left.rstrip(", ").rpartition(",")
    one, two = content_stems(tail if comma else before + tail), content_stems(right)
    if not comma:
        one, two = one[-1:], two[:1]
    first, second = frozenset(one) - frozenset(two), frozenset(two) - frozenset(one)
    expected = frozenset(content_stems(reference_answer))
    shares = [len(expected & option) / max(1, len(option)) for option in (first, second)]
    if shares[0] == shares[1]:
        return None
    option, other = (first, second) if shares[0] > shares[1] else (second, first)
    return option & expected, other - expected


def _names_option(options: tuple[frozenset[str], frozenset[str]], stems: tuple[str, ...]) -> bool:
    option, other = options
    if len(option & set(stems)) < _OPTION_SHARE * len(option):
        return False
    first = next(at for at, word in enumerate(stems) if word in option)
    return all(word not in other for word in stems[:first])


def _split_order(reference_answer: str) -> list[frozenset[str]]:
    """Return the words of each step of an order that no other step has."""
    steps = [content_stems(part) for part in _PART.split(_PARENTHESES.sub("", reference_answer) + " ")]
    sets = [frozenset(step) for step in steps if step]
    own = [step.difference(*(other for other in sets if other is not step)) for step in sets]
    return [step for step in own if step]


def _names_in_order(parts: list[frozenset[str]], answer: str) -> bool:
    stems = content_stems(answer)
    places = [[at for at, word in enumerate(stems) if word in part] for part in parts]
    named = all(
        len({stems[at] for at in place}) >= _PART_SHARE * len(part) for part, place in zip(parts, places, strict=True)
    )
    return named and all(place[0] < later[0] for place, later in pairwise(places))
