"""Suite ``locomo-v1``: very long conversations between two people, and questions in five categories.

A task is one conversation. Sessions have dates and images have captions, every strategy gets the same short-answer
contract, and no prompt tells a question's category. Split ``generated`` holds made-up conversations, with no download.
Source: LoCoMo (arXiv 2402.17753). Deviations: one contract where the official prompts tell categories 2 and 5 apart
(``leak=on`` does as they do, and is marked in the fingerprint); the clock is left off a session's date; the official
evidence recall counts a question without evidence as 1, here it has none. Split ``questions519`` (the last three
conversations, categories 2, 4 and 5) is inferred from its size.
"""

from __future__ import annotations

import hashlib
from dataclasses import astuple

from adapters.locomo.conversation import FRAME, LocomoConversation, Shown
from adapters.locomo.data import DATA, FILE, RawTalk, read_file
from adapters.locomo.generate import Recipe, generate
from adapters.locomo.loading import REPAIRS, Repairs, Talk, load
from adapters.locomo.scoring import CATEGORIES
from bench.errors import DataError
from bench.protocols import Conversation, Param, Params, SuiteOptions, SuiteSpec
from bench.types import Fingerprint, Limits, Shape, Task

__all__ = ["FRAME", "SUITE", "LocomoConversation", "LocomoSuite"]

_NAME = FRAME.id
_TEST_TALKS = 3
_MADE = "generated"
_SPLITS = ("all", "questions519", "train", "test", _MADE)
_INFERRED = frozenset((2, 4, 5))
_SWITCHES = {
    "captions": "show the caption of a shared image after its turn",
    "leak": "ask as the official prompts do: a date hint in category 2, a choice of two in 5 (naming neither is 0)",
    "citations": "count evidence that is known to cite the wrong turns; off = such a question has no known evidence",
}
_SIZES = (
    Param("sessions", Recipe().sessions, f"split {_MADE}: sessions of a conversation", minimum=1),
    Param("turns", Recipe().turns, f"split {_MADE}: turns of a session", minimum=4),
    Param("questions", Recipe().questions, f"split {_MADE}: questions of a conversation, if there is room", minimum=1),
    Param("draw", Recipe().draw, f"split {_MADE}: another number makes other conversations", minimum=0),
)


class LocomoSuite:
    """The conversations of one split."""

    def __init__(self, options: SuiteOptions):
        self._options = options
        self._made = options.split == _MADE
        self._read: tuple[RawTalk, ...] = ()

    def _raw(self) -> tuple[RawTalk, ...]:
        self._read = self._read or read_file(self._options.data_root)
        return self._read

    def tasks(self) -> list[Task]:
        """Return every conversation of the split, sorted by id. Raises: DataError for the file as a whole."""
        if self._made:
            return [self._made_task(number) for number in range(self._options.params.integer("talks"))]
        conversations, split = self._raw(), self._options.split
        cut = max(0, len(conversations) - _TEST_TALKS)
        chosen = {"all": conversations, "train": conversations[:cut]}.get(split, conversations[cut:])
        return [self._task(raw) for raw in chosen]

    def _task(self, raw: RawTalk) -> Task:
        split = self._options.split
        return Task(raw.name, _NAME, split, "conversation", raw.name, f"{FILE}#{raw.name}", digest=raw.sha256)

    def _made_task(self, number: int) -> Task:
        recipe = _recipe(self._options.params)
        conversation = generate(number, recipe).conversation
        source = f"draw {recipe.draw}, conversation {number}"
        return Task(
            conversation.name,
            _NAME,
            _MADE,
            "conversation",
            conversation.name,
            source,
            str(number),
            _digest(repr(astuple(conversation))),
        )

    def open(self, task: Task) -> Conversation:
        """Return one conversation. Raises: DataError naming the file, the conversation and the field."""
        params = self._options.params
        categories = _INFERRED if self._options.split == "questions519" else frozenset(CATEGORIES)
        return LocomoConversation(self._talk(task), categories, _shown(params))

    def _talk(self, task: Task) -> Talk:
        if self._made:
            return generate(int(task.payload), _recipe(self._options.params)).conversation
        raw = next((one for one in self._raw() if one.name == task.id), None)
        if raw is None:
            raise DataError(f"locomo: expected {FILE} to hold {task.id}, got no such conversation; take the run's file")
        return load(raw, _repairs(self._options.params))

    def limits(self) -> Limits:
        return Limits(step_cap=0)

    def fingerprint(self) -> Fingerprint:
        digests = [task.digest for task in self.tasks()] if self._made else [raw.sha256 for raw in self._raw()]
        switches = {name: "on" if self._options.params.flag(name) else "off" for name in (*REPAIRS, *_SWITCHES)}
        return Fingerprint.of(
            suite=_NAME,
            split=self._options.split,
            data=_digest("".join(digests)),
            clock="left out",
            ask=str(self._options.params.integer("ask")),
            **switches,
        )

    def close(self) -> None:
        pass


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _recipe(params: Params) -> Recipe:
    return Recipe(**{size.name: params.integer(size.name) for size in _SIZES})


def _shown(params: Params) -> Shown:
    return Shown(**{name: params.flag(name) for name in _SWITCHES}, ask=params.integer("ask"))


def _repairs(params: Params) -> Repairs:
    return Repairs(**{name: params.flag(name) for name in REPAIRS})


SUITE = SuiteSpec(
    name=_NAME,
    build=LocomoSuite,
    shape=Shape.CONVERSATION,
    splits=_SPLITS,
    default_split="all",
    offline_splits=(_MADE,),
    params=(
        *(Param(name, getattr(Shown(), name), what) for name, what in _SWITCHES.items()),
        *(Param(name, getattr(Repairs(), name), f"repair: {what}") for name, what in REPAIRS.items()),
        Param("ask", 0, "ask at most so many questions of a conversation, spread evenly; 0 = all", minimum=0),
        Param("talks", 4, f"split {_MADE}: how many conversations", minimum=1),
        *_SIZES,
    ),
    data=DATA,
    workers="process",
    source="LoCoMo (arXiv 2402.17753), its released file of ten conversations; split questions519 is inferred",
)
