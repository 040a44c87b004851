"""The fixed part of every prompt: instructions and one short example per domain, from the text files in ``frames/``.

Those of a user's domain are made from its actions (``plain``), and have no example.

The instructions are the actions with their conditions; a bare frame has these alone. The offline rules recognise a
domain by the first line of its instructions.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from adapters.pddl.domain import is_own, load_domain
from adapters.pddl.plain import describe_actions, describe_kinds
from adapters.pddl.wording import load_wording
from bench.types import Frame

__all__ = ["FRAMES", "OWN_LINE", "first_line", "load_frame"]

FRAMES = ("full", "bare")
"""How much a frame teaches: ``bare`` has no example."""


@cache
def load_frame(key: str, frame: str = "full", steps: int = 0) -> Frame:
    """Return the frame of one domain, one of ``FRAMES``.

    ``steps``: the step cap, which the instructions tell; 0 = there is one.
    """
    limit = f"You have {steps} steps in all." if steps else "The number of steps is limited."
    if is_own(key):
        return Frame("pddl-v1/own", _describe_own(key).replace("{limit}", limit), answer_format=_ANSWER_FORMAT)
    bare = frame == "bare"
    return Frame(
        id=f"pddl-v1/{key}" + "/bare" * bare,
        instructions=_read_text(f"{key}.txt").replace("{limit}", limit),
        examples="" if bare else _read_text(f"{key}.example.txt"),
        answer_format=_ANSWER_FORMAT,
    )


def _describe_own(key: str) -> str:
    domain, words = load_domain(key), load_wording(key)
    slots = {"domain": domain.name, "kinds": describe_kinds(domain), "actions": describe_actions(domain, words)}
    text = _read_text("own.txt")
    for name, value in slots.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def first_line(key: str) -> str:
    """Return the sentence that opens the instructions of a domain."""
    return load_frame(key).instructions.split("\n", 1)[0]


def _read_text(name: str) -> str:
    return (Path(__file__).parent / "frames" / name).read_text(encoding="utf-8").strip()


_ANSWER_FORMAT = _read_text("answer_format.txt")
OWN_LINE = _read_text("own.txt").split("\n", 1)[0]
"""The sentence that opens the instructions of every domain of a user's."""
