"""A paper's protocol: which of its texts stand in a prompt, whether thoughts are allowed, and which limits hold.

A protocol is one TOML file in the folder ``protocols`` of its suite; its fields are those of ``Protocol``, and a piece
of a text is a table with the fields of ``Piece``. ``house`` is no file: the suite's own prompt.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

from adapters.shared.published.data import list_files, read_file
from adapters.shared.published.pieces import Piece, read_piece
from bench.errors import DataError, nearest
from bench.protocols import SuiteOptions
from bench.types import Frame, ThoughtRule

__all__ = [
    "HOUSE",
    "Protocol",
    "QuestionWording",
    "compose_frame",
    "find_wording",
    "list_protocols",
    "load_protocol",
    "open_protocol",
]

HOUSE = "house"
"""The suite's own prompt and limits."""
_FOLDER = "protocols"
_SENTENCE = re.compile(r".*?[.!?](?=\s|$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class QuestionWording:
    """How the questions of some groups are put; ``groups`` empty = all others."""

    piece: Piece
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Protocol:
    """What a paper fixes. A limit of 0, or a text that is empty, leaves what the suite says."""

    name: str = HOUSE
    source: str = ""
    steps: int = 0
    """Step cap."""
    loop: int = 0
    """The number of identical actions in a row that ends an episode."""
    reply_tokens: int = 0
    temperature: float | None = None
    """What the paper sampled with; a run sets it with ``--temperature``."""
    stop: tuple[str, ...] = ()
    oracle_type: bool = False
    """The examples are chosen by the task type, which the agent of the paper was given for free."""
    thoughts: ThoughtRule | None = None
    reply: str = ""
    """Our words for the form of a reply: the frame's answer format."""
    cue: str = ""
    """The last line of a prompt, where the paper's is not the label."""
    groups: tuple[str, ...] = ()
    """The groups of questions that are asked; empty = all."""
    choice: bool = False
    """A question without an answer offers two to choose from: the trap, and that there is none."""
    instructions: tuple[Piece, ...] = ()
    examples: tuple[Piece, ...] = ()
    questions: tuple[QuestionWording, ...] = ()
    digest: str = ""
    """Of the file, and of every file that it takes pieces from; empty for the suite's own."""

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Every piece of a text that is used."""
        return (*self.instructions, *self.examples, *(wording.piece for wording in self.questions))

    @property
    def entries(self) -> dict[str, str]:
        """What a fingerprint holds of it."""
        if self.name == HOUSE:
            return {"protocol": HOUSE}
        temperature = "not fixed" if self.temperature is None else f"{self.temperature:g}"
        oracle = "oracle" if self.oracle_type else "none"
        return {
            "protocol": f"{self.name} {self.digest}",
            "protocol_temperature": temperature,
            "protocol_task_type": oracle,
        }


def list_protocols(suite_folder: Path) -> tuple[str, ...]:
    """Return the names of a suite's protocols, its own first."""
    return (HOUSE, *sorted(path.stem for path in (suite_folder / _FOLDER).glob("*.toml")))


@cache
def load_protocol(suite_folder: Path, name: str) -> Protocol:
    """Return a protocol of a suite. Raises: DataError for a file with a field that is not known or does not fit."""
    if name == HOUSE:
        return Protocol()
    path = suite_folder / _FOLDER / f"{name}.toml"
    text = path.read_text(encoding="utf-8-sig")
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as cause:
        raise DataError(f"{path}: expected TOML, got {cause}; correct that line") from None
    parts: dict[str, Any] = {part: _read_pieces(path, given.pop(part, [])) for part in ("instructions", "examples")}
    questions = given.pop("questions", [])
    groups = [tuple(table.pop("groups", ())) for table in questions]
    parts["questions"] = tuple(map(QuestionWording, _read_pieces(path, questions), groups))
    if "thoughts" in given:
        parts["thoughts"] = _build(path, ThoughtRule, given.pop("thoughts"))
    read: Protocol = replace(_build(path, Protocol, given, {"name", "digest"}), name=name, **parts)
    pins = "".join(list_files()[file].sha256 for file in sorted({piece.file for piece in read.pieces}))
    return replace(read, digest=hashlib.sha256((text + pins).encode()).hexdigest()[:16])


def open_protocol(suite_folder: Path, options: SuiteOptions) -> Protocol:
    """Return the protocol of a run. Raises: DataError as ``load_protocol``, or naming a file that is missing."""
    protocol = load_protocol(suite_folder, options.params.text("protocol"))
    for file in sorted({piece.file for piece in protocol.pieces}):
        read_file(options.data_root, file)
    return protocol


def _read_pieces(path: Path, tables: list[dict[str, Any]]) -> tuple[Piece, ...]:
    pieces = tuple(_build(path, Piece, table) for table in tables)
    for piece in pieces:
        if piece.file not in list_files():
            raise DataError(f"{path}: expected a file of the prompts, got {piece.file!r}; name one of files.csv")
    return pieces


def _build(path: Path, kind: Any, given: Mapping[str, Any], reserved: Collection[str] = ()) -> Any:
    """Return a record of a kind. Raises: DataError for a field that is not known, of another type, or missing."""
    known = {field.name: field.default for field in fields(kind) if field.name not in reserved}
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    for name, value in values.items():
        if name not in known:
            hint = " or ".join(nearest(name, known)) or ", ".join(sorted(known))
            raise DataError(f"{path}: expected known fields, got {name!r}; write {hint}")
        default = known[name]
        if isinstance(default, str | int | tuple) and type(value) is not type(default):
            raise DataError(f"{path}: expected {name} to be like {default!r}, got {value!r}; correct it")
    try:
        return kind(**values)
    except (TypeError, ValueError) as cause:
        raise DataError(f"{path}: expected the fields of a {kind.__name__}, got {cause}; correct them") from None


def find_wording(protocol: Protocol, group: str) -> Piece | None:
    """Return how a paper puts the questions of a group; None = as the suite does."""
    named = [wording.piece for wording in protocol.questions if group in wording.groups]
    others = [wording.piece for wording in protocol.questions if not wording.groups]
    return next(iter(named + others), None)


def compose_frame(protocol: Protocol, house: Frame, data_root: Path, slots: Mapping[str, str]) -> Frame:
    """Return the frame of a protocol. The first sentence of the suite's own stays, and the form of a reply is ours.

    ``slots``: what ``{type}`` and the like in a piece stand for. Raises: DataError as ``read_piece``.
    """
    if protocol.name == HOUSE:
        return house
    first = _SENTENCE.match(house.instructions)
    texts = [read_piece(data_root, piece, slots) for piece in protocol.instructions]
    return replace(
        house,
        id=f"{house.id}/{protocol.name}",
        instructions="\n\n".join(part for part in (first and first[0], *texts) if part),
        answer_format=protocol.reply.strip(),
        examples="\n\n".join(read_piece(data_root, piece, slots) for piece in protocol.examples),
        stop=protocol.stop,
        cue=protocol.cue,
        max_tokens=protocol.reply_tokens or house.max_tokens,
        thoughts=protocol.thoughts,
    )
