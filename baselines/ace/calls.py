"""The two calls about an attempt: the reflector says what it teaches, the curator what changes in the playbook.

A reply that cannot be read is asked for once more. Then its text is the one lesson, or the lessons are added as they
are, which is counted; so is an entry of a list that is none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from baselines.ace.playbook import SECTIONS, Operation, Playbook, Tag
from baselines.shared.insight_calls import read_id
from baselines.shared.json_calls import JsonCalls, read_plain
from baselines.shared.lists import number_lines
from baselines.shared.trajectory import render_case
from bench.protocols import Kit
from bench.replies import JsonNode, ReplyError
from bench.types import Role, Trial

__all__ = ["Reflection", "curate", "reflect"]

T = TypeVar("T")
_MOST_LESSONS = 3
"""Lessons of one attempt that are kept."""
_REFLECT, _CURATE = (
    Path(__file__).with_name(name).read_text(encoding="utf-8").strip() for name in ("reflect.txt", "curate.txt")
)
_FIELDS = ("analysis", "lessons", "tags")
_TAGS = ("helpful", "harmful", "neutral")
_OPERATIONS = ("add", "update", "remove")


@dataclass(frozen=True, slots=True)
class Reflection:
    """What one attempt teaches."""

    analysis: str
    lessons: tuple[str, ...]
    tags: tuple[Tag, ...]


def reflect(kit: Kit, calls: JsonCalls, playbook: Playbook, trial: Trial) -> Reflection:
    """Return what an attempt teaches. Role reflect."""
    request = f"# Playbook so far\n{playbook.render()}\n\n{render_case(trial)}"
    answer = calls.ask_answer(Role.REFLECT, _REFLECT, request, partial(_read_reflection, rejected=playbook.rejected))
    return answer.value or Reflection("", tuple(filter(None, [read_plain(kit, answer.reply)])), ())


def curate(calls: JsonCalls, playbook: Playbook, trial: Trial, found: Reflection) -> Sequence[Operation]:
    """Return what changes in the playbook. Role update."""
    request = (
        f"# Playbook so far\n{playbook.render()}\n\n# Task\n{trial.opening}\n\n"
        f"# Analysis\n{found.analysis}\n\n# Lessons\n{number_lines(found.lessons)}"
    )
    asked = calls.ask(Role.UPDATE, _CURATE, request, partial(_read_operations, rejected=playbook.rejected))
    return [Operation("add", section=SECTIONS[-1], text=text) for text in found.lessons] if asked is None else asked


def _read_reflection(reply: JsonNode, rejected: Counter[str]) -> Reflection:
    if not any(field in reply for field in _FIELDS):
        raise reply.error(f"the fields {', '.join(_FIELDS)}")
    analysis = reply["analysis"].text() if "analysis" in reply else ""
    lessons = reply["lessons"].texts() if "lessons" in reply else ()
    tags = _read_entries(reply["tags"], _read_tag, rejected, "not a tag") if "tags" in reply else []
    return Reflection(analysis, lessons[:_MOST_LESSONS], tuple(tag for tag in tags if tag))


def _read_tag(entry: JsonNode) -> Tag | None:
    """Return what is said of a bullet; None for neutral."""
    tag = entry["tag"].choice(_TAGS)
    return None if tag == "neutral" else Tag(read_id(entry["id"]), tag == "helpful")


def _read_operations(reply: JsonNode, rejected: Counter[str]) -> list[Operation]:
    """Return the operations of a reply, which may be a bare list or one of them. Raises: ReplyError."""
    if isinstance(reply.value, dict) and "op" in reply:
        return [_read_operation(reply)]
    entries = reply if isinstance(reply.value, list) else reply["operations"]
    return _read_entries(entries, _read_operation, rejected, "not an operation")


def _read_operation(entry: JsonNode) -> Operation:
    op = entry["op"].choice(_OPERATIONS)
    text = "" if op == "remove" else entry["text"].text()
    if op != "add":
        return Operation(op, read_id(entry["id"]), text=text)
    section = str(entry["section"].value).strip().lower()
    return Operation(op, section=section if section in SECTIONS else SECTIONS[-1], text=text)


def _read_entries(entries: JsonNode, read: Callable[[JsonNode], T], rejected: Counter[str], fault: str) -> list[T]:
    """Return what can be read of a list; what cannot is counted. Raises: ReplyError for no list."""
    found = list[T]()
    for entry in entries.entries():
        try:
            found.append(read(entry))
        except ReplyError:
            rejected[fault] += 1
    return found
