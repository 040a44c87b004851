"""Suite ``longmemeval-v1``: months of chat between a user and an assistant, with one question about each history.

Source: LongMemEval (arXiv 2410.10813), cleaned release of 2025-09.

Tasks: one conversation per instance, with one question; the group is the question type, or ``abstention``. No prompt
contains the question type, a session id or the marks of the evidence.

* split ``oracle`` (default): 500 instances with the evidence sessions only.
* split ``s``: the same questions with about 50 sessions each; ``m``: with about 500 (downloaded by hand).
* splits ``oracle367`` and ``s367``: all types but multi-session; inferred from the size that HORMA reports.
* split ``sample7``: one instance of each type and one abstention item.

Score: ``criteria`` = the official criteria as rules, without a judge (``criteria``); ``abstention`` for abstention
items, ``f1`` for the others. Questions for advice need a judge.

Differences from the published set-up:

* All questions have the same short-answer instructions; ``protocol`` takes the paper's own (``protocols``).
* Sessions are sorted by their full timestamp; the files sort by day at most.
* Dates have no clock unless ``clock=on``.
* Sessions dated after the question stay, as in the files.
* Abstention items are a separate group, not part of their question type.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from adapters.longmemeval.data import DATA, RELEASE, compute_digest, find_file
from adapters.longmemeval.loading import REPAIRS, Instance, Label, Repair, Repairs, Turn, load, read_label
from adapters.longmemeval.reading import Reader, Row
from adapters.longmemeval.scoring import choose_rubric, score_answer
from adapters.shared.published.data import DATA as PROMPTS
from adapters.shared.published.pieces import read_piece
from adapters.shared.published.protocol import (
    HOUSE,
    Protocol,
    compose_frame,
    find_wording,
    list_protocols,
    open_protocol,
)
from bench.errors import DataError
from bench.protocols import Conversation, Param, Question, SuiteOptions, SuiteSpec
from bench.types import Event, EventKind, Fingerprint, Frame, JudgeCase, Limits, Score, Shape, Task

__all__ = ["FRAME", "SUITE", "LongMemEvalConversation", "LongMemEvalSuite"]

_NAME = "longmemeval-v1"
_HERE = Path(__file__).parent
_MULTI_SESSION = "multi-session"
FRAME = Frame(
    id=_NAME,
    instructions=(_HERE / "frame" / "answer.txt").read_text(encoding="utf-8").strip(),
    label="Answer:",
)
_KNOWN_ISSUES = {
    name: why
    for name, _, why in (
        line.partition(" ") for line in (_HERE / "doubtful.txt").read_text(encoding="utf-8").splitlines()
    )
}


class LongMemEvalConversation:
    """A ``Conversation`` of one history and the one question about it."""

    def __init__(self, instance: Instance, clock: bool, protocol: Protocol = Protocol(), data_root: Path = Path()):
        """Raises: DataError for a paper's file that is missing or altered."""
        self._instance, self._clock = instance, clock
        self._protocol, self._data_root = protocol, data_root
        self.frame = compose_frame(protocol, FRAME, data_root, {})
        self._rubric = choose_rubric(instance.label.kind, instance.label.abstains)

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """All repairs of this instance."""
        return self._instance.repairs

    def events(self) -> Iterator[Event]:
        """Yield every turn in order of time, and an end event after each session."""
        turns = self._instance.turns
        for index, turn in enumerate(turns):
            time = self._format_date(turn)
            yield Event(turn.ref, EventKind.TURN, turn.text, turn.session, turn.speaker, time)
            if index + 1 == len(turns) or turns[index + 1].session != turn.session:
                end = f"end of session {turn.session}"
                yield Event(f"D{turn.session}", EventKind.SESSION_END, end, turn.session, time=time)

    def _format_date(self, at: Turn | Instance) -> str:
        return f"{at.day} {at.clock}" if self._clock else at.day

    def questions(self) -> Sequence[Question]:
        one, group, time = self._instance, _group_of(self._instance.label), self._format_date(self._instance)
        piece = find_wording(self._protocol, group)
        if piece is None:
            return [Question(one.label.name, one.question, group, time)]
        # The words of a paper hold the date themselves.
        prompt = read_piece(self._data_root, piece, {"question": one.question, "time": time})
        return [Question(one.label.name, one.question, group, prompt=prompt)]

    def score(self, question: Question, answer: str) -> tuple[Score, ...]:
        return score_answer(self._rubric, question.text, self._instance.reference_answer, answer)

    def judge_case(self, question: Question) -> JudgeCase:
        """Return question, reference answer and rubric for a judge."""
        return JudgeCase(self._rubric, question.text, self._instance.reference_answer)

    def evidence(self, question: Question) -> tuple[str, ...]:
        """Return the refs of the turns that the file marks; none for an abstention item."""
        return self._instance.evidence

    def find_known_issue(self, question: Question) -> str:
        """Return what is reported to be wrong with the reference answer or its evidence."""
        return _KNOWN_ISSUES.get(question.id, "")


class LongMemEvalSuite:
    """The instances of one split; ``open`` reads them from the file."""

    def __init__(self, options: SuiteOptions):
        self._options, self._protocol = options, open_protocol(_HERE, options)
        self._path = find_file(options.data_root, options.split, options.params.text("path"))
        self._reader = Reader(self._path)
        self._sha256 = ""

    def tasks(self) -> list[Task]:
        """Return the instances of the split, in the order of the file, which is that of their ids.

        A row that cannot be read stays in the list; ``open`` raises for it. Raises: DataError for the file as a whole.
        """
        tasks = [task for row in self._reader.rows() if (task := self._build_task(row)) is not None]
        if not tasks:
            raise DataError(f"longmemeval: expected instances in {self._path}, got none; bench data check longmemeval")
        return tasks

    def _build_task(self, row: Row) -> Task | None:
        label, split = read_label(row.fields()), self._options.split
        if split.endswith("367") and label.kind == _MULTI_SESSION:
            return None
        source = f"{self._path.name}#{row.position}"
        sha256 = hashlib.sha256(row.text.encode(errors="surrogateescape")).hexdigest()
        return Task(_build_task_id(row, label), _NAME, split, _group_of(label), label.name, source, digest=sha256)

    def open(self, task: Task) -> Conversation:
        """Return one instance. Raises: DataError naming the file, the instance and the field."""
        row = self._reader.row(_parse_position(task))
        fields = row.fields()
        if (found := _build_task_id(row, read_label(fields))) != task.id:
            raise DataError(f"longmemeval: expected {self._path} to hold {task.id}, got {found}; take the run's file")
        params = self._options.params
        repairs = Repairs(**{name: params.flag(name) for name in REPAIRS})
        instance = load(fields, f"{self._path.name} instance {row.position}", repairs)
        return LongMemEvalConversation(instance, params.flag("clock"), self._protocol, self._options.data_root)

    def limits(self) -> Limits:
        return Limits(step_cap=0)

    def fingerprint(self) -> Fingerprint:
        self._sha256 = self._sha256 or compute_digest(self._path)
        switches = {name: "on" if self._options.params.flag(name) else "off" for name in (*REPAIRS, "clock")}
        return Fingerprint.of(
            suite=_NAME,
            split=self._options.split,
            release=RELEASE,
            file=self._path.name,
            data=self._sha256,
            **switches,
            **self._protocol.entries,
        )

    def close(self) -> None:
        self._reader.close()


def _group_of(label: Label) -> str:
    return "abstention" if label.abstains else label.kind


def _build_task_id(row: Row, label: Label) -> str:
    return f"{row.position:04d}-{label.name}"


def _parse_position(task: Task) -> int:
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
        Param("protocol", HOUSE, "a paper's own prompt and reply limit", list_protocols(_HERE)),
        Param("path", "", "file to read instead of the split's own, relative to the data root: M, or a set like it"),
        Param("clock", False, "show the clock after the date of a session and of the question"),
        *(Param(name, getattr(Repairs(), name), f"repair: {what}") for name, what in REPAIRS.items()),
    ),
    data=DATA,
    shared_data=(PROMPTS,),
    workers="process",
    source="LongMemEval (arXiv 2410.10813), cleaned release of 2025-09; splits oracle367 and s367 are inferred",
)
