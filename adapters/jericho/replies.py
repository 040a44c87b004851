"""Cleans the text of a game, and detects refusals and the end of the game.

AgentBoard recognises an action without effect by ``[!`` in the reply, which most games never print. Here a reply is a
refusal if it begins like a line of ``refusals.csv`` (the parsers of Infocom and Inform); any other reply counts as
understood. Knows no engine and no single game.
"""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path

__all__ = ["extract_opening", "find_refusal", "is_end", "strip_status_line"]

_TABLE = Path(__file__).with_name("refusals.csv")
_STATUS_LINE = re.compile(r"^ ?\S.* {3,}(?:Score: *-?\d+ +Moves: *\d+|Time: *\d+:\d\d.*) *(?:\n|$)")
_TITLE_PAGE = re.compile(r"Serial number|Copyright|Release \d+", re.IGNORECASE)
_REMARK = re.compile(r"\([^()]*\)")
_END = re.compile(
    r"\(Type RESTART, RESTORE,? or QUIT|would you like to (?:RESTART|start over|restart the game)"
    r"|\*\*\* +You have won +\*\*\*",
    re.IGNORECASE,
)


def strip_status_line(text: str) -> str:
    """Return a reply without the status line (which is one command late) and without trailing space."""
    return _STATUS_LINE.sub("", text, count=1).strip().removesuffix("\n>").rstrip()


def extract_opening(text: str) -> str:
    """Return the first text of a game without the paragraphs of its title page."""
    paragraphs = re.split(r"\n\s*\n", strip_status_line(text))
    story = [paragraph for paragraph in paragraphs if not _TITLE_PAGE.search(paragraph)]
    return "\n".join(part.strip() for part in story or paragraphs if part.strip())


def find_refusal(text: str) -> str:
    """Return why a reply refuses the command: unparsable, incomplete or precondition; empty if it does not."""
    lines = (line.strip() for line in text.splitlines())
    # The game may first name the object that it assumes: "(leaflet)".
    first = next((line for line in lines if line and not _REMARK.fullmatch(line)), "")
    first = first.removeprefix("[")
    return next((reason for reason, begins in _load_refusals() if begins.match(first)), "")


def is_end(text: str) -> bool:
    """True if a reply asks what to do after the end of the game."""
    return _END.search(text) is not None


@cache
def _load_refusals() -> tuple[tuple[str, re.Pattern[str]], ...]:
    with _TABLE.open(encoding="utf-8", newline="") as table:
        return tuple((row["reason"], re.compile(row["begins"])) for row in csv.DictReader(table))
