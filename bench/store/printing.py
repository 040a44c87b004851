"""What is printed alike wherever a recorded trial is spoken of: its name, and a text of a model or a world.

Such a text may hold anything. What a terminal would obey (escape sequences and other control characters, what turns the
direction of writing round) is shown as a replacement character; joiners and fixed blanks, which writing needs, stay.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from typing import Any, TextIO

__all__ = ["FORMULA", "escape_json", "format_trial", "guard_cell", "make_line", "make_printable", "say"]

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes a text for a formula by."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_REPLACEMENT = "\ufffd"
_JOINERS = "\u200c\u200d"
_BREAK = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")


def format_trial(strategy: object, task: object, seed: object, attempt: object = 1) -> str:
    """Return the name of a trial that ``bench show`` takes; ``#SEED:ATTEMPT`` for a later attempt."""
    tail = f"#{seed}:{attempt}" if attempt != 1 else f"#{seed}" if seed else ""
    return f"{strategy}@{task}{tail}"


def make_printable(text: str) -> str:
    """Return a text without what a terminal would obey; line breaks and tabs stay."""
    if text.isprintable():
        return text
    return "".join(char if char in "\n\t" or _is_harmless(char) else _REPLACEMENT for char in text)


def make_line(text: str) -> str:
    """Return a text as one line without what a terminal would obey; line breaks and tabs become blanks."""
    return text if text.isprintable() else make_printable(_BREAK.sub(" ", text))


def guard_cell(value: Any) -> Any:
    """Return the value of a CSV cell: a text that a spreadsheet would take for a formula begins with an apostrophe, and
    none holds what a terminal would obey. Numbers stay, also those that are texts."""
    if not isinstance(value, str):
        return value
    text = make_line(value)
    return f"'{text}" if value.startswith(FORMULA) and not _NUMBER.fullmatch(value) else text


def say(text: str, out: TextIO | None = None) -> None:
    """Print a text as one line, to stderr unless another stream is given."""
    print(make_line(text), file=out or sys.stderr, flush=True)


def escape_json(text: str) -> str:
    """Return JSON text that says the same without what a terminal would obey: such characters stand as escapes."""
    if text.isprintable():
        return text
    return "".join(char if char == "\n" or _is_harmless(char) else _escape(char) for char in text)


def _is_harmless(char: str) -> bool:
    return char.isprintable() or char in _JOINERS or unicodedata.category(char) == "Zs"


def _escape(char: str) -> str:
    """Return the escape of a character in JSON: one code unit of UTF-16, or two."""
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
