"""What a reply in HiAgent's dialect means: a sub-goal, an action, or a wish to see closed sub-goals in full.

The text is read by ``bench.replies``. A sub-goal is the last such line above the action; what stands below the action
is ignored, for a model that goes on to invent observations has decided already.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from baselines.shared.grammar import cut_grammar
from bench.agents import read_value
from bench.replies import ReadReply, read_calls, read_lines
from bench.types import Frame, Shape

__all__ = ["ParsedReply", "read_reply"]

_LABELS = {"subgoal": ("sub-goal", "subgoal")}
_RETRIEVE = ("retrieve",)
_GRAMMAR = re.compile(r"retrieve\s*\(|sub[ -]?goal[\W\d_]{0,9}:", re.IGNORECASE)
_MAX_SUBGOAL = 200
"""Characters of a sub-goal that are kept: it is a heading, and stands in every later prompt."""


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """What a reply says. ``retrieve`` is None if it does not ask; empty if it asks for nothing that is a number."""

    subgoal: str = ""
    reply: ReadReply = ReadReply()
    retrieve: tuple[int, ...] | None = None

    @property
    def dialect(self) -> tuple[str, ...]:
        return ("subgoal",) * bool(self.subgoal) + ("retrieve",) * (self.retrieve is not None)


def read_reply(text: str, frame: Frame, *, may_retrieve: bool = True) -> ParsedReply:
    """Return what the reply says; without ``may_retrieve`` a retrieval is nothing that can be said."""
    lines = read_lines(text, _LABELS, frame.label)
    rest, retrieve = lines.rest, None
    if may_retrieve and (found := read_calls(rest, _RETRIEVE, frame.label)).calls:
        rest = found.rest
        retrieve = tuple(dict.fromkeys(number for call in found.calls for number in call.numbers))
    action = cut_grammar(read_value(rest, frame, Shape.EPISODE), _GRAMMAR)
    return ParsedReply(lines["subgoal"][:_MAX_SUBGOAL].strip(), action, retrieve)
