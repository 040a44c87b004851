"""What a game says, read as text: without status line and title pages, and whether it is a refusal or an end.

AgentBoard tells an action without effect by a ``[!`` in the reply, which most games never print; here a reply that
begins as a line of ``refusals.csv`` (the parsers of Infocom and Inform) is one. A refusal that no line knows counts as
understood. Knows no engine and no single game.
"""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path

__all__ = ["ended", "opening_text", "refusal", "said"]

_TABLE = Path(__file__).with_name("refusals.csv")
_STATUS_LINE = re.compile(r"^ ?\S.* {3,}(?:Score: *-?\d+ +Moves: *\d+|Time: *\d+:\d\d.*) *(?:\n|$)")
_TITLE_PAGE = re.compile(r"Serial number|Copyright|Release \d+", re.IGNORECASE)
_REMARK = re.compile(r"\([^()]*\)")
_END = re.compile(
    r"\(Type RESTART, RESTORE,? or QUIT|would you like to (?:RESTART|start over|restart the game)"
    r"|\*\*\* +You have won +\*\*\*",
    re.IGNORECASE,
)


def said(text: str) -> str:
    """Return a reply without the status line, which is one command old, and without trailing space."""
    return _STATUS_LINE.sub("", text, count=1).strip().removesuffix("\n>").rstrip()


def opening_text(text: str) -> str:
    """Return the first text of a game without the paragraphs of its title page."""
    paragraphs = re.split(r"\n\s*\n", said(text))
    kept = [paragraph for paragraph in paragraphs if not _TITLE_PAGE.search(paragraph)]
    return "\n".join(part.strip() for part in kept or paragraphs if part.strip())


def refusal(text: str) -> str:
    """Return why a reply refuses the command: unparsable, incomplete or precondition; empty if it does not."""
    lines = (line.strip() for line in text.splitlines())
    # The parser says first which thing it takes to be meant: "(leaflet)".
    first = next((line for line in lines if line and not _REMARK.fullmatch(line)), "")
    first = first.removeprefix("[")
    return next((reason for reason, begins in _refusals() if begins.match(first)), "")


def ended(text: str) -> bool:
    """Return whether a reply asks what to do after the end of the game."""
    return _END.search(text) is not None


@cache
def _refusals() -> tuple[tuple[str, re.Pattern[str]], ...]:
    with _TABLE.open(encoding="utf-8", newline="") as table:
        return tuple((row["reason"], re.compile(row["begins"])) for row in csv.DictReader(table))
