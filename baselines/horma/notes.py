"""The records of a workspace: a line with the raw turns that it rests on, a note of such lines."""

from __future__ import annotations

import re
from dataclasses import dataclass

from baselines.horma.paths import SUFFIX, split_path

__all__ = ["Line", "Meta", "Note", "flatten"]

_KINDS = {"entities": "entity", "events": "event"}
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a page, and the refs of the raw turns that it rests on, in the order of time."""

    text: str
    sources: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.text} [{', '.join(self.sources)}]" if self.sources else self.text


@dataclass(frozen=True, slots=True)
class Meta:
    """What a manager says about a note as a whole; what it leaves out comes from the turns that the note rests on."""

    time_from: str = ""
    time_to: str = ""
    sources: tuple[str, ...] = ()
    """Refs for the lines that have none of their own."""


@dataclass(frozen=True, slots=True)
class Note:
    """A file of a manager."""

    path: str
    lines: tuple[Line, ...]
    time_from: str = ""
    time_to: str = ""

    @property
    def kind(self) -> str:
        """``entity``, ``event`` or ``note``, by the folder."""
        return _KINDS.get(split_path(self.path)[0], "note")

    @property
    def sources(self) -> tuple[str, ...]:
        """The refs that any of its lines rests on."""
        return tuple(dict.fromkeys(ref for line in self.lines for ref in line.sources))

    def render(self) -> str:
        """Return the note as a Markdown file."""
        head = [
            f"id: {self.path.removesuffix(SUFFIX)}",
            f"kind: {self.kind}",
            f"time_from: {self.time_from}",
            f"time_to: {self.time_to}",
            f"turns: {len(self.sources)}",
            f"sources: [{', '.join(self.sources)}]",
        ]
        return "\n".join(["---", *head, "---", *(f"- {line}" for line in self.lines), ""])


def flatten(text: str) -> str:
    """Return a text on one line, without what cannot be printed or stored."""
    return " ".join(_UNPRINTABLE.sub(" ", text).split())
