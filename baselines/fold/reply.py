"""Reads a reply in Fold's dialect: lines that open or close a branch, and an action.

Strict and anchored to lines; nothing of the dialect can be taken for an action. What stands below the action is
ignored.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Command", "ParsedReply", "read_reply"]

_COMMAND = re.compile(r"(?P<name>branch|return)\s*\((?P<text>.*)", re.IGNORECASE)
_MOST_COMMANDS = 2
"""Of one reply: close a branch and open the next."""


@dataclass(frozen=True, slots=True)
class Command:
    """``name`` is branch or return; ``text`` its description or message, possibly empty."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """What a reply says, in its order: first the commands, then the action, either possibly missing."""

    commands: tuple[Command, ...] = ()
    action: str = ""


def read_reply(text: str, label: str) -> ParsedReply:
    """Return what the reply says; both empty if there is nothing usable in it.

    As for every strategy, the action is what follows ``label`` on the first such line, else the first line that says
    something (and is no command).
    """
    commands: list[Command] = []
    labelled: list[str] = []
    bare: list[str] = []
    for line in (line.strip() for line in text.splitlines()):
        content = _strip_label(line, label)
        if found := _COMMAND.search(content):
            if not labelled and len(commands) < _MOST_COMMANDS:
                commands.append(Command(found["name"].lower(), _read_argument(found["text"])))
        elif content:
            (labelled if content != line else bare).append(content)
    return ParsedReply(tuple(commands), next(iter(labelled or bare), ""))


def _read_argument(text: str) -> str:
    """Return what stands in the brackets: up to the last closing one, without quotes around it."""
    inside, closed, _ = text.rpartition(")")
    return (inside if closed else text).strip().strip("\"'`").strip()


def _strip_label(line: str, label: str) -> str:
    while label and line.lower().startswith(label.lower()):
        line = line[len(label) :].strip()
    return line
