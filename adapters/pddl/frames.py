"""The fixed part of every prompt: instructions and one short example per domain, from the text files in ``frames/``.

The offline rules recognise a domain by the first line of its instructions.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from bench.types import Frame

__all__ = ["first_line", "load_frame"]


@cache
def load_frame(domain_name: str, steps: int = 0) -> Frame:
    """Return the frame of one domain. ``steps``: the step cap, which the instructions tell; 0 = there is one."""
    limit = f"You have {steps} steps in all." if steps else "The number of steps is limited."
    return Frame(
        id=f"pddl-v1/{domain_name}",
        instructions=_read_text(f"{domain_name}.txt").replace("{limit}", limit),
        examples=_read_text(f"{domain_name}.example.txt"),
        label="Action:",
        stimulus_label="Observation:",
    )


def first_line(domain_name: str) -> str:
    """Return the sentence that opens the instructions of a domain."""
    return load_frame(domain_name).instructions.split("\n", 1)[0]


def _read_text(name: str) -> str:
    return (Path(__file__).parent / "frames" / name).read_text(encoding="utf-8").strip()
