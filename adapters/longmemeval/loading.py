"""Loads one LongMemEval row into frozen records: turns in order of time, the question and its reference answer.

Turns get neutral refs, because the file's session ids and turn marks give the evidence away (its session ids contain
the word ``answer``). Each repair has a switch; with ``integers`` or ``empty`` off, an instance that needs the repair is
a data error. Knows no score and no prompt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from adapters.longmemeval.data import FETCH
from adapters.longmemeval.reading import Fields
from bench.errors import DataError

__all__ = ["KINDS", "REPAIRS", "UNREADABLE", "Instance", "Label", "Repair", "Repairs", "Turn", "load", "read_label"]

KINDS = (
    "single-session-user",
    "single-session-assistant",
    "single-session-preference",
    "multi-session",
    "temporal-reasoning",
    "knowledge-update",
)
UNREADABLE = "unreadable"
_ABSTAINS = "_abs"
_SPEAKERS = {"user": "User", "assistant": "Assistant"}
_DATE = re.compile(r"(\d{4}/\d\d/\d\d \([A-Z][a-z]{2}\)) (\d\d:\d\d)")
_LISTS = ("haystack_sessions", "haystack_dates", "haystack_session_ids")


@dataclass(frozen=True, slots=True)
class Repairs:
    """Which repairs are made."""

    integers: bool = True
    empty: bool = True
    order: bool = True
    repeats: bool = False


REPAIRS = {
    "integers": "take an integer answer as text",
    "empty": "leave out a turn without text",
    "order": "sort sessions by date and clock; off leaves the order of the file",
    "repeats": "leave out a session whose id occurs earlier in the history",
}


@dataclass(frozen=True, slots=True)
class Repair:
    """One repair: its kind, its place in the file, the old value and the new one."""

    kind: str
    where: str
    was: str
    now: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance, in one line. ``ref`` numbers sessions in the order of time and turns as in the file."""

    ref: str
    session: int
    day: str
    clock: str
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Label:
    """Name and type of an instance, read without its history."""

    name: str
    kind: str
    """A question type, or ``unreadable``."""
    abstains: bool
    """True if the right answer is a refusal."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One history and the question about it, after repairs."""

    label: Label
    question: str
    reference_answer: str
    day: str
    clock: str
    """Day and clock of the question."""
    turns: tuple[Turn, ...]
    evidence: tuple[str, ...]
    repairs: tuple[Repair, ...]


def read_label(fields: Fields) -> Label:
    """Return the label of any row; errors are reported when the row is loaded."""
    if isinstance(fields, str):
        return Label(UNREADABLE, UNREADABLE, abstains=False)
    name, kind = fields.get("question_id"), fields.get("question_type")
    if not isinstance(name, str) or not name:
        return Label(UNREADABLE, UNREADABLE, abstains=False)
    return Label(name, kind if kind in KINDS else UNREADABLE, abstains=_ABSTAINS in name)


def load(fields: Fields, where: str, repairs: Repairs | None = None) -> Instance:
    """Return one instance; ``where`` is its file and its position, for errors.

    Raises: DataError naming the file, the instance and the field.
    """
    if isinstance(fields, str):
        raise DataError(f"longmemeval: expected {where} to be readable, got {fields}; {FETCH}")
    return _Loader(fields, f"{where} {read_label(fields).name}", repairs or Repairs()).load()


@dataclass(frozen=True, slots=True)
class _Session:
    """One session as the file has it; ``place`` is its index in the file."""

    place: int
    day: str
    clock: str
    turns: list[Any]


class _Loader:
    """Loads one instance and records its repairs."""

    def __init__(self, fields: dict[str, Any], where: str, repairs: Repairs):
        self._fields, self._where, self._switches = fields, where, repairs
        self._repairs: list[Repair] = []

    def load(self) -> Instance:
        name = self._load_text(self._fields, "question_id", "question_id")
        kind = self._load_text(self._fields, "question_type", "question_type")
        if kind not in KINDS:
            raise self._error("question_type", f"one of {', '.join(KINDS)}", kind)
        question = _to_line(self._load_text(self._fields, "question", "question"))
        reference_answer = self._load_answer()
        day, clock = self._load_date(self._fields.get("question_date"), "question_date")
        turns, marked = self._load_turns(self._load_sessions())
        if not turns:
            raise self._error("haystack_sessions", "a history with turns", "none")
        label = Label(name, kind, abstains=_ABSTAINS in name)
        evidence = () if label.abstains else tuple(marked)
        return Instance(label, question, reference_answer, day, clock, tuple(turns), evidence, tuple(self._repairs))

    def _error(self, field: str, expected: str, got: object) -> DataError:
        got_text = repr(got)
        got_text = got_text if len(got_text) <= 80 else f"{got_text[:77]}..."
        return DataError(f"longmemeval: expected {self._where} {field} to be {expected}, got {got_text}; {FETCH}")

    def _repair(self, kind: str, field: str, was: object, now: object) -> None:
        """Record a repair. Raises: DataError if its switch is off."""
        if not getattr(self._switches, kind):
            raise self._error(field, f"sound (repair {kind} is off)", was)
        self._repairs.append(Repair(kind, f"{self._where} {field}", str(was), str(now)))

    def _load_text(self, fields: dict[str, Any], name: str, field: str) -> str:
        value = fields.get(name)
        if not isinstance(value, str) or not value.strip():
            raise self._error(field, "text that is not empty", value)
        return self._check_unicode(value, field)

    def _check_unicode(self, text: str, field: str) -> str:
        try:
            text.encode()
        except UnicodeEncodeError as cause:
            raise self._error(field, "valid Unicode", text) from cause
        return text

    def _load_answer(self) -> str:
        reference_answer = self._fields.get("answer")
        if isinstance(reference_answer, int | float) and not isinstance(reference_answer, bool):
            self._repair("integers", "answer", reference_answer, str(reference_answer))
            return str(reference_answer)
        return _to_line(self._load_text(self._fields, "answer", "answer"))

    def _load_date(self, value: object, field: str) -> tuple[str, str]:
        found = _DATE.fullmatch(value.strip()) if isinstance(value, str) else None
        try:
            if found and datetime.strptime(f"{found[1][:10]} {found[2]}", "%Y/%m/%d %H:%M"):
                return found[1], found[2]
        except ValueError:
            pass
        raise self._error(field, "a date like '2023/05/30 (Tue) 23:40'", value)

    def _load_sessions(self) -> list[_Session]:
        """Return the sessions in order of time; sessions of the same minute keep the order of the file."""
        lists = [self._fields.get(name) for name in _LISTS]
        for name, value in zip(_LISTS, lists, strict=True):
            if not isinstance(value, list) or not value:
                raise self._error(name, "a list that is not empty", value)
            if len(value) != len(lists[0] or ()):
                raise self._error(name, f"as long as haystack_sessions ({len(lists[0] or ())})", len(value))
        turn_lists, dates, ids = (value or [] for value in lists)
        sessions, seen = [], []
        for place, (turns, date, name) in enumerate(zip(turn_lists, dates, ids, strict=True)):
            day, clock = self._load_date(date, f"haystack_dates[{place}]")
            if not isinstance(turns, list):
                raise self._error(f"haystack_sessions[{place}]", "a list of turns", turns)
            if name in seen and self._switches.repeats:
                self._repair("repeats", f"haystack_sessions[{place}]", day, "left out")
                continue
            seen.append(name)
            sessions.append(_Session(place, day, clock, turns))
        return self._sort_sessions(sessions)

    def _sort_sessions(self, sessions: list[_Session]) -> list[_Session]:
        by_time = sorted(sessions, key=lambda one: (one.day[:10], one.clock))
        if by_time == sessions or not self._switches.order:
            return sessions
        was, now = (" ".join(str(one.place) for one in order) for order in (sessions, by_time))
        self._repair("order", "haystack_sessions", was, now)
        return by_time

    def _load_turns(self, sessions: list[_Session]) -> tuple[list[Turn], list[str]]:
        """Return all turns, and the refs of those that the file marks as evidence."""
        turns, marked = [], []
        for number, session in enumerate(sessions, start=1):
            for index, entry in enumerate(session.turns):
                field = f"haystack_sessions[{session.place}][{index}]"
                if not isinstance(entry, dict):
                    raise self._error(field, "a turn", entry)
                if (speaker := _SPEAKERS.get(str(entry.get("role")))) is None:
                    raise self._error(f"{field}.role", "user or assistant", entry.get("role"))
                content = entry.get("content")
                if not isinstance(content, str):
                    raise self._error(f"{field}.content", "text", content)
                if not (text := _to_line(self._check_unicode(content, f"{field}.content"))):
                    self._repair("empty", f"{field}.content", "", "left out")
                    continue
                ref = f"D{number}:{index + 1}"
                turns.append(Turn(ref, number, session.day, session.clock, speaker, text))
                marked += [ref] if entry.get("has_answer") is True else []
        return turns, marked


def _to_line(text: str) -> str:
    """Return the text as one line: a turn is one line of a prompt."""
    return " ".join(text.split())
