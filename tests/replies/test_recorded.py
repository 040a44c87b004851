"""Every reply that a strong chat model wrote into the queue endpoint reads as what was meant by it."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from bench.replies import (
    read_action,
    read_answer,
    read_calls,
    read_commands,
    read_json,
    read_lines,
    read_tag,
    read_text,
)

LABELS = [json.loads(line) for line in (Path(__file__).parent / "recorded_labels.jsonl").read_text().splitlines()]
"""By hand: id, kind and what was meant; ``sha256:`` stands for a text or value that is too long to repeat."""
CALLS = ("branch", "return", "checkpoint", "retrieve", "read")
COMMANDS = ("grep", "read", "list", "done", "open", "find", "turns", "sessions", "fact", "rule", "drop", "none")
SHORTEST_DIGEST = 80


@pytest.fixture(scope="module")
def replies() -> dict[int, str]:
    root = os.environ.get("BENCH_DATA", "")
    path = Path(root) / ".." / "recorded" / "chat_replies.jsonl"
    if not root or not path.is_file():
        pytest.skip("needs the recorded replies: $BENCH_DATA/../recorded/chat_replies.jsonl is not there")
    return {row["id"]: row["reply"] for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())}


def digest(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def shorten(text: str) -> str:
    return text if len(text) <= SHORTEST_DIGEST else digest(text)


def read_turn(text: str) -> dict[str, Any]:
    """Read a reply as every dialect at once: what is not in it must not be found in it."""
    tag = read_tag(text, "summary")
    lines = read_lines(tag.rest, {"subgoal": ("sub-goal",)})
    calls = read_calls(lines.rest, CALLS)
    found: dict[str, Any] = {"value": read_action(calls.rest).value}
    found |= {"summary": shorten(tag.text)} if tag.text is not None else {}
    found |= {"subgoal": lines["subgoal"]} if lines["subgoal"] else {}
    found |= {"calls": [[call.name, shorten(call.text)] for call in calls.calls]} if calls.calls else {}
    return found


def read_as(kind: str, text: str) -> dict[str, Any]:
    if kind == "action":
        return read_turn(text)
    if kind == "answer":
        return {"value": read_answer(text).value}
    if kind == "json":
        value = read_json(text, arrays=True).value
        return {"value": digest(value), "holds": sorted(value) if isinstance(value, dict) else len(value)}
    if kind == "command":
        commands = [[command.name, command.text] for command in read_commands(text, COMMANDS)]
        return {"value": commands} if len(commands) < 5 else {"value": digest(commands), "holds": len(commands)}
    return {"value": shorten(read_text(text).value)}


@pytest.mark.parametrize("label", LABELS, ids=[f"{label['id']}-{label['kind']}" for label in LABELS])
def test_recorded_reply_reads_as_meant(label: dict[str, Any], replies: dict[int, str]) -> None:
    expected = {name: value for name, value in label.items() if name not in ("id", "kind")}
    assert read_as(label["kind"], replies[label["id"]]) == expected


def test_every_recorded_reply_has_a_label(replies: dict[int, str]) -> None:
    assert sorted(replies) == sorted(label["id"] for label in LABELS)
