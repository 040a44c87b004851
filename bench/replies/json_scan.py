"""Where JSON stands in a text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from bench.replies.json_loose import Loose, read_loose, to_number

__all__ = ["find_json"]

_OPENING = re.compile(r"(?=\{\s{0,99}(?:[\"}'“‘]|//)|\[)")
_MOST_TRIES = 500
"""Broken pieces after which there is no JSON: each error costs time in proportion to the whole text."""
_DECODER = json.JSONDecoder(strict=False, parse_int=to_number)


def find_json(text: str, opening: re.Pattern[str] = _OPENING, *, cut: bool = False) -> Iterator[tuple[int, Loose]]:
    """Yield start and reading of every JSON object or array that begins where ``opening`` matches.

    Each is read as JSON, else with the usual faults; ``cut``: also one whose end is missing, the last. A piece that
    turns out broken is not searched again for what it holds: that keeps the time linear, and a part of a reply from
    being taken for the whole. Nesting beyond all reason ends the search.
    """
    at = tries = tried = 0
    while tries < _MOST_TRIES and (found := opening.search(text, at)):
        start = found.end()
        try:
            value, at = _DECODER.raw_decode(text, start)
        except json.JSONDecodeError as fault:
            loose = read_loose(text, start, cut=cut) if start >= tried else Loose(None, start)
            at, tried = max(fault.pos, start + 1), max(tried, loose.end)
            if loose.value is None:
                tries += 1
                continue
            at = loose.end
        except RecursionError:
            return
        else:
            loose = Loose(value, at)
        yield start, loose
