"""Loads one LongMemEval row into frozen records: turns in order of time, the question and its reference answer.

Turns get neutral refs, because the file's session ids and turn marks give the evidence away (its session ids contain
the word ``answer``). An instance whose turns have no marks at all has the turns of its ``answer_session_ids`` as
evidence. Each repair has a switch; with ``integers`` or ``empty`` off, an instance that needs the repair is a data
error. No instance is lost for what else a turn holds: all that can be read is shown, and the rest is listed among the
repairs (kinds ``hidden``, ``speaker``), as is a ``weekday`` that contradicts its date. Knows no score and no prompt.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from adapters.longmemeval.data import MEND
from adapters.longmemeval.instance import ABSTAINS, KINDS, Instance, Label, Repairs, Turn, read_label
from adapters.longmemeval.reading import Fields
from adapters.shared.turn_text import UNKNOWN_SPEAKER, Repair, list_unknown, read_spoken, to_line
from bench.errors import DataError

__all__ = ["load"]

_SPEAKERS = {"user": "User", "assistant": "Assistant"}
_DATE = re.compile(r"(\d{4}/\d\d/\d\d \([A-Z][a-z]{2}\)) (\d\d:\d\d)")
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MARK = "has_answer"
_LISTS = ("haystack_sessions", "haystack_dates", "haystack_session_ids")


_FIELDS = ("role", "content", _MARK)
"""What a turn of the released files has."""


def load(fields: Fields, where: str, repairs: Repairs | None = None) -> Instance:
    """Return one instance; ``where`` is its file and its position, for errors.

    Raises: DataError naming the file, the instance and the field.
    """
    if isinstance(fields, str):
        raise DataError(f"longmemeval: expected {where} to be readable, got {fields}; {MEND}")
    return _Loader(fields, f"{where} {read_label(fields).name}", repairs or Repairs()).load()


@dataclass(frozen=True, slots=True)
class _Session:
    """One session as the file has it; ``place`` is its index in the file, ``name`` its id there."""

    place: int
    name: object
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
        question = to_line(self._load_text(self._fields, "question", "question"))
        reference_answer = self._load_answer()
        day, clock = self._load_date(self._fields.get("question_date"), "question_date")
        sessions = self._load_sessions()
        turns, evidence = self._load_turns(sessions)
        if not turns:
            raise self._error("haystack_sessions", "a history with turns", "none")
        label = Label(name, kind, abstains=ABSTAINS in name)
        by_session = not label.abstains and not any(_is_marked(turn) for one in sessions for turn in one.turns)
        if by_session:
            named = self._fields.get("answer_session_ids")
            needed = {number for number, one in enumerate(sessions, start=1) if one.name in _list_texts(named)}
            evidence = [turn.ref for turn in turns if turn.session in needed]
            self._repair("evidence", "answer_session_ids", named, f"{len(evidence)} turns")
        return Instance(
            label, question, reference_answer, day, clock, tuple(turns), () if label.abstains else tuple(evidence),
            tuple(self._repairs), self._fields["answer"], by_session and bool(evidence),
        )  # fmt: skip

    def _error(self, field: str, expected: str, got: object) -> DataError:
        got_text = repr(got)
        got_text = got_text if len(got_text) <= 80 else f"{got_text[:77]}..."
        return DataError(f"longmemeval: expected {self._where} {field} to be {expected}, got {got_text}; {MEND}")

    def _repair(self, kind: str, field: str, was: object, now: object) -> None:
        """Record a repair. Raises: DataError if it has a switch that is off."""
        if not getattr(self._switches, kind, True):
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
        if isinstance(reference_answer, float) and not math.isfinite(reference_answer):
            raise self._error("answer", "a text or a number", reference_answer)
        if isinstance(reference_answer, int | float) and not isinstance(reference_answer, bool):
            self._repair("integers", "answer", reference_answer, str(reference_answer))
            return str(reference_answer)
        return to_line(self._load_text(self._fields, "answer", "answer"))

    def _load_date(self, value: object, field: str) -> tuple[str, str]:
        found = _DATE.fullmatch(value.strip()) if isinstance(value, str) else None
        try:
            if found:
                weekday = _WEEKDAYS[datetime.strptime(f"{found[1][:10]} {found[2]}", "%Y/%m/%d %H:%M").weekday()]
                if weekday != found[1][12:15]:
                    self._repair("weekday", field, f"{found[1]}, a {weekday}", "")
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
            sessions.append(_Session(place, name, day, clock, turns))
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
                spoken = read_spoken(entry.get("content"))
                for what in (*spoken.hidden, *list_unknown(entry, _FIELDS)):
                    self._repair("hidden", field, what, "")
                if not spoken.text:
                    self._repair("empty", f"{field}.content", entry.get("content") or "", "left out")
                    continue
                speaker = self._load_speaker(entry.get("role"), f"{field}.role")
                ref = f"D{number}:{index + 1}"
                turns.append(Turn(ref, number, session.day, session.clock, speaker, spoken.text))
                marked += [ref] if entry.get(_MARK) is True else []
        return turns, marked

    def _load_speaker(self, role: object, field: str) -> str:
        if isinstance(role, str) and role in _SPEAKERS:
            return _SPEAKERS[role]
        named = read_spoken(role).text if isinstance(role, str) else ""
        speaker = named.capitalize() or UNKNOWN_SPEAKER
        self._repair("speaker", field, role, speaker)
        return speaker


def _is_marked(turn: object) -> bool:
    """True if the file says of a turn whether it holds the answer."""
    return isinstance(turn, dict) and isinstance(turn.get(_MARK), bool)


def _list_texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
