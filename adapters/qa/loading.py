"""Loads the rows about one context into frozen records: its turns, and the questions with their accepted answers.

What of a turn is not shown is listed among the repairs. Knows no score and no prompt.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adapters.qa.context import Turn, read_date, read_turns
from adapters.qa.mapping import MARK, Columns, read_value
from adapters.shared.turn_text import Repair, read_spoken, to_line
from bench.errors import DataError

__all__ = ["NO_ANSWER", "Asked", "LoadedConversation", "load", "simplify"]

NO_ANSWER = "unanswerable"
_GROUP = "question"
_PARTS = ("question", "answer", "id", "group", "date", "evidence")
_SHOWN_CHARS = 60
_BOOLEANS = {True: ("yes", "true"), False: ("no", "false")}


@dataclass(frozen=True, slots=True)
class Asked:
    """One question. ``accepted`` are the answers that are each right; empty = it has none."""

    id: str
    text: str
    accepted: tuple[str, ...]
    group: str
    time: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LoadedConversation:
    """One context and all questions about it."""

    turns: tuple[Turn, ...]
    questions: tuple[Asked, ...]
    repairs: tuple[Repair, ...]


def simplify(value: Any) -> Any:
    """Return a value as JSON can hold it, alike whatever kind of file it came from."""
    if isinstance(value, Mapping):
        return {str(name): simplify(held) for name, held in value.items() if held is not None}
    if isinstance(value, list | tuple):
        return [simplify(one) for one in value]
    return value if value is None or isinstance(value, str | int | float | bool) else read_date(value)


def load(rows: Sequence[Mapping[str, Any]], columns: Columns, name: str) -> LoadedConversation:
    """Return the conversation of rows that belong together; ``name`` is that of the task. Raises: DataError."""
    contexts = [value for row in rows if (value := read_value(row, columns.context)) not in (None, "", [], {})]
    distinct = {json.dumps(simplify(value), sort_keys=True): value for value in contexts}
    if len(distinct) != 1:
        raise DataError(
            f"qa: expected the rows of {name} to have one context, got {len(distinct)}; give conversation= a column "
            "whose rows share their context, or leave it out"
        )
    dates = next((value for row in rows if columns.dates and (value := read_value(row, columns.dates))), None)
    turns, repairs = read_turns(next(iter(distinct.values())), dates, name)
    places = _Places(turns)
    asked: list[Asked] = []
    mark = columns.evidence.removeprefix(MARK) if columns.evidence.startswith(MARK) else ""
    for row in rows:
        for part in _split_row(row, columns, name):
            evidence = places.find(part.get("evidence"), mark)
            own_id = f"{name}/{len(asked):04d}"
            asked.append(_read_question(part, own_id, evidence, lacks=columns.lacks_answer(row)))
    if not asked:
        raise DataError(f"qa: expected a question about {name}, got none; mend the data, or name another column")
    return LoadedConversation(tuple(turns), tuple(asked), tuple(repairs))


def _split_row(row: Mapping[str, Any], columns: Columns, where: str) -> list[dict[str, Any]]:
    """Return the parts of each question of a row: of one, or of several in a list column. Raises: DataError."""
    parts = {name: read_value(row, column) for name, column in columns.named() if name in _PARTS}
    questions = parts["question"]
    if not isinstance(questions, list):
        return [parts]
    spread = {}
    for name, value in parts.items():
        if not isinstance(value, list) and name != "answer":
            value = [value] * len(questions)
        if not isinstance(value, list) or len(value) != len(questions):
            got = len(value) if isinstance(value, list) else repr(value)[:_SHOWN_CHARS]
            raise DataError(f"qa: expected {where} to have {len(questions)} of {name}, one a question, got {got}")
        spread[name] = value
    return [{name: values[at] for name, values in spread.items()} for at in range(len(questions))]


def _read_question(part: Mapping[str, Any], own_id: str, evidence: tuple[str, ...], *, lacks: bool) -> Asked:
    """Return one question; its id ends in the one that the data gives, behind its number. Raises: DataError."""
    text = read_spoken(part["question"]).text
    if not text:
        raise DataError(f"qa: expected {own_id} to have a question that is not empty, got {part['question']!r}")
    accepted = () if lacks else _read_answers(part["answer"], own_id)
    group = to_line(str(part.get("group") or "")) or (_GROUP if accepted else NO_ANSWER)
    name = to_line(str(part["id"])) if part.get("id") is not None else ""
    return Asked(
        f"{own_id}-{name}" if name else own_id,
        text,
        accepted,
        group,
        read_date(part.get("date")),
        evidence if accepted else (),
    )


def _read_answers(value: Any, where: str) -> tuple[str, ...]:
    """Return the accepted answers, each once; none for a question that has no answer. Raises: DataError."""
    found: dict[str, None] = {}
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, Mapping | list):
            there = f"a record with {', '.join(map(str, one))}" if isinstance(one, Mapping) else "a list in a list"
            raise DataError(f"qa: expected {where} to have a text or a list of texts as answer, got {there}")
        texts = _BOOLEANS[one] if isinstance(one, bool) else (read_spoken(one).text,)
        found |= dict.fromkeys(text for text in texts if text)
    return tuple(found)


class _Places:
    """Finds the turns that the data names as evidence."""

    def __init__(self, turns: Sequence[Turn]):
        self._turns = turns
        self._named = {name: turn.ref for turn in reversed(turns) for name in (turn.ref, *turn.names)}

    def find(self, value: Any, field: str) -> tuple[str, ...]:
        """Return the refs of the turns that a value names, or of those in which ``field`` is true; in their order."""
        if field:
            return tuple(turn.ref for turn in self._turns if field in turn.marks)
        values = value if isinstance(value, list) else [value]
        found = {ref for one in values for ref in self._find_one(one)}
        return tuple(turn.ref for turn in self._turns if turn.ref in found)

    def _find_one(self, value: Any) -> list[str]:
        if isinstance(value, int) and not isinstance(value, bool):
            return [self._turns[value].ref] if 0 <= value < len(self._turns) else []
        text = read_spoken(value).text
        if not text or text in self._named:
            return [self._named[text]] if text else []
        return [turn.ref for turn in self._turns if text in turn.text or turn.text in text]
