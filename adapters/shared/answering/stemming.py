"""The Porter stemmer with NLTK's extensions, which the official LoCoMo scorer uses.

Source: M. F. Porter, An algorithm for suffix stripping (1980), with the departures that NLTK documents for its default
mode. Written from those rules; equal to NLTK 3.9 on every word of LoCoMo's turns, questions and answers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

__all__ = ["stem"]

_IRREGULAR = {
    **{"sky": "sky", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news"},
    **{"inning": "inning", "innings": "inning", "outing": "outing", "outings": "outing"},
    **{"canning": "canning", "cannings": "canning", "howe": "howe"},
    **{"proceed": "proceed", "exceed": "exceed", "succeed": "succeed"},
}


def _parse_table(text: str) -> tuple[tuple[str, str], ...]:
    """Return the ``ending>replacement`` pairs of a text, in the order in which endings are tried."""
    pairs = (piece.partition(">") for piece in text.split())
    return tuple((old, new) for old, _, new in pairs)


_STEP_2 = _parse_table(
    "ational>ate tional>tion enci>ence anci>ance izer>ize bli>ble alli>al entli>ent eli>e ousli>ous ization>ize "
    "ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al iviti>ive biliti>ble fulli>ful"
)
_STEP_3 = _parse_table("icate>ic ative> alize>al iciti>ic ical>ic ful> ness>")
_STEP_4 = _parse_table(
    "al> ance> ence> er> ic> able> ible> ant> ement> ment> ent> ion> ou> ism> ate> iti> ous> ive> ize>"
)


def _to_shape(word: str) -> str:
    """Return the word as v and c; a y is a vowel after a consonant."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape[-1:] == "c")
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    return _to_shape(word).count("vc")


def _ends_short(word: str) -> bool:
    shape = _to_shape(word)
    return (shape.endswith("cvc") and word[-1] not in "wxy") or shape == "vc"


def _replace_ending(word: str, table: tuple[tuple[str, str], ...], fits: Callable[[str, str], bool]) -> str:
    """Replace the first ending that the word has if the rest of it ``fits``; later endings are not tried."""
    for old, new in table:
        if word.endswith(old):
            rest = word[: -len(old)]
            return rest + new if fits(rest, old) else word
    return word


def _strip_plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _strip_past(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        rest = word[: -len(ending)]
        if word.endswith(ending) and "v" in _to_shape(rest):
            return _restore_ending(rest)
    return word


def _restore_ending(rest: str) -> str:
    """Add the final e, or remove the doubled letter, after -ed or -ing was stripped."""
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if len(rest) > 1 and rest[-1] == rest[-2] and _to_shape(rest)[-1] == "c":
        return rest if rest[-1] in "lsz" else rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _ends_short(rest) else rest


def _replace_y(word: str) -> str:
    shape = _to_shape(word)
    return word[:-1] + "i" if word.endswith("y") and len(word) > 2 and shape[-2] == "c" else word


def _reduce_suffix(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _reduce_suffix(word[:-2])
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replace_ending(word, _STEP_2, lambda rest, _: _measure(rest) > 0)


def _strip_final_e(word: str) -> str:
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _ends_short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the stem of a word in lower case; words of one or two letters stay as they are."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    word = _reduce_suffix(_replace_y(_strip_past(_strip_plural(word))))
    word = _replace_ending(word, _STEP_3, lambda rest, _: _measure(rest) > 0)
    return _strip_final_e(
        _replace_ending(word, _STEP_4, lambda rest, old: _measure(rest) > 1 and (old != "ion" or rest[-1] in "st"))
    )
