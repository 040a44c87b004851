"""What a closed sub-goal leaves behind: nothing, its last observation, or a line by the model. Made once per chunk.

Source: HiAgent, sec. 3.3 and the ablation "w/o OS" (the last observation). Its summariser was never published, so the
prompt (``summarize.txt``) is our own. ``variant=code`` repeats the published code, which asks no model in domains
whose observation tells the whole state; the code looks at the domain's name, here it is read off the observations: the
last one repeats at least half of the sentences of the one before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from baselines.shared.summarizer import Summarizer, tell_limit
from bench.agents import render
from bench.protocols import Kit
from bench.types import Event, EventKind, Message

__all__ = ["Chunk", "Summaries"]

_PROMPT = Path(__file__).with_name("summarize.txt").read_text(encoding="utf-8").strip()
_FEW = 3
"""A state has at least this many sentences."""


@dataclass(slots=True)
class Chunk:
    """A sub-goal and what was done for it. ``id`` 0 is what came before the first sub-goal."""

    id: int
    subgoal: str
    events: list[Event] = field(default_factory=list)
    summary: str = ""


class Summaries:
    """Summarises closed chunks."""

    def __init__(self, kit: Kit):
        self._kit = kit
        self._mode = kit.params.text("summary")
        self._code = kit.params.text("variant") == "code"
        self._limit = kit.params.integer("summary_tokens")
        self.summarizer = Summarizer(kit, "summarize", self._limit)

    def summarize(self, goal: str, chunk: Chunk, before: str) -> str:
        """Return one line, empty if nothing is kept or nothing was observed; ``before`` is the outcome before it.

        A model's line that is empty, or longer than what it stands for, is refused: the last observation stands in.
        """
        observations = [event.text for event in chunk.events if event.kind is EventKind.OBSERVATION]
        if self._mode == "none" or not observations:
            return ""
        last = _join_lines(observations[-1])
        if self._mode == "last" or (self._code and _repeats_state(observations)):
            return last
        events_text = render(chunk.events)
        head = f"# Task\n{goal}\n\n# Sub-goal\n" if goal else ""
        head += f"Outcome of the sub-goal before: {before}\n" if before else ""
        messages = (
            Message("system", tell_limit(_PROMPT, self._limit)),
            Message("user", f"{head}Sub-goal: {chunk.subgoal}\nWhat happened:\n{events_text}"),
        )
        line = _join_lines(self.summarizer.ask(messages))
        count = self._kit.budget.count
        return line if line and count(line) <= count(events_text) else last


def _join_lines(text: str) -> str:
    return " ".join(text.split())


def _repeats_state(observations: Sequence[str]) -> bool:
    """True if the last observation tells the whole state, as far as the one before it can show."""
    if len(observations) < 2:
        return False
    before, last = ({part.strip() for part in re.split(r"[.\n]", text) if part.strip()} for text in observations[-2:])
    return len(before) >= _FEW and 2 * len(before & last) >= len(before)
