"""Splits the prompt of an acting call at its headings. Knows no suite and no strategy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bench.types import Message

__all__ = ["Sections", "split_sections"]

_NOW = re.compile(r"^# Now[ \t]*\n", re.MULTILINE)
_MEMORY = re.compile(r"^# Memory[ \t]*\n", re.MULTILINE)
_LABEL_BELOW = "\n\nAction:"


@dataclass(frozen=True, slots=True)
class Sections:
    """The opening with the task, the context, and the current observation; a part that is not there is empty."""

    task: str
    memory: str
    now: str


def split_sections(messages: Sequence[Message]) -> Sections:
    """Split a prompt; of several, the first heading of the memory and the last of the observation count."""
    text = "\n\n".join(m.content for m in messages if m.role != "system")
    last = next(iter(list(_NOW.finditer(text))[-1:]), None)
    body, now = (text[: last.start()], text[last.end() :]) if last else (text, "")
    now = _cut_label(now.removeprefix("Observation:")).strip()
    memory = _MEMORY.search(body)
    task, context = (body[: memory.start()], body[memory.end() :]) if memory else (body, "")
    if not last:
        task, context = _cut_label(task), _cut_label(context)
    return Sections(task.replace("# Task\n", "", 1).strip(), context.strip("\n"), now)


def _cut_label(text: str) -> str:
    return text.rsplit(_LABEL_BELOW, 1)[0]
