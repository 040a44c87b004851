"""Suite ``qa-v1``: questions about conversations or texts, from a file of any data set or from the Hugging Face hub.

Source: whatever ``path`` names. The columns are given as parameters, or by a preset.

Tasks: one conversation per context, with all questions about it: those of one list column, of the rows that share a
value of ``conversation``, or of the rows with equal contexts. The group of a question is its ``group``. Contexts are
texts, turns or sessions of turns (``context``).

* split ``data`` (default): the rows of ``path``; ``split=`` chooses a part of them.
* split ``example``: two conversations of this project; needs no file and no package.

Score: success = the score that ``score=`` names: ``f1`` of words as SQuAD has it, ``exact_match`` or ``contains``, the
best over the accepted answers; all three are recorded. A question without an answer is right if it is declined, and has
the score ``abstention``.

A set has scores and prompts of its own authors, which this suite does not know: its numbers are comparable with each
other, not with those of a paper. Contexts, questions, answers and dates are shown as they are; sessions stay in the
order of the data, and what of a turn is neither text nor speaker is not shown.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from adapters.qa.conversation import FRAME, QaConversation
from adapters.qa.loading import load, simplify
from adapters.qa.mapping import COLUMN_PARAMS, PRESETS, Columns, choose_columns, read_value
from adapters.qa.scoring import MAIN_SCORES
from adapters.shared.rows import Origin, Rows, open_rows
from adapters.shared.turn_text import Repair, summarise, to_line
from bench.errors import DataError, UsageError
from bench.protocols import Conversation, Param, SuiteOptions, SuiteSpec
from bench.types import Fingerprint, Limits, Shape, Task

__all__ = ["FRAME", "SUITE", "QaConversation", "QaSuite"]

_NAME = FRAME.id
_EXAMPLE = Path(__file__).parent / "example.json"
_EXAMPLE_COLUMNS = Columns(
    conversation="talk", group="type", date="day", evidence="needs"
)  # fmt: skip
_LONGEST_NAME = 60


class QaSuite:
    """The conversations of one data set."""

    def __init__(self, options: SuiteOptions):
        params = options.params
        self._options, self._main = options, params.text("score")
        self._is_example = options.split == "example"
        self._columns = _EXAMPLE_COLUMNS if self._is_example else choose_columns(params)
        self._rows: Rows | None = None
        self._tasks: list[Task] = []

    def _open(self) -> Rows:
        """Return the rows. Raises: UsageError, DataError, Unreachable."""
        if self._rows is None:
            params = self._options.params
            if self._is_example:
                self._rows = Rows(json.loads(_EXAMPLE.read_text(encoding="utf-8")))
            elif not params.text("path"):
                raise UsageError(
                    "qa: expected path= a file or a set of the Hugging Face hub, got none; write qa:path=FILE, or try "
                    "--split example"
                )
            else:
                origin = Origin(*(params.text(name) for name in ("path", "config", "split", "revision")))
                rows = open_rows("qa", origin, self._options.data_root)
                self._columns.check(origin.name, rows.columns)
                self._rows = rows.select(self._columns.list_top(rows.columns))
        return self._rows

    def tasks(self) -> list[Task]:
        """Return every conversation, in the order in which the rows first name them; a number begins their ids.

        Raises: UsageError, DataError, Unreachable for the data as a whole.
        """
        self._tasks = self._tasks or [
            self._build_task(at, key, rows) for at, (key, rows) in enumerate(self._group_rows().items(), start=1)
        ]
        if not self._tasks:
            raise DataError(f"qa: expected rows in {self._options.params.text('path')}, got none; name another")
        return self._tasks

    def _group_rows(self) -> Mapping[str, list[tuple[int, str]]]:
        """Return the places and digests of the rows of each conversation, by what they share."""
        found: dict[str, list[tuple[int, str]]] = {}
        column = self._columns.conversation or self._columns.context
        for place, row in enumerate(self._open()):
            shared = _write(read_value(row, column))
            key = to_line(shared.strip('"')) if self._columns.conversation else _hash(shared)
            found.setdefault(key, []).append((place, _hash(_write(row))))
        return found

    def _build_task(self, number: int, key: str, rows: Sequence[tuple[int, str]]) -> Task:
        name = f"{number:05d}-{key[:_LONGEST_NAME]}" if self._columns.conversation else f"{number:05d}"
        places, digest = [place for place, _ in rows], _hash("".join(one for _, one in rows))
        return Task(
            name, _NAME, self._options.split, "conversation", name, f"row {places[0]}", json.dumps(places), digest
        )

    def open(self, task: Task) -> Conversation:
        """Return one conversation. Raises: DataError naming it and the part that cannot be read."""
        places = json.loads(task.payload)
        try:
            rows = self._open().pick(places)
        except IndexError as cause:
            raise DataError(f"qa: expected rows {places} of {task.id}, got fewer; take the run's data") from cause
        return QaConversation(load(rows, self._columns, task.id), self._main)

    def notices(self) -> tuple[str, ...]:
        """Return what of the turns is not shown."""
        return summarise("qa", self._find_repairs())

    def _find_repairs(self) -> Iterator[Repair]:
        for task in self.tasks():
            with suppress(DataError):  # it is reported when it is opened
                yield from load(self._open().pick(json.loads(task.payload)), self._columns, task.id).repairs

    def limits(self) -> Limits:
        return Limits(step_cap=0)

    def fingerprint(self) -> Fingerprint:
        """Return what moves scores: the content of the rows and what is read of them, not where they lie."""
        return Fingerprint.of(
            suite=_NAME,
            split=self._options.split,
            data=_hash("".join(task.digest for task in self.tasks())),
            columns=",".join(f"{part}={column}" for part, column in self._columns.all()),
            score=self._main,
        )

    def close(self) -> None:
        self._rows = None


def _write(value: Any) -> str:
    return json.dumps(simplify(value), sort_keys=True, ensure_ascii=False)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


SUITE = SuiteSpec(
    name=_NAME,
    build=QaSuite,
    shape=Shape.CONVERSATION,
    splits=("data", "example"),
    default_split="data",
    offline_splits=("example",),
    params=(
        Param("path", "", "a file, a folder, or the name of a set on the Hugging Face hub"),
        Param("preset", "none", "the columns of a known set", ("none", *PRESETS)),
        *COLUMN_PARAMS,
        Param("score", "f1", "the score that counts as success", MAIN_SCORES),
        Param("config", "", "configuration of a set that has several"),
        Param("split", "", "part of a set that has several, such as test"),
        Param("revision", "", "commit or tag of a set of the hub"),
    ),
    workers="process",
    source="any data set of questions about conversations or texts, read by the package datasets",
)
