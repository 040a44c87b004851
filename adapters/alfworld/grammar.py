"""The wording of a game, and the frame text in that wording.

ALFWorld games have one of two wordings, which look alike on disk: ``put X in/on Y`` (before December 2024), ``move X to
Y``. The wording is read from the game itself, never from a package version. Instructions and examples lie in ``frame/``
as text; examples are neutral records and are rendered into the wording of the game. Knows no engine and no data folder.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from bench.errors import DataError
from bench.types import Frame

__all__ = ["FRAMES", "GRAMMARS", "Grammar", "frame_for", "probe"]

FRAMES = ("full", "bare")
"""How much a frame teaches: ``bare`` has the commands and the answer format, and neither procedures nor examples."""

_FRAME_DIR = Path(__file__).parent / "frame"
_EXAMPLES = ("example_cool.txt", "example_lamp.txt")
_PUT_TEMPLATE = re.compile(r'action\s+PutObject\s*\{\s*template\s*::\s*"([^"]+)"')


class Grammar(StrEnum):
    """The command that puts an object down."""

    PUT = "put"
    MOVE = "move"


GRAMMARS = tuple(Grammar)


def probe(grammar_text: str, who: str) -> Grammar:
    """Return the wording of a game from its own grammar text. Raises: DataError for an unknown wording."""
    found = _PUT_TEMPLATE.search(grammar_text)
    template = found.group(1) if found else ""
    if template == "move {o} to {r}":
        return Grammar.MOVE
    if template == "put {o} in/on {r}":
        return Grammar.PUT
    raise DataError(
        f"{who}: expected a game that says 'move X to Y' or 'put X in/on Y', got template {template!r}; "
        "get the games again with `bench data get alfworld`"
    )


@cache
def frame_for(grammar: Grammar, frame: str = "full") -> Frame:
    """Return the frame of a wording, one of ``FRAMES``: instructions, the answer format; ``full``: two examples."""
    commands = "\n".join(f"- {line}" for line in _read_lines(f"commands_{grammar}.txt"))
    name, bare = f"alfworld-v1/{grammar}", frame == "bare"
    instructions = _read_text("instructions_bare.txt" if bare else "instructions.txt").replace("{commands}", commands)
    examples = "" if bare else "\n\n".join(_render_example(one, grammar) for one in _EXAMPLES)
    return Frame(name + "/bare" * bare, instructions, examples, answer_format=_read_text("answer_format.txt"))


@dataclass(frozen=True, slots=True)
class _Wording:
    """The command of one verb, and the observation after it."""

    command: str
    reply: str


def _read_text(name: str) -> str:
    return (_FRAME_DIR / name).read_text(encoding="utf-8").strip()


def _read_lines(name: str) -> list[str]:
    return [line for line in _read_text(name).splitlines() if line.strip()]


def _split_cells(line: str) -> list[str]:
    return ["" if cell.strip() == "-" else cell.strip() for cell in line.split("|")]


@cache
def _load_wordings(grammar: Grammar) -> dict[str, _Wording]:
    rows = (_split_cells(line) for line in _read_lines(f"replies_{grammar}.txt"))
    return {verb: _Wording(command, reply) for verb, command, reply in rows}


def _render_example(name: str, grammar: Grammar) -> str:
    """Render one example of neutral records (verb, object, place, spot, what is seen)."""
    wordings = _load_wordings(grammar)
    out: list[str] = []
    room = ""
    for line in _read_lines(name):
        verb, *cells = _split_cells(line)
        if verb == "room":
            room = f"You are in the middle of a room. Looking quickly around you, you see {format_list(cells[0])}."
        elif verb == "task":
            out += ["Example", f"Task: {room} Your task is to: {cells[0]}."]
        else:
            thing, place, spot, seen = cells
            words = {"object": thing, "place": place, "spot": spot, "seen": _describe_content(place, seen)}
            out.append("Action: " + wordings[verb].command.format(**words))
            out.append("Observation: " + wordings[verb].reply.format(**words))
    return "\n".join(out)


def format_list(names: str) -> str:
    """Return ``a mug 1, a pen 2, and a vase 1`` for ``mug 1, pen 2, vase 1``, as the games list things."""
    if names == "nothing":
        return names
    each = [f"a {name.strip()}" for name in names.split(",")]
    return each[0] if len(each) == 1 else f"{', '.join(each[:-1])}, and {each[-1]}"


def _describe_content(place: str, seen: str) -> str:
    if seen == "closed":
        return f"The {place} is closed."
    where, _, names = seen.partition(":")
    if where == "in":
        return f"The {place} is open. In it, you see {format_list(names.strip())}."
    return f"On the {place}, you see {format_list(names.strip())}." if where == "on" else ""
