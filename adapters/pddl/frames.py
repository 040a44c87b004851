"""The fixed part of every prompt: instructions and one short example per domain, from the text files in ``frames/``.

The offline rules recognise a domain by the first line of its instructions.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from bench.types import Frame

__all__ = ["first_line", "load_frame"]


@cache
def load_frame(domain_name: str) -> Frame:
    """Return the frame of one domain."""
    return Frame(
        id=f"pddl-v1/{domain_name}",
        instructions=_read_text(f"{domain_name}.txt"),
        examples=_read_text(f"{domain_name}.example.txt"),
        answer_format=_read_text("answer_format.txt"),
    )


def first_line(domain_name: str) -> str:
    """Return the sentence that opens the instructions of a domain."""
    return load_frame(domain_name).instructions.split("\n", 1)[0]


def _read_text(name: str) -> str:
    return (Path(__file__).parent / "frames" / name).read_text(encoding="utf-8").strip()
