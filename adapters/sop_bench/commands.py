"""From an action's text to a command: a name and its arguments, however a chat model writes a call.

``name(key="value", ...)`` is the form that the instructions show; ``name {"key": "value"}``, ``name key=value``,
``name(P_00000, "text")`` and the tags of the released procedure's output mean the same. Knows no product and no score.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from adapters.sop_bench.products import CLASSES

__all__ = ["ANSWER", "Command", "read_class", "read_command"]

ANSWER = "answer"
_NAME = re.compile(r"(?:(?:call|use|run)\s+)?`?(?P<name>[A-Za-z_]\w*)`?\s*(?P<rest>.*)", re.DOTALL)
_QUOTED = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'"
_KEY = r"[\"']?(?P<key>[A-Za-z_]\w*)[\"']?\s*[=:]\s*"
_PAIR = re.compile(rf"{_KEY}(?P<value>{_QUOTED}|[^\s,;(){{}}\"'](?:(?!\s+[A-Za-z_]\w*\s*[=:])[^,;(){{}}\"'])*)")
"""A value without quotes ends at a comma, or where the next name begins."""
_PLAIN = re.compile(rf"\s*(?P<value>{_QUOTED}|[^,]+)\s*(?:,|$)")
_TAG = re.compile(r"<(?P<key>\w+)>\s*(?P<value>[^<]*?)\s*</(?P=key)>")
_LETTER = re.compile(r"(?:(?:hazard )?class )?([abcd])")


@dataclass(frozen=True, slots=True)
class Command:
    """``name`` in small letters; ``values``: arguments without a name, in order."""

    name: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    values: tuple[str, ...] = ()


def read_command(action: str) -> Command | None:
    """Return the command that an action is; None if it begins with no name."""
    text = action.strip()
    if text.startswith("{") and (command := _read_object(text)):
        return command
    found = _NAME.match(text)
    if found is None:
        return None
    name, rest = found["name"].lower(), found["rest"].strip().rstrip(".;")
    if rest.startswith("(") and rest.endswith(")"):
        rest = rest[1:-1].strip()
    if rest.startswith("{") and isinstance(given := _load(rest), dict):
        return Command(name, _to_texts(given))
    arguments = {tag["key"].lower(): tag["value"] for tag in _TAG.finditer(rest)}
    arguments = arguments or {pair["key"].lower(): _unquote(pair["value"]) for pair in _PAIR.finditer(rest)}
    if arguments:
        return Command(name, arguments)
    return Command(name, values=tuple(_unquote(one["value"]) for one in _PLAIN.finditer(rest)) if rest else ())


def read_class(text: str) -> tuple[str, bool]:
    """Return the hazard class that a text is, empty if it is none, and whether only its letter was given."""
    plain = " ".join(text.strip(" .\"'`").lower().split())
    exact = next((name for name in CLASSES if name.lower() == plain), "")
    if exact or not (letter := _LETTER.fullmatch(plain)):
        return exact, False
    return f"Hazard Class {letter[1].upper()}", True


def _read_object(text: str) -> Command | None:
    """Return the command of ``{"tool": name, ...}``, whose arguments may lie in an object of their own."""
    given = _load(text)
    if not isinstance(given, dict):
        return None
    name = next((given.pop(key) for key in ("tool", "name", "command", "action", "function") if key in given), None)
    nested = next((value for value in given.values() if isinstance(value, dict)), given)
    return Command(name.strip().lower(), _to_texts(nested)) if isinstance(name, str) else None


def _load(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _to_texts(given: Mapping[str, object]) -> dict[str, str]:
    return {key.lower(): "" if value is None else str(value) for key, value in given.items()}


def _unquote(text: str) -> str:
    text = text.strip()
    return text[1:-1].strip() if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0] else text
