"""What a context holds, in the shapes that data sets have: a text, turns, or sessions of turns.

A text has a turn for each line that is not empty. A turn is a text or a record with its text and its speaker
(``role`` and ``content``, ``speaker`` and ``text``, ``from`` and ``value`` and others). A session is a list of turns,
or a record that holds one, with its date. JSON in a text column is read. Knows no question.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from adapters.shared.turn_text import Repair, list_unknown, read_spoken, to_line
from bench.errors import DataError

__all__ = ["Turn", "read_date", "read_turns"]

_TEXTS = ("content", "text", "value", "message", "utterance", "sentences", "sentence", "passage", "paragraph")
_SPEAKERS = ("role", "speaker", "from", "name", "author", "sender", "title")
_IDS = ("id", "dia_id", "turn_id", "uuid")
_DATES = ("date", "session_date", "datetime", "timestamp", "time")
_INNER = ("messages", "turns", "dialogue", "dialog", "conversation", "utterances", "session")
_LONGEST_SPEAKER = 60


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance, or one line of a text. ``ref`` numbers sessions from 1, and turns within one from 1."""

    ref: str
    session: int
    text: str
    speaker: str = ""
    time: str = ""
    names: tuple[str, ...] = ()
    """What the data calls it."""
    marks: frozenset[str] = frozenset()
    """The fields of it that are true."""


@dataclass(frozen=True, slots=True)
class _Session:
    turns: Sequence[Any]
    date: str = ""


def read_turns(value: Any, dates: Any, where: str) -> tuple[list[Turn], list[Repair]]:
    """Return the turns of a context, and what of it is not shown.

    ``dates``: of each session in order, one for all, or None. Raises: DataError.
    """
    sessions = _date(_read_sessions(_parse(value), where), _parse(dates), where)
    turns: list[Turn] = []
    repairs: list[Repair] = []
    for number, session in enumerate(sessions, start=1):
        for index, entry in enumerate(session.turns, start=1):
            turn, hidden = _read_turn(entry, f"D{number}:{index}", number, session.date)
            repairs += [Repair("hidden", f"{where} turn {turn.ref}", what, "") for what in hidden]
            turns += [turn] if turn.text else []
    if not turns:
        raise DataError(f"qa: expected {where} to have a context with text, got none; mend the data, or name another")
    return turns, repairs


def read_date(value: Any) -> str:
    """Return a date as it is shown; of a moment the day."""
    if isinstance(value, datetime):
        value = value.date()
    return value.isoformat() if isinstance(value, date) else to_line("" if value is None else str(value))


def _parse(value: Any) -> Any:
    """Return a value; a text that is a JSON list or record as that."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _read_sessions(value: Any, where: str) -> list[_Session]:
    if value is None or isinstance(value, str):
        return [_Session([line for line in (value or "").splitlines() if line.strip()])]
    if isinstance(value, Mapping):
        return _read_sessions([value] if _find_inner(value) else _transpose(value), where)
    if not isinstance(value, list):
        raise DataError(f"qa: expected {where} context to be text, turns or sessions, got {type(value).__name__}")
    held = [one for one in value if one is not None]
    if held and all(isinstance(one, list) for one in held):
        return [_Session(one) for one in held]
    if held and all(isinstance(one, Mapping) and _find_inner(one) for one in held):
        return [_Session(one[_find_inner(one)], read_date(_first(one, _DATES)[1])) for one in held]
    return [_Session([_transpose(one)[0] if _is_columnar(one) else one for one in held])]


def _find_inner(record: Mapping[str, Any]) -> str:
    """Return the field that holds the turns of a session; empty if none does."""
    return next((name for name in _INNER if isinstance(record.get(name), list)), "")


def _is_columnar(value: Any) -> bool:
    """True for a record of one-element lists, as older data sets keep a list of records."""
    return isinstance(value, Mapping) and bool(value) and all(isinstance(one, list) for one in value.values())


def _transpose(record: Mapping[str, Any]) -> list[Any]:
    """Return the records of a record of lists of one length; any other record as the one it is."""
    lists = list(record.values())
    if not lists or not all(isinstance(one, list) and len(one) == len(lists[0]) for one in lists):
        return [record]
    return [dict(zip(record, parts, strict=True)) for parts in zip(*lists, strict=True)]


def _date(sessions: list[_Session], dates: Any, where: str) -> list[_Session]:
    if dates is None:
        return sessions
    if not isinstance(dates, list):
        return [_Session(one.turns, read_date(dates)) for one in sessions]
    if len(dates) != len(sessions):
        raise DataError(f"qa: expected {where} to have {len(sessions)} dates, one a session, got {len(dates)}")
    return [_Session(one.turns, read_date(day)) for one, day in zip(sessions, dates, strict=True)]


def _read_turn(entry: Any, ref: str, session: int, day: str) -> tuple[Turn, tuple[str, ...]]:
    if not isinstance(entry, Mapping):
        spoken = read_spoken(entry)
        return Turn(ref, session, spoken.text, time=day), spoken.hidden
    text_field, text = _first(entry, _TEXTS)
    spoken = read_spoken(text)
    speaker_field, speaker = _first(entry, _SPEAKERS)
    name = to_line(str(speaker or ""))[:_LONGEST_SPEAKER]
    date_field, said_on = _first(entry, _DATES)
    ids = tuple(str(entry[one]) for one in _IDS if entry.get(one) not in (None, ""))
    marks = frozenset(field for field, held in entry.items() if held is True)
    known = {
        text_field,
        speaker_field,
        date_field,
        *_IDS,
        *(one for one, held in entry.items() if held in (True, False)),
    }
    turn = Turn(ref, session, spoken.text, name[:1].upper() + name[1:], read_date(said_on) or day, ids, marks)
    return turn, (*spoken.hidden, *list_unknown(entry, known))


def _first(record: Mapping[str, Any], names: Sequence[str]) -> tuple[str, Any]:
    """Return the first field of those names that holds something, with its value."""
    return next(((name, record[name]) for name in names if record.get(name) not in (None, "", [])), ("", None))
