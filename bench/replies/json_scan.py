"""Where JSON stands in a text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

__all__ = ["find_json"]

_OPENING = re.compile(r'(?=\{\s{0,99}["}]|\[)')
_MOST_TRIES = 500
"""Broken pieces after which there is no JSON: each error costs time in proportion to the whole text."""
_MOST_DIGITS = 300


def _to_number(digits: str) -> int | float:
    return int(digits) if len(digits) < _MOST_DIGITS else float(digits)


_DECODER = json.JSONDecoder(strict=False, parse_int=_to_number)


def find_json(text: str, opening: re.Pattern[str] = _OPENING) -> Iterator[tuple[int, int, Any]]:
    """Yield start, end and value of every JSON object or array that begins where ``opening`` matches.

    A piece that turns out broken is not searched again for what it holds: that keeps the time linear, and a part of a
    reply that was cut from being taken for the whole. Nesting beyond all reason ends the search.
    """
    at = tries = 0
    while tries < _MOST_TRIES and (found := opening.search(text, at)):
        try:
            value, end = _DECODER.raw_decode(text, found.end())
        except json.JSONDecodeError as fault:
            at, tries = max(fault.pos, found.end() + 1), tries + 1
        except RecursionError:
            return
        else:
            yield found.end(), end, value
            at = end
