"""Suite ``locomo-v1``: very long conversations between two people, and questions in five categories.

A task is one conversation. Sessions have dates and images have captions, every strategy gets the same short-answer
contract, and no prompt tells a question's category. Source: LoCoMo (arXiv 2402.17753). Deviations: one contract where
the official prompts tell categories 2 and 5 apart (``leak=on`` does as they do, and is marked in the fingerprint); the
clock is left off a session's date; the official evidence recall counts a question without evidence as 1, here it has
none. Split ``questions519`` (the last three conversations, categories 2, 4 and 5) is inferred from its size.
"""

from __future__ import annotations

import hashlib

from adapters.locomo.data import DATA, FILE, RawTalk, read_file
from adapters.locomo.loading import REPAIRS, Repairs, load
from adapters.locomo.scoring import CATEGORIES
from adapters.locomo.talk import FRAME, LocomoTalk, Shown
from bench.errors import DataError
from bench.protocols import Conversation, Param, Params, SuiteOptions, SuiteSpec
from bench.types import Fingerprint, Limits, Shape, Task

__all__ = ["FRAME", "SUITE", "LocomoSuite", "LocomoTalk"]

_NAME = FRAME.id
_TEST_TALKS = 3
_SPLITS = ("all", "questions519", "train", "test")
_INFERRED = frozenset((2, 4, 5))
_SWITCHES = {
    "captions": "show the caption of a shared image after its turn",
    "leak": "ask as the official prompts do: a date hint in category 2, a choice of two in 5 (naming neither is 0)",
    "citations": "count evidence that is known to cite the wrong turns; off = such a question has no known evidence",
}


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
        return LocomoTalk(load(raw, _repairs(params)), categories, _shown(params))

    def limits(self) -> Limits:
        return Limits(step_cap=0)

    def fingerprint(self) -> Fingerprint:
        digests = "".join(raw.sha256 for raw in self._raw())
        switches = {name: "on" if self._options.params.flag(name) else "off" for name in (*REPAIRS, *_SWITCHES)}
        return Fingerprint.of(
            suite=_NAME,
            split=self._options.split,
            data=hashlib.sha256(digests.encode()).hexdigest(),
            clock="left out",
            **switches,
        )

    def close(self) -> None:
        pass


def _shown(params: Params) -> Shown:
    return Shown(**{name: params.flag(name) for name in _SWITCHES})


def _repairs(params: Params) -> Repairs:
    return Repairs(**{name: params.flag(name) for name in REPAIRS})


SUITE = SuiteSpec(
    name=_NAME,
    build=LocomoSuite,
    shape=Shape.CONVERSATION,
    splits=_SPLITS,
    default_split="all",
    params=(
        *(Param(name, getattr(Shown(), name), what) for name, what in _SWITCHES.items()),
        *(Param(name, getattr(Repairs(), name), f"repair: {what}") for name, what in REPAIRS.items()),
    ),
    data=DATA,
    workers="process",
    source="LoCoMo (arXiv 2402.17753), its released file of ten conversations; split questions519 is inferred",
)
