"""What the executor's reply means, an action or a signal to the planner, and what the planner's reply means.

The text is read by ``bench.replies``. What comes first counts: a signal below an action is played on, an action below a
signal belongs to no sub-goal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from baselines.shared.grammar import cut_grammar
from bench.agents import read_value
from bench.replies import ReadReply, read_lines
from bench.types import Frame, Shape

__all__ = ["DONE", "INVALID", "ParsedReply", "read_reply", "read_subgoal"]

DONE, INVALID = "done", "invalid"
_SIGNAL, _SUBGOAL = {"signal": ("signal",)}, {"subgoal": ("sub-goal", "subgoal")}
_WORDS = {
    DONE: re.compile(r"\W*(?:done|reached|achieved|completed?|finished|success)\b", re.IGNORECASE),
    INVALID: re.compile(r"\W*(?:invalid|impossible|infeasible|unreachable|not |cannot |failed)", re.IGNORECASE),
}
_GRAMMAR = re.compile(r"(?:signal|sub[ -]?goal)[\W_]{0,9}:", re.IGNORECASE)
_MAX_SUBGOAL = 200
"""Characters of a sub-goal that are kept: it stands in every later prompt."""


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """What the executor says; ``signal`` is empty, done or invalid."""

    signal: str = ""
    reply: ReadReply = ReadReply()

    @property
    def dialect(self) -> tuple[str, ...]:
        return (self.signal,) if self.signal else ()


def read_reply(text: str, frame: Frame, *, may_signal: bool = True) -> ParsedReply:
    """Return what the reply says; without ``may_signal`` a signal is nothing that can be said."""
    lines = read_lines(text, _SIGNAL, frame.label)
    signal = _find_signal(lines["signal"]) if may_signal else ""
    if signal:
        return ParsedReply(signal)
    value = read_value(lines.rest, frame, Shape.EPISODE)
    if may_signal and (signal := _find_signal(read_lines(value.value, _SIGNAL)["signal"])):
        return ParsedReply(signal)  # ``Action: Signal: done``
    return ParsedReply(reply=cut_grammar(value, _GRAMMAR))


def _find_signal(text: str) -> str:
    return next((name for name, words in _WORDS.items() if words.match(text)), "")


def read_subgoal(text: str) -> str:
    """Return the sub-goal of the planner's reply; empty if there is none."""
    return read_lines(text, _SUBGOAL)["subgoal"][:_MAX_SUBGOAL].strip()
