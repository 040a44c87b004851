"""The official criteria of LongMemEval read without a judge: does a short answer hold what the gold asks for?

Source: the criteria by question type of the official judge (arXiv 2410.10813), restated as rules over words.
Deviations: a paraphrase in other words is wrong here, where a judge may see that it is right; a word of the gold that
the question itself says need not be repeated; counts and spans of time are compared as numbers; of two options that the
question offers, the answer's is the one it names first; an order is right if each of its parts is named in turn, by a
third of the words that are its own. Words are not weighed against each other: an answer that offers several candidates,
a range or a denial passes if it holds the words of the gold, which the judge's rubric does not allow. There is no
official scorer without a judge to compare with; recorded pairs hold the choice of rubric and the reading of verdicts.
Knows no instance and no file.
"""

from __future__ import annotations

import re
from itertools import pairwise

from adapters.longmemeval.spans import UNITS, Amount, amounts, asked_unit
from adapters.longmemeval.words import MONTHS, amount, content, stem, words

__all__ = ["holds", "readings"]

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


def readings(question: str, reference_answer: str) -> tuple[str, ...]:
    """Return the golds that are each right by themselves: the main one first, then what the gold offers besides.

    ``7 days. 8 days (including the last day) is also acceptable.`` gives ``7 days`` and ``8 days``.
    """
    offered: list[str] = []
    for inner in _PARENTHESES.findall(reference_answer):
        if inner.lower().startswith("or "):
            offered.append(re.split(r",| for ", inner[3:])[0])
        elif re.fullmatch(r"[A-Z]{2,}", inner):
            offered.append(inner)
    sentences = _SENTENCE.split(_PARENTHESES.sub("", reference_answer))
    for sentence in sentences:
        if (also := _ALSO.search(sentence)) is None:
            continue
        if found := _RANGE.search(sentence):
            offered += [f"{n} {found[3]}" for n in range(int(found[1]), int(found[2]) + 1)]
        else:
            offered.append(sentence[: also.start()])
    main = _main(question, [one for one in sentences if not _ALSO.search(one)])
    choices = [] if "," in main or _counts(question) or _ORDER.search(question) else re.split(r"\bor\b", main)
    if len(choices) == 2 and not _options(question, main):
        offered += [one for one in choices if not one.strip().lower().startswith(("another", "other"))]
    return tuple(one.strip() for one in (main, *offered) if words(one))


def _counts(question: str) -> bool:
    return len(_HOW_MANY.findall(question)) == 1


def _main(question: str, sentences: list[str]) -> str:
    """Return the part of the gold that must be in the answer; a count need not be laid out."""
    whole = _MEANING.split(" ".join(sentences))[0]
    if not _counts(question):
        return whole
    if total := _TOTAL.search(whole):
        return total[1]
    return sentences[0].split(": ")[0] if sentences else whole


def holds(question: str, reference_answer: str, answer: str, *, near: bool = False, any_place: bool = False) -> bool:
    """True if an answer holds one reading of the gold.

    ``near`` forgives one day, week or month in a count of them. ``any_place``: other numbers beside the right one are
    fine, as an old value is in a question about the newest; else the right number stands first or last.
    """
    echoes = set(content(answer)) == set(content(question)) != set()
    if not words(answer) or echoes:
        return False
    if _ORDER.search(question) and len(parts := _parts(reference_answer)) > 1:
        return _in_turn(parts, answer)
    return any(_one(question, reading, answer, near, any_place) for reading in readings(question, reference_answer))


def _one(question: str, reference_answer: str, answer: str, near: bool, any_place: bool) -> bool:
    said, wanted = words(answer), words(reference_answer)
    if wanted[0] in ("yes", "no"):
        return next((word for word in said if word in ("yes", "no")), "") == wanted[0]
    known = frozenset(content(question))
    needed = [word for word in content(reference_answer) if word not in known]
    number = _only_number(question, reference_answer, needed)
    if number is not None:
        return _counted(number, question, answer, near, any_place)
    stems = content(answer)
    if not needed and (options := _options(question, reference_answer)):
        return _chosen(options, stems) and not (options[1] & set(stems) and "or" in said)
    needed = needed or list(content(reference_answer)) or list(wanted)
    return set(needed) <= {*stems, *said}


def _only_number(question: str, reference_answer: str, needed: list[str]) -> Amount | None:
    """Return the gold's number if it says no more than that number and its unit."""
    found = amounts(reference_answer, asked_unit(question))
    rest = [word for word in needed if amount(word) is None and word not in UNITS]
    return found[0] if len(found) == 1 and not rest and not _MONTHS & set(content(reference_answer)) else None


def _counted(wanted: Amount, question: str, answer: str, near: bool, any_place: bool) -> bool:
    known = [one.value for one in amounts(question, "")]
    said = [one for one in amounts(answer, wanted.unit) if one.value not in known or one.value == wanted.value]
    if not any_place:
        said = [*said[:1], *said[-1:]]
    return any(one.equals(wanted) or (near and one.close_to(wanted)) for one in said)


def _options(question: str, reference_answer: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return the words of the option that the gold names, and those of the other; None if the question offers none."""
    left, found, right = question.rpartition(" or ")
    if not found:
        return None
    before, comma, tail = left.rstrip(", ").rpartition(",")
    one, two = content(tail if comma else before + tail), content(right)
    if not comma:
        one, two = one[-1:], two[:1]
    first, second = frozenset(one) - frozenset(two), frozenset(two) - frozenset(one)
    wanted = frozenset(content(reference_answer))
    shares = [len(wanted & option) / max(1, len(option)) for option in (first, second)]
    if shares[0] == shares[1]:
        return None
    option, other = (first, second) if shares[0] > shares[1] else (second, first)
    return option & wanted, other - wanted


def _chosen(options: tuple[frozenset[str], frozenset[str]], stems: tuple[str, ...]) -> bool:
    option, other = options
    if len(option & set(stems)) < _OPTION_SHARE * len(option):
        return False
    first = next(at for at, word in enumerate(stems) if word in option)
    return all(word not in other for word in stems[:first])


def _parts(reference_answer: str) -> list[frozenset[str]]:
    """Return the words that each step of an order has to itself."""
    steps = [content(part) for part in _PART.split(_PARENTHESES.sub("", reference_answer) + " ")]
    sets = [frozenset(step) for step in steps if step]
    own = [step.difference(*(other for other in sets if other is not step)) for step in sets]
    return [step for step in own if step]


def _in_turn(parts: list[frozenset[str]], answer: str) -> bool:
    stems = content(answer)
    places = [[at for at, word in enumerate(stems) if word in part] for part in parts]
    named = all(
        len({stems[at] for at in place}) >= _PART_SHARE * len(part) for part, place in zip(parts, places, strict=True)
    )
    return named and all(place[0] < later[0] for place, later in pairwise(places))
