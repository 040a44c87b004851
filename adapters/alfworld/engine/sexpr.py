"""Bracketed PDDL text as nested lists of lower-case words. Knows no meaning of a word.

Reads what the official translator reads: ``;`` starts a comment, case is dropped, ``?`` starts a new word.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from bench.errors import DataError

__all__ = ["Sexpr", "items", "read", "show", "word"]

Sexpr: TypeAlias = "str | list[Sexpr]"

_COMMENT = re.compile(r";[^\n]*")


def read(text: str, who: str) -> list[Sexpr]:
    """Return the one bracketed expression in ``text``. Raises DataError, naming ``who``, when it is not whole."""
    if ";" in text:
        text = _COMMENT.sub("", text)
    if not text.isascii():
        odd = next(letter for letter in text if not letter.isascii())
        raise DataError(f"{who}: expected plain ASCII outside comments, got {odd!r}; restore the file")
    words = text.lower().replace("(", " ( ").replace(")", " ) ").replace("?", " ?").split()
    if not words or words[0] != "(":
        raise DataError(f"{who}: expected '(' first, got {words[0] if words else 'nothing'!r}; restore the file")
    return _nest(words, who)


def _nest(words: list[str], who: str) -> list[Sexpr]:
    """Return the nested lists of a word list that starts with an opening bracket."""
    root: list[Sexpr] = []
    current = root
    parents: list[list[Sexpr]] = []
    for at, token in enumerate(words):
        if token == "(":
            inner: list[Sexpr] = []
            current.append(inner)
            parents.append(current)
            current = inner
        elif token == ")":
            current = parents.pop()
            if not parents:
                if at + 1 < len(words):
                    raise DataError(f"{who}: expected the end after the last ')', got {words[at + 1]!r}")
                break
        else:
            current.append(token)
    if parents:
        raise DataError(
            f"{who}: expected {len(parents)} more ')', got the end of the text; it was cut, fetch the file again"
        )
    whole = root[0]
    assert isinstance(whole, list)
    return whole


def word(expression: Sexpr, who: str) -> str:
    """Return an expression that must be a single word."""
    if not isinstance(expression, str):
        raise DataError(f"{who}: expected a word, got {show(expression)}")
    return expression


def items(expression: Sexpr, who: str) -> list[Sexpr]:
    """Return an expression that must be bracketed."""
    if isinstance(expression, str):
        raise DataError(f"{who}: expected a bracketed expression, got {expression!r}")
    return expression


def show(expression: Sexpr) -> str:
    """Return the expression as PDDL text of at most 120 characters, for error messages."""
    text = expression if isinstance(expression, str) else f"({' '.join(show(part) for part in expression)})"
    return text if len(text) <= 120 else f"{text[:117]}..."
