"""One raw LoCoMo conversation to frozen records: turns with their dates, questions with their gold, and every repair.

Each repair has a switch; with its switch off, a conversation that needs it is a data error. Answers that are merely
wrong are not touched. This file knows no score and no prompt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adapters.locomo.data import FILE, RawTalk
from bench.errors import DataError

__all__ = ["NO_ANSWER", "REPAIRS", "Asked", "Repair", "Repairs", "Talk", "Turn", "load"]

_RESTORE = "restore the official file with: bench data get locomo"
NO_ANSWER = "not mentioned"
"""The gold of an adversarial question to which the file gives none."""
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
    "evidence": "split, mend or drop evidence ids that name no turn",
    "integers": "take an integer answer as text",
    "traps": f"give an adversarial question without an answer the gold '{NO_ANSWER}'",
    "dates": "ignore the date of a session that does not exist",
    "repeats": "leave out a question that was asked before with the same category and answer",
}


@dataclass(frozen=True, slots=True)
class Repair:
    """One thing that was mended: which repair, where, what stood there and what stands there now."""

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
class Asked:
    """One question with its gold. ``index`` is its place in the file, which alone tells repeated ones apart."""

    index: int
    text: str
    category: int
    reference_answer: str
    evidence: tuple[str, ...]
    adversarial: str = ""


@dataclass(frozen=True, slots=True)
class Talk:
    """One conversation, mended."""

    name: str
    speakers: tuple[str, str]
    turns: tuple[Turn, ...]
    questions: tuple[Asked, ...]
    repairs: tuple[Repair, ...]


def load(raw: RawTalk, repairs: Repairs | None = None) -> Talk:
    """Return one conversation. Raises: DataError naming the file, the conversation and the field."""
    return _Loader(raw, repairs or Repairs()).conversation()


class _Loader:
    """Reads one conversation and notes what it mends."""

    def __init__(self, raw: RawTalk, repairs: Repairs):
        self._raw, self._switches = raw, repairs
        self._made: list[Repair] = []

    def conversation(self) -> Talk:
        held = self._get(self._raw.fields, "conversation", dict, "")
        speakers = (
            self._get(held, "speaker_a", str, "conversation."),
            self._get(held, "speaker_b", str, "conversation."),
        )
        turns = self._turns(held)
        refs = frozenset(turn.ref for turn in turns)
        asked = [
            self._asked(index, entry, refs) for index, entry in enumerate(self._get(self._raw.fields, "qa", list, ""))
        ]
        kept = self._unrepeated(asked) if self._switches.repeats else asked
        return Talk(self._raw.name, speakers, turns, tuple(kept), tuple(self._made))

    def _error(self, field: str, expected: str, got: object, advice: str = _RESTORE) -> DataError:
        return DataError(f"locomo: expected {FILE} {self._raw.name} {field} to be {expected}, got {got!r}; {advice}")

    def _get(self, fields: Any, name: str, kind: type, prefix: str) -> Any:
        value = fields.get(name) if isinstance(fields, Mapping) else None
        if not isinstance(value, kind) or isinstance(value, bool) or value in ("", [], {}):
            raise self._error(prefix + name, f"a {kind.__name__} that is not empty", value)
        return value

    def _mend(self, kind: str, field: str, was: object, now: object) -> None:
        """Note a repair. Raises: DataError if its switch is off."""
        if not getattr(self._switches, kind):
            raise self._error(field, "sound", was, f"turn its repair on: locomo:{kind}=on")
        self._made.append(Repair(kind, f"{self._raw.name} {field}", str(was), str(now)))

    def _turns(self, held: Mapping[str, Any]) -> tuple[Turn, ...]:
        numbers = sorted(int(found[1]) for name in held if (found := _SESSION.fullmatch(name)))
        if not numbers:
            raise self._error("conversation", "sessions", sorted(held))
        for phantom in sorted(int(found[1]) for name in held if (found := _DATED.fullmatch(name))):
            if phantom not in numbers:
                field = f"session_{phantom}_date_time"
                self._mend("dates", f"conversation.{field}", held[field], "")
        turns = [turn for number in numbers for turn in self._session(held, number)]
        if len({turn.ref for turn in turns}) < len(turns):
            raise self._error("conversation dia_id", "unique", len(turns))
        return tuple(turns)

    def _session(self, held: Mapping[str, Any], number: int) -> list[Turn]:
        prefix, name = "conversation.", f"session_{number}"
        date = self._get(held, f"{name}_date_time", str, prefix)
        if not (day := _DAY.fullmatch(date.strip())):
            raise self._error(f"{prefix}{name}_date_time", "like '1:56 pm on 8 May, 2023'", date)
        turns = []
        for index, entry in enumerate(self._get(held, name, list, prefix)):
            at = f"{prefix}{name}[{index}]."
            ref, speaker, text = (self._get(entry, field, str, at) for field in ("dia_id", "speaker", "text"))
            caption = _line(str(entry.get("blip_caption") or ""))
            turns.append(Turn(ref, number, day[1], speaker, _line(text), caption))
        return turns

    def _asked(self, index: int, entry: Any, refs: frozenset[str]) -> Asked:
        at = f"qa[{index}]."
        text = _line(self._get(entry, "question", str, at))
        category = self._get(entry, "category", int, at)
        if not 1 <= category <= 5:
            raise self._error(f"{at}category", "1 to 5", category)
        adversarial = str(entry.get("adversarial_answer") or "")
        reference_answer = self._gold(entry, category, at)
        return Asked(index, text, category, reference_answer, self._evidence(entry, at, refs), adversarial)

    def _gold(self, entry: Mapping[str, Any], category: int, at: str) -> str:
        reference_answer = entry.get("answer")
        if reference_answer is None and category == 5:
            self._mend("traps", f"{at}answer", "", NO_ANSWER)
            return NO_ANSWER
        if isinstance(reference_answer, int) and not isinstance(reference_answer, bool):
            self._mend("integers", f"{at}answer", reference_answer, str(reference_answer))
            return str(reference_answer)
        return str(self._get(entry, "answer", str, at))

    def _evidence(self, entry: Mapping[str, Any], at: str, refs: frozenset[str]) -> tuple[str, ...]:
        cited = entry.get("evidence")
        if not isinstance(cited, list):
            raise self._error(f"{at}evidence", "a list", cited)
        ids: list[str] = []
        for piece in cited:
            if isinstance(piece, str) and piece in refs:
                ids.append(piece)
                continue
            meant = [f"D{int(session)}:{int(turn)}" for session, turn in _ID.findall(str(piece))]
            found = [ref for ref in meant if ref in refs]
            self._mend("evidence", f"{at}evidence", piece, " ".join(found))
            ids += found
        return tuple(dict.fromkeys(ids))

    def _unrepeated(self, asked: list[Asked]) -> list[Asked]:
        first: dict[tuple[str, int, str], int] = {}
        kept = []
        for one in asked:
            earlier = first.setdefault((one.text, one.category, one.reference_answer), one.index)
            if earlier == one.index:
                kept.append(one)
            else:
                self._mend("repeats", f"qa[{one.index}]", one.text, f"qa[{earlier}]")
        return kept


def _line(text: str) -> str:
    """A turn is one line of a prompt."""
    return " ".join(text.split())
