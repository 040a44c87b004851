"""Suite ``locomo-v1``: very long conversations between two people, and questions in five categories.

A task is one conversation. Sessions have dates and images have captions, every strategy gets the same short-answer
contract, and no prompt tells a question's category. Source: LoCoMo (arXiv 2402.17753). Deviations: one contract where
the official prompts tell categories 2 and 5 apart; the clock is left off a session's date. Split ``questions519`` (the
last three conversations, categories 2, 4 and 5) is inferred from the size that GenericAgent reports.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from adapters.locomo.data import DATA, FILE, RawTalk, read_file
from adapters.locomo.loading import REPAIRS, Repair, Repairs, Talk, Turn, load
from adapters.locomo.scoring import CATEGORIES, score
from bench.errors import DataError
from bench.protocols import Conversation, Param, Params, Question, SuiteOptions, SuiteSpec
from bench.types import Event, EventKind, Fingerprint, Frame, Limits, Score, Shape, Task

__all__ = ["FRAME", "SUITE", "LocomoSuite", "LocomoTalk"]

_NAME = "locomo-v1"
_TEST_TALKS = 3
_SPLITS = ("all", "questions519", "train", "test")
_INFERRED = frozenset((2, 4, 5))
FRAME = Frame(
    id=_NAME,
    instructions=(Path(__file__).parent / "frame" / "answer.txt").read_text(encoding="utf-8").strip(),
    label="Answer:",
    max_tokens=60,
)


class LocomoTalk:
    """One conversation and those of its questions that the split asks."""

    frame = FRAME

    def __init__(self, talk: Talk, categories: frozenset[int], captions: bool):
        self._talk, self._captions = talk, captions
        self._asked = {f"{talk.name}/{one.index:03d}": one for one in talk.questions if one.category in categories}

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """Everything that was mended in this conversation, in the order of the file."""
        return self._talk.repairs

    def events(self) -> Iterator[Event]:
        """Every turn in order, with a mark after each session."""
        turns = self._talk.turns
        for index, turn in enumerate(turns):
            yield Event(turn.ref, EventKind.TURN, self._said(turn), turn.session, turn.speaker, turn.day)
            if index + 1 == len(turns) or turns[index + 1].session != turn.session:
                end = f"end of session {turn.session}"
                yield Event(f"D{turn.session}", EventKind.MARK, end, turn.session, time=turn.day)

    def _said(self, turn: Turn) -> str:
        return f"{turn.text} [shares {turn.caption}]" if self._captions and turn.caption else turn.text

    def questions(self) -> Sequence[Question]:
        return [Question(name, one.text, CATEGORIES[one.category]) for name, one in self._asked.items()]

    def score(self, question: Question, answer: str) -> tuple[Score, ...]:
        one = self._asked[question.id]
        return score(one.category, answer, one.gold)


class LocomoSuite:
    """The conversations of one split."""

    def __init__(self, options: SuiteOptions):
        self._options = options
        self._read: tuple[RawTalk, ...] = ()

    def _raw(self) -> tuple[RawTalk, ...]:
        self._read = self._read or read_file(self._options.data_root)
        return self._read

    def tasks(self) -> list[Task]:
        """Return every conversation of the split, sorted by id. Raises: DataError for the file as a whole."""
        talks, split = self._raw(), self._options.split
        cut = max(0, len(talks) - _TEST_TALKS)
        chosen = {"all": talks, "train": talks[:cut]}.get(split, talks[cut:])
        return [self._task(raw) for raw in chosen]

    def _task(self, raw: RawTalk) -> Task:
        split = self._options.split
        return Task(raw.name, _NAME, split, "conversation", raw.name, f"{FILE}#{raw.name}", digest=raw.sha256)

    def open(self, task: Task) -> Conversation:
        """Return one conversation. Raises: DataError naming the file, the conversation and the field."""
        raw = next((one for one in self._raw() if one.name == task.id), None)
        if raw is None:
            raise DataError(f"locomo: expected {FILE} to hold {task.id}, got no such conversation; take the run's file")
        params = self._options.params
        categories = _INFERRED if self._options.split == "questions519" else frozenset(CATEGORIES)
        return LocomoTalk(load(raw, _repairs(params)), categories, params.flag("captions"))

    def limits(self) -> Limits:
        return Limits(step_cap=0)

    def fingerprint(self) -> Fingerprint:
        digests = "".join(raw.sha256 for raw in self._raw())
        switches = {name: "on" if self._options.params.flag(name) else "off" for name in (*REPAIRS, "captions")}
        return Fingerprint.of(
            suite=_NAME,
            split=self._options.split,
            data=hashlib.sha256(digests.encode()).hexdigest(),
            clock="left out",
            **switches,
        )

    def close(self) -> None:
        pass


def _repairs(params: Params) -> Repairs:
    return Repairs(**{name: params.flag(name) for name in REPAIRS})


SUITE = SuiteSpec(
    name=_NAME,
    build=LocomoSuite,
    shape=Shape.CONVERSATION,
    splits=_SPLITS,
    default_split="all",
    params=(
        Param("captions", True, "show the caption of a shared image after its turn"),
        *(Param(name, getattr(Repairs(), name), f"repair: {what}") for name, what in REPAIRS.items()),
    ),
    data=DATA,
    source="LoCoMo (arXiv 2402.17753), its released file of ten conversations; split questions519 is inferred",
)
