"""The fixed part of every prompt: instructions and one short example of our own, from the text files in ``frame/``.

The offline rules recognise the suite by the first line of the instructions.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from bench.types import Frame

__all__ = ["first_line", "load_frame"]


@cache
def load_frame() -> Frame:
    """Return the frame of every game."""
    return Frame(
        id="jericho-v1/commands",
        instructions=_text("instructions.txt"),
        examples=_text("example.txt"),
        answer_format=_text("answer_format.txt"),
    )


def first_line() -> str:
    """Return the sentence that opens the instructions."""
    return load_frame().instructions.split("\n", 1)[0]


def _text(name: str) -> str:
    return (Path(__file__).parent / "frame" / name).read_text(encoding="utf-8").strip()
