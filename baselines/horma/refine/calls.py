"""The two calls of refinement: feedback on one contrast, and operations on the skill list from all of it.

Roles ``horma/feedback`` and ``horma/augment``. Knows no suite.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from baselines.horma.refine.changes import Cause, Kind, Operation, Reader, Rejection
from baselines.horma.refine.contrast import Contrast
from baselines.horma.refine.showing import show_contrast
from baselines.horma.refine.skill_list import SkillList
from baselines.shared.insight_calls import read_id
from baselines.shared.json_calls import ask_json, list_operations
from baselines.shared.summarizer import Summarizer
from bench.protocols import Kit
from bench.replies import JsonNode, ReplyError, read_text
from bench.types import Message

__all__ = ["AUGMENT", "AUGMENT_PROMPT", "FEEDBACK", "FEEDBACK_HEADING", "FEEDBACK_PROMPT", "SKILLS_HEADING", "Feedback",
           "ask_feedback", "augment"]  # fmt: skip

FEEDBACK, AUGMENT = "horma/feedback", "horma/augment"
"""The roles."""
SKILLS_HEADING, FEEDBACK_HEADING = "# Skills so far", "# Feedback"
_FEEDBACK_TOKENS = 120
FEEDBACK_PROMPT, _AUGMENT = (
    Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8").strip() for name in ("feedback", "augment")
)
AUGMENT_PROMPT, _FULL = (part.strip() for part in _AUGMENT.split("\n---\n"))
_READERS = {"organise": Reader.ORGANISE, "organize": Reader.ORGANISE, "manager": Reader.ORGANISE,
            "navigate": Reader.NAVIGATE, "navigator": Reader.NAVIGATE}  # fmt: skip
_KINDS = {"add": Kind.ADD, "edit": Kind.EDIT, "update": Kind.EDIT, "remove": Kind.REMOVE, "delete": Kind.REMOVE}
_LAST = 10**6
_ITEM = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+(?P<text>.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a model says about one contrast; one line, not empty."""

    cause: Cause
    text: str


def ask_feedback(contrast: Contrast, kit: Kit) -> Feedback | None:
    """Return the feedback on a contrast, None if the reply has no text; a long one is asked for twice.

    Raises: ModelError.
    """
    messages = (Message("system", FEEDBACK_PROMPT), Message("user", show_contrast(contrast)))
    text = " ".join(Summarizer(kit, FEEDBACK, _FEEDBACK_TOKENS).ask(messages).split())
    return Feedback(Cause(contrast.origin, contrast.task), text) if text else None


def augment(skills: SkillList, feedback: Sequence[Feedback], kit: Kit) -> int:
    """Let the model change the list; return how many operations were applied. A reply without JSON is asked for twice.

    Of a second one the items of a list count, or its only line, as skills to add for the manager.
    """
    system = "\n\n".join([AUGMENT_PROMPT, *([_FULL.replace("{cap}", str(skills.cap))] if skills.is_full else [])])
    lines = (f"[{number}] {one.cause.origin}: {one.text}" for number, one in enumerate(feedback, start=1))
    request = "\n".join([SKILLS_HEADING, skills.render(), "", FEEDBACK_HEADING, *lines])
    refused: Counter[Rejection] = Counter()
    read = partial(list_operations, read=_read_operation, refused=refused, fault=Rejection.NOT_AN_OPERATION)
    answer = ask_json(kit, AUGMENT, system, request, read)
    operations = answer.value
    if operations is None:
        operations, refused = _read_plain(answer.reply.text), Counter({Rejection.NO_JSON: 1})
    return skills.apply(operations, [one.cause for one in feedback], refused)


def _read_operation(entry: JsonNode) -> Operation:
    kind = _KINDS[entry["op"].choice([*_KINDS])]
    number = 0 if kind is Kind.ADD else read_id(entry["id"], _LAST)
    text = entry["text"].text() if kind is not Kind.REMOVE and "text" in entry else ""
    reader = _READERS[entry["for"].choice([*_READERS])] if "for" in entry else Reader.ORGANISE
    return Operation(kind, number, text, reader, _read_causes(entry["from"]))


def _read_causes(node: JsonNode) -> tuple[int, ...]:
    """Return the numbers of feedbacks, one or a list of them, each once; 0 for what is no number."""
    if node.value is None:
        return ()
    found: list[int] = []
    for entry in node.entries() if isinstance(node.value, list) else (node,):
        try:
            found.append(entry.number(0, _LAST))
        except ReplyError:
            found.append(0)
    return tuple(dict.fromkeys(found))


def _read_plain(reply: str) -> tuple[Operation, ...]:
    """Return what a reply without JSON asks for; nothing if it is broken JSON, or prose of several lines."""
    text = read_text(reply).value.strip()
    if "{" in text:
        return ()
    items = [found["text"].strip() for found in _ITEM.finditer(text)] or [text] * ("\n" not in text)
    return tuple(Operation(Kind.ADD, text=item) for item in items)
