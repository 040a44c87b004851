"""The official prompts' category leak, as a switch: a date hint for category 2, a choice of two for category 5.

Source: snap-research/LoCoMo, in words of our own. Deviations: the order of the two options is seeded by the question's
id (the official one is random), and an answer that names neither option, or both, counts as neither and scores 0 (the
official one counts all that is not ``a`` as ``b``). With the switch off nothing of this reaches a prompt.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from adapters.locomo.loading import Asked

__all__ = ["chosen", "shown"]

_REFUSAL = "not mentioned"
_FRAME = Path(__file__).parent / "frame"
_DATE = (_FRAME / "leak_date.txt").read_text(encoding="utf-8").strip()
_CHOICE = (_FRAME / "leak_choice.txt").read_text(encoding="utf-8").strip()
_TEMPORAL, _ADVERSARIAL = 2, 5
_LETTER = re.compile(r"\W*([ab])\W*|([ab])[).:]\s.*", re.I | re.S)
_WORD = re.compile(r"[^\W_]+")
_BRACKETED = re.compile(r"\(([ab])\)", re.I)


def _options(one: Asked, name: str) -> dict[str, str]:
    """Return what stands behind each letter; which one is the refusal depends on the question's name alone."""
    first = hashlib.sha256(f"locomo/leak/{name}".encode()).digest()[0] % 2 == 0
    return {"a": _REFUSAL, "b": one.adversarial} if first else {"a": one.adversarial, "b": _REFUSAL}


def shown(one: Asked, name: str) -> str:
    """Return the question as the official prompts ask it; those of categories 1, 3 and 4 stay as they are."""
    if one.category == _TEMPORAL:
        return f"{one.text}\n{_DATE}"
    if one.category == _ADVERSARIAL and one.adversarial:
        options = _options(one, name)
        return f"{one.text}\n{_CHOICE.replace('{a}', options['a']).replace('{b}', options['b'])}"
    return one.text


def chosen(one: Asked, name: str, answer: str) -> str:
    """Return the option that an answer names by letter or by its text; empty if it names neither or both.

    Answers to other questions than those of category 5 come back as they are.
    """
    if one.category != _ADVERSARIAL or not one.adversarial:
        return answer
    options = _options(one, name)
    if letter := _letter(answer):
        return options[letter]
    named = [text for text in options.values() if _plain(text) in _plain(answer)]
    return named[0] if len(named) == 1 else ""


def _letter(answer: str) -> str:
    if letters := {letter.lower() for letter in _BRACKETED.findall(answer)}:
        return letters.pop() if len(letters) == 1 else ""
    found = _LETTER.fullmatch(answer.strip())
    return str(found[1] or found[2]).lower() if found else ""


def _plain(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.lower()))} "
