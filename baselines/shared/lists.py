"""Lists as prompts and files of learners show them, and how they are read back."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["join_numbers", "number_lines", "read_numbered_lines", "read_numbers"]

_NUMBERED = re.compile(r"(?m)^\d+\. (?P<text>.+)$")


def number_lines(texts: Iterable[str]) -> str:
    """Return the texts, a line each, numbered from 1."""
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, start=1))


def read_numbered_lines(text: str) -> list[str]:
    """Return what stands behind the numbers of the lines that have one, in order."""
    return _NUMBERED.findall(text)


def join_numbers(numbers: Iterable[int]) -> str:
    """Return numbers as one line; ``none`` for none."""
    return ", ".join(map(str, numbers)) or "none"


def read_numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of a line, in order."""
    return tuple(map(int, re.findall(r"\d+", text)))
