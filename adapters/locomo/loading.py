"""Loads one raw LoCoMo conversation into frozen records: turns with dates, questions with reference answers, repairs.

Each repair of questions and dates has a switch; with the switch off, a conversation that needs the repair is a data
error. Wrong answers are not changed. No conversation is lost for what one of its turns holds: all that can be read is
shown, and the rest is listed among the repairs (kinds ``empty``, ``speaker``, ``picture``, ``hidden``). Of the released
file's own fields, the address of a picture (``img_url``), the search that found it (``query``) and ``re-download`` are
not shown: a caption stands in their place. Knows no score and no prompt.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from adapters.locomo.data import FILE, MEND, RawConversation, is_text
from adapters.shared.turn_text import UNKNOWN_SPEAKER, Repair, list_unknown, read_spoken, to_line
from bench.errors import DataError

__all__ = ["NO_ANSWER", "REPAIRS", "LoadedConversation", "LocomoQuestion", "Repairs", "Turn", "load"]

NO_ANSWER = "not mentioned"
"""The reference answer of an adversarial question for which the file has none."""
_ID = re.compile(r"D:?(\d+):(\d+)")
_SESSION = re.compile(r"session_(\d+)")
_DATED = re.compile(r"session_(\d+)_date_time")
_DAY = re.compile(r"(?:\d{1,2}:\d\d [ap]m on )?(\d{1,2}) ([A-Z][a-z]+), (\d{4})")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_FIELDS = ("dia_id", "speaker", "text", "blip_caption", "img_url", "query", "re-download")
"""What a turn of the released file has."""


@dataclass(frozen=True, slots=True)
class Repairs:
    """Which repairs are made."""

    evidence: bool = True
    integers: bool = True
    traps: bool = True
    dates: bool = True
    repeats: bool = False


REPAIRS = {
    "evidence": "split, fix or drop evidence ids that name no turn",
    "integers": "take an integer answer as text",
    "traps": f"give an adversarial question without an answer the reference answer '{NO_ANSWER}'",
    "dates": "ignore the date of a session that does not exist",
    "repeats": "leave out a question that occurs earlier with the same category and answer",
}


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance; ``day`` is the date of its session without the clock."""

    ref: str
    session: int
    day: str
    speaker: str
    text: str
    caption: str = ""


@dataclass(frozen=True, slots=True)
class LocomoQuestion:
    """One question with its reference answer. ``index`` is its place in the file."""

    index: int
    text: str
    category: int
    reference_answer: str
    evidence: tuple[str, ...]
    adversarial: str = ""


@dataclass(frozen=True, slots=True)
class LoadedConversation:
    """One conversation after its repairs."""

    name: str
    speakers: tuple[str, str]
    turns: tuple[Turn, ...]
    questions: tuple[LocomoQuestion, ...]
    repairs: tuple[Repair, ...]


def load(raw: RawConversation, repairs: Repairs | None = None) -> LoadedConversation:
    """Return one conversation. Raises: DataError naming the file, the conversation and the field."""
    return _Loader(raw, repairs or Repairs()).load()


class _Loader:
    """Loads one conversation and records its repairs."""

    def __init__(self, raw: RawConversation, repairs: Repairs):
        self._raw, self._switches = raw, repairs
        self._repairs: list[Repair] = []

    def load(self) -> LoadedConversation:
        fields = self._get(self._raw.fields, "conversation", dict, "")
        speakers = (
            self._get(fields, "speaker_a", str, "conversation."),
            self._get(fields, "speaker_b", str, "conversation."),
        )
        turns = self._load_turns(fields)
        refs = frozenset(turn.ref for turn in turns)
        questions = [
            self._load_question(index, entry, refs)
            for index, entry in enumerate(self._get(self._raw.fields, "qa", list, ""))
        ]
        questions = self._drop_repeats(questions) if self._switches.repeats else questions
        return LoadedConversation(self._raw.name, speakers, turns, tuple(questions), tuple(self._repairs))

    def _error(self, field: str, expected: str, got: object, advice: str = MEND) -> DataError:
        return DataError(f"locomo: expected {FILE} {self._raw.name} {field} to be {expected}, got {got!r}; {advice}")

    def _get(self, fields: Any, name: str, kind: type, prefix: str) -> Any:
        value = fields.get(name) if isinstance(fields, Mapping) else None
        if not isinstance(value, kind) or isinstance(value, bool) or value in ("", [], {}):
            raise self._error(prefix + name, f"a {kind.__name__} that is not empty", value)
        if kind is str and not is_text(value):
            raise self._error(prefix + name, "text in valid Unicode", value)
        return value

    def _repair(self, kind: str, field: str, was: object, now: object) -> None:
        """Record a repair. Raises: DataError if it has a switch that is off."""
        if not getattr(self._switches, kind, True):
            raise self._error(field, "sound", was, f"turn its repair on: locomo:{kind}=on")
        self._repairs.append(Repair(kind, f"{self._raw.name} {field}", str(was), str(now)))

    def _load_turns(self, fields: Mapping[str, Any]) -> tuple[Turn, ...]:
        numbers = sorted(int(found[1]) for name in fields if (found := _SESSION.fullmatch(name)))
        if not numbers:
            raise self._error("conversation", "sessions", sorted(fields))
        for phantom in sorted(int(found[1]) for name in fields if (found := _DATED.fullmatch(name))):
            if phantom not in numbers:
                field = f"session_{phantom}_date_time"
                self._repair("dates", f"conversation.{field}", fields[field], "")
        turns = [turn for number in numbers for turn in self._load_session(fields, number)]
        if not turns:
            raise self._error("conversation", "sessions with turns", sorted(fields))
        if len({turn.ref for turn in turns}) < len(turns):
            raise self._error("conversation dia_id", "unique", len(turns))
        return tuple(turns)

    def _load_session(self, fields: Mapping[str, Any], number: int) -> list[Turn]:
        prefix, name = "conversation.", f"session_{number}"
        if fields[name] in (None, []):
            self._repair("empty", f"{prefix}{name}", fields[name], "")
            return []
        day = self._load_day(self._get(fields, f"{name}_date_time", str, prefix), f"{prefix}{name}_date_time")
        entries = enumerate(self._get(fields, name, list, prefix))
        turns = [self._load_turn(entry, number, day, f"{prefix}{name}[{index}]") for index, entry in entries]
        return [turn for turn in turns if turn is not None]

    def _load_day(self, date: str, field: str) -> str:
        """Return the day of a date without its clock."""
        if found := _DAY.fullmatch(date.strip()):
            day, month, year = found.groups()
            with suppress(ValueError):  # a day or month that does not exist
                datetime.date(int(year), _MONTHS.index(month) + 1, int(day))
                return f"{day} {month}, {year}"
        raise self._error(field, "a date like '1:56 pm on 8 May, 2023'", date)

    def _load_turn(self, entry: Any, number: int, day: str, at: str) -> Turn | None:
        """Return a turn with all of it that can be shown; None where nothing can."""
        ref = self._get(entry, "dia_id", str, f"{at}.")
        text, caption = read_spoken(entry.get("text")), read_spoken(entry.get("blip_caption"))
        for what in (*text.hidden, *caption.hidden, *list_unknown(entry, _FIELDS)):
            self._repair("hidden", at, what, "")
        if entry.get("img_url") and not caption.text:
            self._repair("picture", f"{at}.img_url", entry["img_url"], "")
        if not text.text and not caption.text:
            self._repair("empty", f"{at}.text", entry.get("text"), "")
            return None
        speaker = entry.get("speaker")
        if not is_text(speaker):
            self._repair("speaker", f"{at}.speaker", speaker, UNKNOWN_SPEAKER)
            speaker = UNKNOWN_SPEAKER
        return Turn(ref, number, day, to_line(speaker), text.text, caption.text)

    def _load_question(self, index: int, entry: Any, refs: frozenset[str]) -> LocomoQuestion:
        at = f"qa[{index}]."
        text = to_line(self._get(entry, "question", str, at))
        category = self._get(entry, "category", int, at)
        if not 1 <= category <= 5:
            raise self._error(f"{at}category", "1 to 5", category)
        trap = entry.get("adversarial_answer")
        adversarial = trap if is_text(trap) else read_spoken(trap).text
        reference_answer = self._load_answer(entry, category, at)
        return LocomoQuestion(
            index, text, category, reference_answer, self._load_evidence(entry, at, refs), adversarial
        )

    def _load_answer(self, entry: Mapping[str, Any], category: int, at: str) -> str:
        reference_answer = entry.get("answer")
        if reference_answer is None and category == 5:
            self._repair("traps", f"{at}answer", "", NO_ANSWER)
            return NO_ANSWER
        if isinstance(reference_answer, float) and not math.isfinite(reference_answer):
            raise self._error(f"{at}answer", "a text or a number", reference_answer)
        if isinstance(reference_answer, int | float) and not isinstance(reference_answer, bool):
            self._repair("integers", f"{at}answer", reference_answer, str(reference_answer))
            return str(reference_answer)
        return str(self._get(entry, "answer", str, at))

    def _load_evidence(self, entry: Mapping[str, Any], at: str, refs: frozenset[str]) -> tuple[str, ...]:
        cited = entry.get("evidence")
        if not isinstance(cited, list):
            raise self._error(f"{at}evidence", "a list", cited)
        ids: list[str] = []
        for piece in cited:
            if isinstance(piece, str) and piece in refs:
                ids.append(piece)
                continue
            ids_in_text = [f"D{int(session)}:{int(turn)}" for session, turn in _ID.findall(str(piece))]
            found = [ref for ref in ids_in_text if ref in refs]
            self._repair("evidence", f"{at}evidence", piece, " ".join(found))
            ids += found
        return tuple(dict.fromkeys(ids))

    def _drop_repeats(self, questions: list[LocomoQuestion]) -> list[LocomoQuestion]:
        first: dict[tuple[str, int, str], int] = {}
        unique = []
        for one in questions:
            earlier = first.setdefault((one.text, one.category, one.reference_answer), one.index)
            if earlier == one.index:
                unique.append(one)
            else:
                self._repair("repeats", f"qa[{one.index}]", one.text, f"qa[{earlier}]")
        return unique
