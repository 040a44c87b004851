"""Loads one raw LoCoMo conversation into frozen records: turns with dates, questions with reference answers, repairs.

Each repair has a switch; with the switch off, a conversation that needs the repair is a data error. Wrong answers are
not changed. Knows no score and no prompt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adapters.locomo.data import FILE, RawConversation
from bench.errors import DataError

__all__ = ["NO_ANSWER", "REPAIRS", "LoadedConversation", "LocomoQuestion", "Repair", "Repairs", "Turn", "load"]

_RESTORE = "restore the official file with: bench data get locomo"
NO_ANSWER = "not mentioned"
"""The reference answer of an adversarial question for which the file has none."""
_ID = re.compile(r"D:?(\d+):(\d+)")
_SESSION = re.compile(r"session_(\d+)")
_DATED = re.compile(r"session_(\d+)_date_time")
_DAY = re.compile(r"(?:\d{1,2}:\d\d [ap]m on )?(\d{1,2} [A-Z][a-z]+, \d{4})")


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
class Repair:
    """One repair: its kind, its place in the file, the old value and the new one."""

    kind: str
    where: str
    was: str
    now: str


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

    def _error(self, field: str, expected: str, got: object, advice: str = _RESTORE) -> DataError:
        return DataError(f"locomo: expected {FILE} {self._raw.name} {field} to be {expected}, got {got!r}; {advice}")

    def _get(self, fields: Any, name: str, kind: type, prefix: str) -> Any:
        value = fields.get(name) if isinstance(fields, Mapping) else None
        if not isinstance(value, kind) or isinstance(value, bool) or value in ("", [], {}):
            raise self._error(prefix + name, f"a {kind.__name__} that is not empty", value)
        return value

    def _repair(self, kind: str, field: str, was: object, now: object) -> None:
        """Record a repair. Raises: DataError if its switch is off."""
        if not getattr(self._switches, kind):
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
        if len({turn.ref for turn in turns}) < len(turns):
            raise self._error("conversation dia_id", "unique", len(turns))
        return tuple(turns)

    def _load_session(self, fields: Mapping[str, Any], number: int) -> list[Turn]:
        prefix, name = "conversation.", f"session_{number}"
        date = self._get(fields, f"{name}_date_time", str, prefix)
        if not (day := _DAY.fullmatch(date.strip())):
            raise self._error(f"{prefix}{name}_date_time", "like '1:56 pm on 8 May, 2023'", date)
        turns = []
        for index, entry in enumerate(self._get(fields, name, list, prefix)):
            at = f"{prefix}{name}[{index}]."
            ref, speaker, text = (self._get(entry, field, str, at) for field in ("dia_id", "speaker", "text"))
            caption = _to_line(str(entry.get("blip_caption") or ""))
            turns.append(Turn(ref, number, day[1], speaker, _to_line(text), caption))
        return turns

    def _load_question(self, index: int, entry: Any, refs: frozenset[str]) -> LocomoQuestion:
        at = f"qa[{index}]."
        text = _to_line(self._get(entry, "question", str, at))
        category = self._get(entry, "category", int, at)
        if not 1 <= category <= 5:
            raise self._error(f"{at}category", "1 to 5", category)
        adversarial = str(entry.get("adversarial_answer") or "")
        reference_answer = self._load_answer(entry, category, at)
        return LocomoQuestion(
            index, text, category, reference_answer, self._load_evidence(entry, at, refs), adversarial
        )

    def _load_answer(self, entry: Mapping[str, Any], category: int, at: str) -> str:
        reference_answer = entry.get("answer")
        if reference_answer is None and category == 5:
            self._repair("traps", f"{at}answer", "", NO_ANSWER)
            return NO_ANSWER
        if isinstance(reference_answer, int) and not isinstance(reference_answer, bool):
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


def _to_line(text: str) -> str:
    """Return the text as one line: a turn is one line of a prompt."""
    return " ".join(text.split())
