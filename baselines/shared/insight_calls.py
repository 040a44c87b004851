"""Asking a model to revise an insight pool: the format of its operations, how they are read, and one more try.

What the model is shown is up to the caller. Knows no suite.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from baselines.shared.insights import InsightPool, Kind, Operation, Rejection
from bench.protocols import Kit
from bench.replies import JsonNode, ReplyError, read_json
from bench.types import Message, Role

__all__ = ["INSIGHTS_HEADING", "read_operations", "render_insights", "revise"]

INSIGHTS_HEADING = "# Insights so far"
_FORMAT, _FULL = (
    part.strip() for part in Path(__file__).with_name("insight_calls.txt").read_text(encoding="utf-8").split("\n---\n")
)
_REPLY_TOKENS = 1024
_MOST_CHARACTERS = 4000
"""How much of an unreadable reply is shown when the model is asked again."""
_LAST_ID = 10**9


def revise(pool: InsightPool, kit: Kit, task: str, shown: str, tasks: Sequence[str]) -> None:
    """Ask for operations once and apply them. A reply without JSON is asked for once more, then counted.

    ``task`` says what to look for, ``shown`` is what to look at, ``tasks`` are the tasks it comes from. Role insight.
    """
    system = "\n\n".join([task, _FORMAT, *([_FULL] if pool.is_full else [])])
    request = f"{shown}\n\n{INSIGHTS_HEADING}\n{render_insights(pool)}"
    messages: tuple[Message, ...] = (Message("system", system), Message("user", request))
    refused: Counter[Rejection] = Counter()
    for _ in range(2):
        reply = kit.model.chat(messages, role=Role.INSIGHT, max_tokens=_REPLY_TOKENS).text
        try:
            operations = read_operations(reply, refused)
        except ReplyError as fault:
            again = f"That reply cannot be used: {fault}. Reply again with the one JSON object and nothing else."
            messages = (*messages, Message("assistant", reply[:_MOST_CHARACTERS]), Message("user", again))
        else:
            pool.apply(operations, tasks, refused)
            return
    pool.apply((), tasks, {Rejection.NO_JSON: 1})


def render_insights(pool: InsightPool) -> str:
    """Return the insights with their ids and counts, a line each."""
    lines = (f"[{one.id}] {one.text} (count {one.count})" for one in pool.insights)
    return "\n".join(lines) or "(none)"


def read_operations(text: str, refused: Counter[Rejection]) -> tuple[Operation, ...]:
    """Return the operations of a reply, which may be a bare list or one of them; an entry that is none is counted.

    Raises: ReplyError if there is no JSON with operations.
    """
    reply = read_json(text, arrays=True)
    if isinstance(reply.value, dict) and "op" in reply:
        entries: Sequence[JsonNode] = (reply,)
    else:
        entries = reply.entries() if isinstance(reply.value, list) else reply["operations"].entries()
    found: list[Operation] = []
    for entry in entries:
        try:
            found.append(_read_operation(entry))
        except ReplyError:
            refused[Rejection.NOT_AN_OPERATION] += 1
    return tuple(found)


def _read_operation(entry: JsonNode) -> Operation:
    kind = Kind(entry["op"].choice([*Kind]))
    number = 0 if kind is Kind.ADD else entry["id"].number(0, _LAST_ID)
    text = entry["text"].text() if kind in (Kind.ADD, Kind.EDIT) and "text" in entry else ""
    return Operation(kind, number, text)
