"""A reply written as a table with headers, such as ``| Action | Reason |`` above its rule and a row."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bench.replies.labels import Label
from bench.replies.visible import Line

__all__ = ["open_table"]

_RULE = re.compile(r"\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?")
"""The line between the headers and the rows."""


def open_table(lines: list[Line], label: Label, name: str) -> list[Line]:
    """Return the lines with the first table that has a column of that label as one labelled line: its first row's."""
    for at, (head, _fence) in enumerate(lines[:-2]):
        if "|" not in head or not _RULE.fullmatch(lines[at + 1].text):
            continue
        row = lines[at + 2]
        for header, cell in zip(_split(head), _split(row.text), strict=False):
            found = label.match(f"{header.strip('*_` ')}:")
            if cell and found and not found.rest:
                return [*lines[:at], Line(f"{name}: {cell}", row.fence), *lines[at + 3 :]]
    return lines


def _split(row: str) -> Sequence[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]
