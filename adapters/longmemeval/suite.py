"""Suite ``longmemeval-v1``: months of chat between a user and an assistant, and one question about each history.

A task is one instance. Every memory gets the same short-answer contract; no prompt tells a question's type, a session's
id or which turns hold the answer. Source: LongMemEval (arXiv 2410.10813), cleaned release of 2025-09. Deviations:
sessions in order of their full timestamp (the files sort by day at most); the clock is left off dates unless ``clock``
is on; sessions dated after the question stay, as in the files. Abstention items are a group of their own, not of their
type. Splits ``oracle367`` and ``s367`` (all types but multi-session) are inferred from the size that HORMA reports.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from adapters.longmemeval.data import DATA, RELEASE, digest, locate
from adapters.longmemeval.loading import REPAIRS, Instance, Label, Repair, Repairs, Turn, label, load
from adapters.longmemeval.reading import Reader, Row
from adapters.longmemeval.scoring import rubric, score
from bench.errors import DataError
from bench.protocols import Conversation, Param, Question, SuiteOptions, SuiteSpec
from bench.types import Event, EventKind, Fingerprint, Frame, JudgeCase, Limits, Score, Shape, Task

__all__ = ["FRAME", "SUITE", "LongMemEvalSuite", "LongMemEvalTalk"]

_NAME = "longmemeval-v1"
_HERE = Path(__file__).parent
_LEFT_OUT = "multi-session"
FRAME = Frame(
    id=_NAME,
    instructions=(_HERE / "frame" / "answer.txt").read_text(encoding="utf-8").strip(),
    label="Answer:",
    max_tokens=100,
)
_DOUBTS = {
    name: why
    for name, _, why in (
        line.partition(" ") for line in (_HERE / "doubtful.txt").read_text(encoding="utf-8").splitlines()
    )
}


class LongMemEvalTalk:
    """One history and the one question about it."""

    frame = FRAME

    def __init__(self, instance: Instance, clock: bool):
        self._instance, self._clock = instance, clock
        self._rubric = rubric(instance.label.kind, instance.label.abstains)

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """Everything that was mended in this instance."""
        return self._instance.repairs

    def events(self) -> Iterator[Event]:
        """Every turn in order of time, with a mark after each session."""
        turns = self._instance.turns
        for index, turn in enumerate(turns):
            time = self._date(turn)
            yield Event(turn.ref, EventKind.TURN, turn.text, turn.session, turn.speaker, time)
            if index + 1 == len(turns) or turns[index + 1].session != turn.session:
                end = f"end of session {turn.session}"
                yield Event(f"D{turn.session}", EventKind.SESSION_END, end, turn.session, time=time)

    def _date(self, at: Turn | Instance) -> str:
        return f"{at.day} {at.clock}" if self._clock else at.day

    def questions(self) -> Sequence[Question]:
        one = self._instance
        return [Question(one.label.name, one.question, _group(one.label), self._date(one))]

    def score(self, question: Question, answer: str) -> tuple[Score, ...]:
        return score(self._rubric, question.text, self._instance.reference_answer, answer)

    def judge_case(self, question: Question) -> JudgeCase:
        """Return what a judge is shown."""
        return JudgeCase(self._rubric, question.text, self._instance.reference_answer)

    def evidence(self, question: Question) -> tuple[str, ...]:
        """Return the refs of the turns that the file marks; none for an abstention item, whatever it marks."""
        return self._instance.evidence

    def known_issue(self, question: Question) -> str:
        """Return what is reported to be wrong with the gold or its evidence."""
        return _DOUBTS.get(question.id, "")


class LongMemEvalSuite:
    """The instances of one split, read from the file when they are opened."""

    def __init__(self, options: SuiteOptions):
        self._options = options
        self._path = locate(options.data_root, options.split, options.params.text("path"))
        self._reader = Reader(self._path)
        self._sha256 = ""

    def tasks(self) -> list[Task]:
        """Return the instances of the split, in the order of the file, which is that of their ids.

        A row that cannot be read stays in the list: opening it says what is wrong. Raises: DataError for the file as a
        whole.
        """
        tasks = [task for row in self._reader.rows() if (task := self._task(row)) is not None]
        if not tasks:
            raise DataError(f"longmemeval: expected instances in {self._path}, got none; bench data check longmemeval")
        return tasks

    def _task(self, row: Row) -> Task | None:
        about, split = label(row.fields()), self._options.split
        if split.endswith("367") and about.kind == _LEFT_OUT:
            return None
        source = f"{self._path.name}#{row.position}"
        sha256 = hashlib.sha256(row.text.encode(errors="surrogateescape")).hexdigest()
        return Task(_task_id(row, about), _NAME, split, _group(about), about.name, source, digest=sha256)

    def open(self, task: Task) -> Conversation:
        """Return one instance. Raises: DataError naming the file, the instance and the field."""
        row = self._reader.row(_position(task))
        fields = row.fields()
        if (found := _task_id(row, label(fields))) != task.id:
            raise DataError(f"longmemeval: expected {self._path} to hold {task.id}, got {found}; take the run's file")
        params = self._options.params
        repairs = Repairs(**{name: params.flag(name) for name in REPAIRS})
        return LongMemEvalTalk(
            load(fields, f"{self._path.name} instance {row.position}", repairs), params.flag("clock")
        )

    def limits(self) -> Limits:
        return Limits(step_cap=0)

    def fingerprint(self) -> Fingerprint:
        self._sha256 = self._sha256 or digest(self._path)
        switches = {name: "on" if self._options.params.flag(name) else "off" for name in (*REPAIRS, "clock")}
        return Fingerprint.of(
            suite=_NAME,
            split=self._options.split,
            release=RELEASE,
            file=self._path.name,
            data=self._sha256,
            **switches,
        )

    def close(self) -> None:
        self._reader.close()


def _group(about: Label) -> str:
    return "abstention" if about.abstains else about.kind


def _task_id(row: Row, about: Label) -> str:
    return f"{row.position:04d}-{about.name}"


def _position(task: Task) -> int:
    number, _, _ = task.id.partition("-")
    if not number.isdecimal():
        raise DataError(f"longmemeval: expected a task id like 0001-e47becba, got {task.id!r}; take the run's file")
    return int(number)


SUITE = SuiteSpec(
    name=_NAME,
    build=LongMemEvalSuite,
    shape=Shape.CONVERSATION,
    splits=("oracle", "oracle367", "s", "s367", "m", "sample7"),
    default_split="oracle",
    params=(
        Param("path", "", "file to read in place of the split's own, relative to the data root: M, or a set like it"),
        Param("clock", False, "show the clock beside the date of a session and of the question"),
        *(Param(name, getattr(Repairs(), name), f"repair: {what}") for name, what in REPAIRS.items()),
    ),
    data=DATA,
    workers="process",
    source="LongMemEval (arXiv 2410.10813), cleaned release of 2025-09; splits oracle367 and s367 are inferred",
)
