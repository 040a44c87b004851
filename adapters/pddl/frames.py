"""The fixed part of every prompt: per domain, instructions and one short example, as text files in ``frames/``.

The first line of each instructions file is the sentence by which the domain is recognised.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from bench.types import Frame

__all__ = ["first_line", "frame"]


@cache
def frame(domain_name: str) -> Frame:
    """Return the frame of one domain."""
    return Frame(
        id=f"pddl-v1/{domain_name}",
        instructions=_text(f"{domain_name}.txt"),
        examples=_text(f"{domain_name}.example.txt"),
        label="Action:",
        stimulus_label="Observation:",
    )


def first_line(domain_name: str) -> str:
    """Return the sentence that opens the instructions of a domain."""
    return frame(domain_name).instructions.split("\n", 1)[0]


def _text(name: str) -> str:
    return (Path(__file__).parent / "frames" / name).read_text(encoding="utf-8").strip()
