"""The fixed part of every prompt, and the texts that a memory may be given.

The tools are described in the words of the released specification (generated tasks: in our own), so the digest of a
frame knows its file. Nothing that is given stands in the frame itself.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from adapters.sop_bench.commands import ANSWER
from adapters.sop_bench.products import CLASSES, COLUMNS
from bench.errors import DataError
from bench.types import Frame

__all__ = ["GIVEN", "Tool", "first_line", "load_frame", "read_own_tools", "read_tools"]

_HERE = Path(__file__).parent
GIVEN = ("redundant", "condensed", "condensed-limits")
"""The texts of our own, in the order of a frame; the released procedure, ``full``, comes before them."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: what it is called, what it is said to do, and the name of the text that it rates."""

    name: str
    description: str
    text: str

    @property
    def score(self) -> str:
        """The column of what it returns."""
        return COLUMNS[self.text]


def read_tools(text: str, who: str) -> tuple[Tool, ...]:
    """Return the tools of a specification, in its order. Raises: DataError where it is not one of the four texts."""
    try:
        specs = [entry["toolSpec"] for entry in json.loads(text)]
        needed = [set(spec["inputSchema"]["json"]["required"]) - {"product_id"} for spec in specs]
        tools = tuple(
            Tool(spec["name"], spec["description"], (names & set(COLUMNS)).pop())
            for spec, names in zip(specs, needed, strict=True)
        )
    except (ValueError, KeyError, TypeError) as cause:
        raise DataError(f"sop-bench: expected the specification of four tools in {who}, got {cause}") from cause
    if {tool.text for tool in tools} != set(COLUMNS) or ANSWER in {tool.name for tool in tools}:
        raise DataError(f"sop-bench: expected one tool for each of the four texts in {who}, got others")
    return tools


@cache
def read_own_tools() -> tuple[Tool, ...]:
    """Return the tools of generated tasks."""
    return read_tools((_HERE / "frame" / "toolspecs.json").read_text(encoding="utf-8"), "frame/toolspecs.json")


def load_frame(name: str, tools: tuple[Tool, ...], steps: int, procedure: str = "") -> Frame:
    """Return the frame of the tasks ``name``. ``procedure``: the text given as ``full``; empty = there is none."""
    lines = [f"- {tool.name}(product_id, {tool.text}): {_describe(tool.description)}" for tool in tools]
    slots = {"{tools}": "\n".join(lines), "{classes}": ", ".join(CLASSES), "{steps}": str(steps)}
    instructions = _read("frame/instructions.txt")
    for slot, text in slots.items():
        instructions = instructions.replace(slot, text)
    full = (("full", procedure.strip()),) if procedure else ()
    return Frame(
        id=f"{name}/{len(tools)} tools",
        instructions=instructions,
        answer_format=_read("frame/answer_format.txt"),
        given=(*full, *((text, _read(f"given/{text}.txt")) for text in GIVEN)),
    )


def first_line() -> str:
    """Return the sentence that opens the instructions."""
    return _read("frame/instructions.txt").split("\n", 1)[0]


def _describe(text: str) -> str:
    return f"{text[:1].lower()}{text[1:].rstrip('.')}."


@cache
def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8").strip()
