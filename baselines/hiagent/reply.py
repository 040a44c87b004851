"""Reads a reply in HiAgent's dialect: a sub-goal, an action, or a wish to see closed sub-goals in full.

Strict and anchored to lines, so that nothing of the dialect can be taken for an action: the published code looks for
the word anywhere and takes line 1 for the sub-goal. A sub-goal is the last such line above the action; what stands
below the action is ignored, for a model that goes on to invent observations has decided already.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["ParsedReply", "read_reply"]

_WORD = r"sub[ -]?goal[\W\d_]*?:"
_SUBGOAL = re.compile(rf"\W*(?:\d+\W+)?{_WORD}(?P<text>.*)", re.IGNORECASE)
_RETRIEVE = re.compile(r"retrieve\s*\((?P<ids>[^)]*)", re.IGNORECASE)
_LEAK = re.compile(_WORD, re.IGNORECASE)
_MAX_SUBGOAL = 200
"""Characters of a sub-goal that are kept: it is a heading, and stands in every later prompt."""


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """What a reply says. ``retrieve`` is None if it does not ask; empty if it asks for nothing that is a number."""

    subgoal: str = ""
    action: str = ""
    retrieve: tuple[int, ...] | None = None


def read_reply(text: str, label: str) -> ParsedReply:
    """Return what the reply says; all empty if there is nothing usable in it.

    As for every strategy, the action is what follows ``label`` on the first such line, else the first line that says
    something (and is no sub-goal).
    """
    lines = [line.strip() for line in text.splitlines()]
    labelled = [bool(label) and line.lower().startswith(label.lower()) for line in lines]
    subgoal = action = ""
    for line, has_label in zip(lines, labelled, strict=True):
        content = _strip_label(line, label)
        if found := _SUBGOAL.fullmatch(content):
            subgoal = found["text"].strip(" *_`\"'")[:_MAX_SUBGOAL].strip() or subgoal
        elif content and (has_label or not any(labelled)):
            action = content
            break
    if retrieval := _RETRIEVE.search(action):
        return ParsedReply(subgoal, "", tuple(dict.fromkeys(map(int, re.findall(r"\d{1,6}", retrieval["ids"])))))
    leak = _LEAK.search(action)
    return ParsedReply(subgoal, action[: leak.start()].rstrip(" ,;:-") if leak else action)


def _strip_label(line: str, label: str) -> str:
    while label and line.lower().startswith(label.lower()):
        line = line[len(label) :].strip()
    return line
