"""The category leak of the official prompts, as a switch: a date hint in category 2, a choice of two in category 5.

Source: snap-research/LoCoMo; the texts are our own. With the switch off nothing of this reaches a prompt.
Differences from the official code:

* The order of the two options is seeded by the question's id; the official order is random.
* An answer that names neither option, or both, scores 0; the official code counts everything but ``a`` as ``b``.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from adapters.locomo.loading import LocomoQuestion

__all__ = ["add_leak", "list_options", "resolve_choice"]

_REFUSAL = "not mentioned"
_FRAME = Path(__file__).parent / "frame"
_DATE = (_FRAME / "leak_date.txt").read_text(encoding="utf-8").strip()
_CHOICE = (_FRAME / "leak_choice.txt").read_text(encoding="utf-8").strip()
_TEMPORAL, _ADVERSARIAL = 2, 5
_LETTER = re.compile(r"\W*([ab])\W*|([ab])[).:]\s.*", re.I | re.S)
_WORD = re.compile(r"[^\W_]+")
_BRACKETED = re.compile(r"\(([ab])\)", re.I)


def _assign_letters(one: LocomoQuestion, name: str) -> dict[str, str]:
    """Return the option of each letter; which letter is the refusal depends on the question's name alone."""
    first = hashlib.sha256(f"locomo/leak/{name}".encode()).digest()[0] % 2 == 0
    return {"a": _REFUSAL, "b": one.adversarial} if first else {"a": one.adversarial, "b": _REFUSAL}


def list_options(one: LocomoQuestion, name: str) -> tuple[str, str]:
    """Return the two answers that a question of category 5 offers, in the order of their letters."""
    options = _assign_letters(one, name)
    return options["a"], options["b"]


def add_leak(one: LocomoQuestion, name: str) -> str:
    """Return the question as the official prompts ask it; questions of categories 1, 3 and 4 are unchanged."""
    if one.category == _TEMPORAL:
        return f"{one.text}\n{_DATE}"
    if one.category == _ADVERSARIAL and one.adversarial:
        options = _assign_letters(one, name)
        return f"{one.text}\n{_CHOICE.replace('{a}', options['a']).replace('{b}', options['b'])}"
    return one.text


def resolve_choice(one: LocomoQuestion, name: str, answer: str) -> str:
    """Return the option that an answer names by letter or by its text; empty if it names neither or both.

    Answers to questions of other categories are returned unchanged.
    """
    if one.category != _ADVERSARIAL or not one.adversarial:
        return answer
    options = _assign_letters(one, name)
    if letter := _find_letter(answer):
        return options[letter]
    matching = [text for text in options.values() if _plain(text) in _plain(answer)]
    return matching[0] if len(matching) == 1 else ""


def _find_letter(answer: str) -> str:
    if letters := {letter.lower() for letter in _BRACKETED.findall(answer)}:
        return letters.pop() if len(letters) == 1 else ""
    found = _LETTER.fullmatch(answer.strip())
    return str(found[1] or found[2]).lower() if found else ""


def _plain(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.lower()))} "
