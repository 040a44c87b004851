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
from contextlib import suppress
from pathlib import Path

from adapters.longmemeval.conversation import FRAME, LongMemEvalConversation, group_of
from adapters.longmemeval.data import DATA, MEND, RELEASE, compute_digest, find_file, is_official
from adapters.longmemeval.instance import REPAIRS, UNREADABLE, Instance, Label, Repairs, read_label
from adapters.longmemeval.loading import load
from adapters.longmemeval.reading import Reader, Row
from adapters.shared.published.data import DATA as PROMPTS
from adapters.shared.published.protocol import HOUSE, list_protocols, open_protocol
from adapters.shared.turn_text import Repair, summarise
from bench.errors import DataError
from bench.protocols import Conversation, Param, SuiteOptions, SuiteSpec
from bench.types import Fingerprint, Limits, Shape, Task

__all__ = ["FRAME", "SUITE", "LongMemEvalConversation", "LongMemEvalSuite"]

_NAME = FRAME.id
_HERE = Path(__file__).parent
_MULTI_SESSION = "multi-session"
_PLAIN = ("integers", "order", "evidence")
"""Repairs that lose nothing; evidence by session has a notice of its own."""


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
        first: dict[str, str] = {}
        tasks = [task for row in self._reader.rows() if (task := self._build_task(row, first)) is not None]
        if not tasks:
            raise DataError(f"longmemeval: expected instances in {self._path}, got none; {MEND}")
        return tasks

    def _build_task(self, row: Row, first: dict[str, str]) -> Task | None:
        """Return the task of a row; its payload names the earlier task with the same question id, where there is one.

        ``first``: the first task of each question id so far.
        """
        label, split = read_label(row.fields()), self._options.split
        if split.endswith("367") and label.kind == _MULTI_SESSION:
            return None
        source = f"{self._path.name}#{row.position}"
        sha256 = hashlib.sha256(row.text.encode(errors="surrogateescape")).hexdigest()
        name = _build_task_id(row, label)
        earlier = first.setdefault(label.name, name) if label.kind != UNREADABLE else name
        payload = earlier if earlier != name else ""
        return Task(name, _NAME, split, group_of(label), label.name, source, payload, digest=sha256)

    def open(self, task: Task) -> Conversation:
        """Return one instance. Raises: DataError naming the file, the instance and the field."""
        row = self._reader.row(_parse_position(task))
        fields = row.fields()
        if (found := _build_task_id(row, read_label(fields))) != task.id:
            raise DataError(f"longmemeval: expected {self._path} to hold {task.id}, got {found}; take the run's file")
        if task.payload:
            raise DataError(
                f"longmemeval: expected {self._path} instance {row.position} question_id to be a new one, got that of "
                f"{task.payload}; {MEND}"
            )
        clock = self._options.params.flag("clock")
        return LongMemEvalConversation(self._load(row), clock, self._protocol, self._options.data_root)

    def _load(self, row: Row) -> Instance:
        repairs = Repairs(**{name: self._options.params.flag(name) for name in REPAIRS})
        return load(row.fields(), f"{self._path.name} instance {row.position}", repairs)

    def notices(self) -> tuple[str, ...]:
        """Return what was repaired in a file of the user's own, what of its turns is not shown, and where its turns
        are not marked. Reads the file."""
        if is_official(self._compute_digest()):
            return ()
        repairs: list[Repair] = []
        sessions_only = 0
        for row in self._reader.rows():
            with suppress(DataError):  # it is reported when it is opened
                instance = self._load(row)
                repairs += instance.repairs
                sessions_only += instance.by_session
        rest = summarise(self._path.name, (one for one in repairs if one.kind not in _PLAIN))
        if not sessions_only:
            return rest
        level = (
            f"evidence by session: {sessions_only} instances mark no turn (has_answer), so all turns of the sessions "
        )
        return (
            f"{self._path.name}: {level}in answer_session_ids count, and evidence of single turns is not scored",
            *rest,
        )

    def limits(self) -> Limits:
        return Limits(step_cap=0)

    def fingerprint(self) -> Fingerprint:
        switches = {name: "on" if self._options.params.flag(name) else "off" for name in (*REPAIRS, "clock")}
        return Fingerprint.of(
            suite=_NAME,
            split=self._options.split,
            release=RELEASE,
            file=self._path.name,
            data=self._compute_digest(),
            **switches,
            **self._protocol.entries,
        )

    def _compute_digest(self) -> str:
        self._sha256 = self._sha256 or compute_digest(self._path)
        return self._sha256

    def close(self) -> None:
        self._reader.close()


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
