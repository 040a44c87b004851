"""Asking a model to revise an insight pool: the format of its operations, how they are read, and one more try.

What the model is shown is up to the caller. Knows no suite.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from baselines.shared.insights import InsightPool, Kind, Operation, Rejection
from baselines.shared.json_calls import ask_json, list_operations
from bench.protocols import Kit
from bench.replies import JsonNode, strip_label
from bench.types import Role

__all__ = ["INSIGHTS_HEADING", "list_shown", "read_id", "read_operations", "render_insights", "revise"]

INSIGHTS_HEADING = "# Insights so far"
_FORMAT, _FULL = (
    part.strip() for part in Path(__file__).with_name("insight_calls.txt").read_text(encoding="utf-8").split("\n---\n")
)
_LINE = re.compile(r"(?m)^#(?P<id>\d+) (?P<text>.+) \(count \d+\)$")
_LAST_ID = 10**9


def revise(pool: InsightPool, kit: Kit, task: str, shown: str, tasks: Sequence[str]) -> None:
    """Ask for operations once and apply them. A reply without JSON is asked for once more, then counted.

    ``task`` says what to look for, ``shown`` is what to look at, ``tasks`` are the tasks it comes from. Role insight.
    """
    system = "\n\n".join([task, _FORMAT, *([_FULL] if pool.is_full else [])])
    request = f"{shown}\n\n{INSIGHTS_HEADING}\n{render_insights(pool)}"
    refused: Counter[Rejection] = Counter()
    found = ask_json(kit, Role.INSIGHT, system, request, partial(read_operations, refused=refused)).value
    if found is None:
        found, refused = (), Counter({Rejection.NO_JSON: 1})
    pool.apply(found, tasks, refused)


def render_insights(pool: InsightPool) -> str:
    """Return the insights with their ids and counts, a line each; a ``#`` tells an id from the number of a step."""
    lines = (f"#{one.id} {one.text} (count {one.count})" for one in pool.insights)
    return "\n".join(lines) or "(none)"


def list_shown(text: str) -> dict[int, str]:
    """Return the insights that a text shows as ``render_insights`` does, by id, in order."""
    return {int(line["id"]): line["text"] for line in _LINE.finditer(text)}


def read_operations(reply: JsonNode, refused: Counter[Rejection]) -> tuple[Operation, ...]:
    """Return the operations of a reply, which may be a bare list or one of them; an entry that is none is counted.

    Raises: ReplyError for JSON without operations.
    """
    return list_operations(reply, _read_operation, refused, Rejection.NOT_AN_OPERATION)


def _read_operation(entry: JsonNode) -> Operation:
    kind = Kind(entry["op"].choice([*Kind]))
    number = 0 if kind is Kind.ADD else read_id(entry["id"])
    text = (
        strip_label(entry["text"].text(), "Insight", "Advice")
        if kind in (Kind.ADD, Kind.EDIT) and "text" in entry
        else ""
    )
    return Operation(kind, number, text)


def read_id(node: JsonNode, last: int = _LAST_ID) -> int:
    """Return the id of an insight, at most ``last``, written 3, "3", "#3" or [3]. Raises: ReplyError."""
    alone = isinstance(node.value, list) and len(node.value) == 1
    return (node.entries()[0] if alone else node).number(0, last)
