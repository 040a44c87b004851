"""The fixed part of every prompt: instructions and one short example per domain, from the text files in ``frames/``.

The instructions are the actions with their conditions; a bare frame has these alone. The offline rules recognise a
domain by the first line of its instructions.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from bench.types import Frame

__all__ = ["FRAMES", "first_line", "load_frame"]

FRAMES = ("full", "bare")
"""How much a frame teaches: ``bare`` has no example."""


@cache
def load_frame(domain_name: str, frame: str = "full", steps: int = 0) -> Frame:
    """Return the frame of one domain, one of ``FRAMES``.

    ``steps``: the step cap, which the instructions tell; 0 = there is one.
    """
    bare = frame == "bare"
    limit = f"You have {steps} steps in all." if steps else "The number of steps is limited."
    return Frame(
        id=f"pddl-v1/{domain_name}" + "/bare" * bare,
        instructions=_read_text(f"{domain_name}.txt").replace("{limit}", limit),
        examples="" if bare else _read_text(f"{domain_name}.example.txt"),
        answer_format=_read_text("answer_format.txt"),
    )


def first_line(domain_name: str) -> str:
    """Return the sentence that opens the instructions of a domain."""
    return load_frame(domain_name).instructions.split("\n", 1)[0]


def _read_text(name: str) -> str:
    return (Path(__file__).parent / "frames" / name).read_text(encoding="utf-8").strip()
