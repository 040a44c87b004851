"""The offline model's rules for the toy suites. They use the messages of the call and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bench.types import ATTEMPTS_HEADING, EXPERIENCE_HEADING, Message

__all__ = ["RULES", "ToyActor", "ToyAnswerer"]

_WORLD = "You are in a small house and look for something that is hidden in a box."
_TALK = "You answer questions about what two friends told each other."
_GOAL = re.compile(
    r"You are in the (?P<start>[a-z ]+)\. The house has these rooms: (?P<rooms>[^.]*)\. "
    r"Your task is to: bring the (?P<thing>.+?) to the (?P<target>.+?)\."
)
_ROOM = re.compile(r"You (?:are in|open the box in) the ([a-z ]+?)\.")
_HOLDS = re.compile(r"The open box holds the ([a-z ]+?)\.")
_FLOOR = re.compile(r"On the floor lies the ([a-z ]+?)\.")
_DROP = re.compile(r"You drop the ([a-z ]+?) in the ([a-z ]+?)\.")
_GO = re.compile(r"Action: go to (?:the )?([a-z ]+)")


@dataclass
class _Belief:
    """The state of the house as the messages describe it."""

    here: str = ""
    holds: bool = False
    seen_at: str = ""
    opened: set[str] = field(default_factory=set)
    closed_here: bool = False

    def update(self, line: str, thing: str) -> None:
        if went := _GO.search(line):
            self.here = went[1].strip()
            return
        if room := _ROOM.search(line):
            self.here = room[1]
            self.closed_here = "There is a closed box." in line
        if "The open box" in line:
            self.closed_here = False
            self.opened.add(self.here)
            if (inside := _HOLDS.search(line)) and inside[1] == thing:
                self.seen_at = self.here
        if (floor := _FLOOR.search(line)) and thing in floor[1].split(" and the "):
            self.seen_at = self.here
        if f"You take the {thing}." in line:
            self.holds, self.seen_at = True, ""
        if (drop := _DROP.search(line)) and drop[1] == thing:
            self.holds, self.seen_at = False, drop[2]


def _read_sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield each line with the heading that it stands under; what is about other tasks is left out."""
    heading = ""
    for line in text.splitlines():
        heading = line if line.startswith("# ") else heading
        if heading != EXPERIENCE_HEADING:
            yield heading, line


class ToyActor:
    """Opens the first box that is not known to be open, in the order of the room list; brings the thing when found."""

    role = "act"
    header = _WORLD

    def reply(self, messages: Sequence[Message]) -> str:
        text = messages[-1].content
        goal = _GOAL.search(text)
        if goal is None:
            return "Action: open box"
        rooms, thing, target = goal["rooms"].split(", "), goal["thing"], goal["target"]
        belief = _Belief()
        for heading, line in _read_sections(text):
            belief.update(line, thing)
            if heading == ATTEMPTS_HEADING:  # where things are holds again, where the agent was does not
                belief.here, belief.holds, belief.closed_here = "", False, False
        belief.here = belief.here or goal["start"]
        return f"Action: {self._action(belief, rooms, thing, target)}"

    @staticmethod
    def _action(belief: _Belief, rooms: list[str], thing: str, target: str) -> str:
        if belief.holds:
            return f"drop {thing}" if belief.here == target else f"go to {target}"
        if belief.seen_at == belief.here and belief.closed_here:
            return "open box"
        if belief.seen_at:
            return f"take {thing}" if belief.here == belief.seen_at else f"go to {belief.seen_at}"
        if belief.here and belief.closed_here:
            return "open box"
        unknown = [room for room in rooms if room not in belief.opened and room != belief.here]
        return f"go to {unknown[0]}" if unknown else f"go to {next(room for room in rooms if room != belief.here)}"


_STATEMENTS = (
    (re.compile(r"Which city does (\w+) live in\?"), r"I moved to ([\w ]+)\."),
    (re.compile(r"Which pet does (\w+) have\?"), r"I got myself a ([\w ]+)\."),
    (re.compile(r"What does (\w+) work as\?"), r"I now work as a ([\w ]+)\."),
)


class ToyAnswerer:
    """Answers with the last statement of the person about the topic in the prompt."""

    role = "answer"
    header = _TALK

    def reply(self, messages: Sequence[Message]) -> str:
        text = messages[-1].content
        for pattern, statement in _STATEMENTS:
            if question := pattern.search(text):
                found = re.findall(rf"\b{question[1]}: {statement}", text)
                return f"Answer: {found[-1] if found else 'unknown'}"
        return "Answer: unknown"


RULES = (ToyActor(), ToyAnswerer())
