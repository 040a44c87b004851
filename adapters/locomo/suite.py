"""Suite ``locomo-v1``: very long conversations between two people, and questions in five categories.

Source: LoCoMo (arXiv 2402.17753), the released file of ten conversations.

Tasks: one conversation per task, with all its questions; the group of a question is its category. Sessions have dates,
images have captions.

* split ``all`` (default): the ten conversations; ``train``: the first seven; ``test``: the last three.
* split ``questions519``: categories 2, 4 and 5 of the last three conversations. A paper gives only the size of this
  selection; the selection is inferred from it.
* split ``generated``: synthetic conversations (``generate``); no download.

Score: success = the official F1 of categories 1 to 4. ``f1`` = the official overall score, ``adversarial`` = category
5, ``f1-set`` and ``bleu-1`` = the scores of later papers.

Differences from the published set-up:

* All questions have the same short-answer instructions; the official prompts give categories 2 and 5 away. ``leak=on``
  does the same, and the fingerprint records it. ``protocol`` takes the words of a paper (``protocols``).
* The clock is removed from the date of a session.
* Defects of the file are repaired (``loading``); each repair has a switch.
* The official evidence recall of a question without evidence is 1; here it has none.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path

from adapters.locomo.asking import FRAME, Asking
from adapters.locomo.conversation import LocomoConversation, Switches
from adapters.locomo.data import DATA, FILE, RawConversation, is_official, read_file
from adapters.locomo.doubts import find_doubts
from adapters.locomo.generate import Recipe, generate
from adapters.locomo.loading import REPAIRS, Repairs, load
from adapters.locomo.scoring import CATEGORIES
from adapters.shared.published.data import DATA as PROMPTS
from adapters.shared.published.protocol import HOUSE, list_protocols, open_protocol
from adapters.shared.turn_text import Repair, summarise
from bench.errors import DataError
from bench.protocols import Conversation, Param, Params, SuiteOptions, SuiteSpec
from bench.types import Fingerprint, Limits, Shape, Task

__all__ = ["FRAME", "SUITE", "LocomoConversation", "LocomoSuite"]

_NAME = FRAME.id
_HERE = Path(__file__).parent
_TEST_CONVERSATIONS = 3
_PLAIN = ("integers", "traps")
"""Repairs that lose nothing."""
_GENERATED = "generated"
_SPLITS = ("all", "questions519", "train", "test", _GENERATED)
_INFERRED = frozenset((2, 4, 5))
_SWITCHES = {
    "captions": "show the caption of a shared image after its turn",
    "leak": "ask as the official prompts do: a date hint in category 2, a choice of two in 5 (naming neither is 0)",
    "citations": "use evidence that is known to cite the wrong turns; off = such a question has no evidence",
}
_SIZES = (
    Param("sessions", Recipe().sessions, f"split {_GENERATED}: sessions of a conversation", minimum=1, maximum=10_000),
    Param("turns", Recipe().turns, f"split {_GENERATED}: turns of a session", minimum=4, maximum=10_000),
    Param(
        "questions",
        Recipe().questions,
        f"split {_GENERATED}: questions of a conversation, if there is room",
        minimum=1,
        maximum=10_000,
    ),
    Param("draw", Recipe().draw, f"split {_GENERATED}: another number gives other conversations", minimum=0),
)


class LocomoSuite:
    """The conversations of one split."""

    def __init__(self, options: SuiteOptions):
        self._options = options
        self._protocol = open_protocol(_HERE, options)
        self._is_generated = options.split == _GENERATED
        self._conversations: tuple[RawConversation, ...] = ()

    def _read_conversations(self) -> tuple[RawConversation, ...]:
        self._conversations = self._conversations or read_file(self._options.data_root)
        return self._conversations

    def tasks(self) -> list[Task]:
        """Return every conversation of the split, sorted by id. Raises: DataError for the file as a whole."""
        if self._is_generated:
            return [self._build_generated_task(number) for number in range(self._options.params.integer("talks"))]
        conversations, split = self._read_conversations(), self._options.split
        cut = max(0, len(conversations) - _TEST_CONVERSATIONS)
        selected = {"all": conversations, "train": conversations[:cut]}.get(split, conversations[cut:])
        return [self._build_task(raw) for raw in selected]

    def _build_task(self, raw: RawConversation) -> Task:
        split = self._options.split
        return Task(raw.name, _NAME, split, "conversation", raw.name, f"{FILE}#{raw.name}", digest=raw.sha256)

    def _build_generated_task(self, number: int) -> Task:
        recipe = _build_recipe(self._options.params)
        conversation = generate(number, recipe).conversation
        source = f"draw {recipe.draw}, conversation {number}"
        return Task(
            conversation.name,
            _NAME,
            _GENERATED,
            "conversation",
            conversation.name,
            source,
            str(number),
            _hash(repr(astuple(conversation))),
        )

    def open(self, task: Task) -> Conversation:
        """Return one conversation. Raises: DataError naming the file, the conversation and the field."""
        params = self._options.params
        chosen = _INFERRED if self._options.split == "questions519" else frozenset(CATEGORIES)
        switches = _build_switches(params)
        asking = Asking(self._protocol, self._options.data_root, switches.leak)
        categories = frozenset(category for category in chosen if asking.asks(category))
        if self._is_generated:
            made = generate(int(task.payload), _build_recipe(params)).conversation
            return LocomoConversation(made, categories, switches, asking)
        raw = self._find_conversation(task)
        doubts = find_doubts(raw.fields.get("qa"))
        return LocomoConversation(load(raw, _build_repairs(params)), categories, switches, asking, doubts)

    def _find_conversation(self, task: Task) -> RawConversation:
        raw = next((one for one in self._read_conversations() if one.name == task.id), None)
        if raw is None:
            raise DataError(f"locomo: expected {FILE} to hold {task.id}, got no such conversation; take the run's file")
        return raw

    def notices(self) -> tuple[str, ...]:
        """Return what was repaired in a file of the user's own, and what of its turns is not shown."""
        if self._is_generated or is_official(self._options.data_root):
            return ()
        repairs: list[Repair] = []
        for raw in self._read_conversations():
            with suppress(DataError):  # it is reported when it is opened
                repairs += load(raw, _build_repairs(self._options.params)).repairs
        return summarise(FILE, (one for one in repairs if one.kind not in _PLAIN))

    def limits(self) -> Limits:
        return Limits(step_cap=0)

    def fingerprint(self) -> Fingerprint:
        digests = (
            [task.digest for task in self.tasks()]
            if self._is_generated
            else [raw.sha256 for raw in self._read_conversations()]
        )
        switches = {name: "on" if self._options.params.flag(name) else "off" for name in (*REPAIRS, *_SWITCHES)}
        return Fingerprint.of(
            suite=_NAME,
            split=self._options.split,
            data=_hash("".join(digests)),
            clock="left out",
            ask=str(self._options.params.integer("ask")),
            **switches,
            **self._protocol.entries,
        )

    def close(self) -> None:
        pass


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _build_recipe(params: Params) -> Recipe:
    return Recipe(**{size.name: params.integer(size.name) for size in _SIZES})


def _build_switches(params: Params) -> Switches:
    return Switches(**{name: params.flag(name) for name in _SWITCHES}, ask=params.integer("ask"))


def _build_repairs(params: Params) -> Repairs:
    return Repairs(**{name: params.flag(name) for name in REPAIRS})


SUITE = SuiteSpec(
    name=_NAME,
    build=LocomoSuite,
    shape=Shape.CONVERSATION,
    splits=_SPLITS,
    default_split="all",
    offline_splits=(_GENERATED,),
    params=(
        Param("protocol", HOUSE, "a paper's own prompt and choice of questions", list_protocols(_HERE)),
        *(Param(name, getattr(Switches(), name), what) for name, what in _SWITCHES.items()),
        *(Param(name, getattr(Repairs(), name), f"repair: {what}") for name, what in REPAIRS.items()),
        Param("ask", 0, "ask at most so many questions of a conversation, spread evenly; 0 = all", minimum=0),
        Param("talks", 4, f"split {_GENERATED}: how many conversations", minimum=1, maximum=10_000),
        *_SIZES,
    ),
    data=DATA,
    shared_data=(PROMPTS,),
    workers="process",
    source="LoCoMo (arXiv 2402.17753), its released file of ten conversations; split questions519 is inferred",
)
