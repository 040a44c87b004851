"""Replies that give the action or answer as a field of JSON, such as a tool call."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from bench.replies.json_scan import find_json

__all__ = ["find_field"]

_FIELDS = {
    "action": ("action", "next_action", "final_action", "command", "move"),
    "answer": ("answer", "final_answer", "short_answer", "response", "result"),
}
_ARGUMENTS = ("arguments", "args", "parameters", "params", "input", "function", "tool_call")
"""What a call to a tool holds its fields in, as an object or as JSON in a text."""
_DEEPEST = 4
_LIST_BEFORE = re.compile(r"(?:^|[:\uff1a])[\s*_`]*(?:json\s)?$")


def find_field(text: str, name: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the texts of the first field of JSON that is called as the label, and what was forgiven."""
    fields = _FIELDS.get(name.lower(), (name.lower().replace(" ", "_"),))
    for start, loose in find_json(text, cut=True):
        entries = loose.value if isinstance(loose.value, list) else [loose.value]
        objects = (_find(entry, fields, _DEEPEST) for entry in entries if isinstance(entry, dict))
        found = next(filter(None, objects), ())
        if not found and name == "answer" and _LIST_BEFORE.search(text[max(0, start - 20) : start]):
            found = _to_texts(loose.value)
        if found:
            return found, ("json", *loose.faults)
    return None


def _find(value: Mapping[str, Any], fields: tuple[str, ...], depth: int) -> tuple[str, ...]:
    """Return the texts of the first of the fields; of a call's arguments, also of the only one."""
    lowered = {key.strip().lower().replace(" ", "_").replace("-", "_"): field for key, field in value.items()}
    for name in fields:
        if found := _to_texts(lowered.get(name)):
            return found
    for name in (*fields, *_ARGUMENTS):
        inner = lowered.get(name)
        if isinstance(inner, str) and name in _ARGUMENTS and "{" in inner:
            inner = next((loose.value for _, loose in find_json(inner)), None)
        if isinstance(inner, dict) and depth and (found := _find(inner, fields, depth - 1)):
            return found
        if isinstance(inner, dict) and name in _ARGUMENTS and len(inner) == 1:
            return _to_texts(next(iter(inner.values())))
    return ()


def _to_texts(value: Any) -> tuple[str, ...]:
    entries = value if isinstance(value, list) else [value]
    if not all(isinstance(entry, str | int | float) for entry in entries):
        return ()
    return tuple(text for entry in entries if (text := entry if isinstance(entry, str) else json.dumps(entry)).strip())
