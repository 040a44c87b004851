"""Every reply to a strategy's prompts that was written by hand, as a chat model would, reads as what was meant by it.

``hand_made/calls.jsonl`` holds prompts and replies of one round over all strategies with prompts of their own:
households and a bar (procedural and generated tasks), a generated conversation, and learning from attempts; and calls
of tools (``s...``; generated products). Each prompt was answered by itself. ``meaning``: what was meant, looked through
by eye, and held against a strict reader where it is JSON.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bench.replies import read_thought
from bench.types import ThoughtRule
from tests.replies.test_recorded import read_as

_FOLDER = Path(__file__).parent / "hand_made"
CALLS = [json.loads(line) for line in (_FOLDER / "calls.jsonl").read_text(encoding="utf-8").splitlines()]
SYSTEMS: dict[str, str] = json.loads((_FOLDER / "systems.json").read_text(encoding="utf-8"))


def read_call(call: dict[str, Any]) -> dict[str, Any]:
    if call["kind"] == "thought":
        found = read_thought(call["reply"], "Action:", ThoughtRule())
        return {"value": found.value if found else ""}
    return read_as(call["kind"], call["reply"])


@pytest.mark.parametrize("call", CALLS, ids=[f"{call['id']}-{call['kind']}" for call in CALLS])
def test_hand_made_reply_reads_as_meant(call: dict[str, Any]) -> None:
    assert read_call(call) == call["meaning"]


def test_no_hand_made_reply_is_lost() -> None:
    assert [call["id"] for call in CALLS if not call["meaning"].get("value")] == []


def test_hand_made_calls_cover_every_kind_of_prompt() -> None:
    kinds = Counter(call["kind"] for call in CALLS)
    assert sum(kinds.values()) > 400
    assert min(kinds[kind] for kind in ("action", "answer", "json", "command", "text")) >= 20
    grammars = Counter(name for call in CALLS for name, _ in call["meaning"].get("calls", ()))
    assert set(grammars) >= {"branch", "return", "checkpoint"}
    assert {call["system"] for call in CALLS} == set(SYSTEMS)
