"""Goal and believed state, derived from the messages of one call.

The opening is parsed first, then the present of the memory in step order (``adapters.shared.teaching``), then the
current observation. A whole-state text replaces the belief, whether it stands in the opening or in an observation; a
sentence of the domain adds or removes one fact; an action without an observation counts as executed if its conditions
hold in the belief. Facts that no message states are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from adapters.pddl.domain import Atom, load_domain
from adapters.pddl.phrases import read_command
from adapters.pddl.wording import FAILED, GOAL_LEAD, UNCHANGED, UNKNOWN, VALID_LEAD, load_wording
from adapters.shared.sections import split_sections
from adapters.shared.teaching import Divided, divide
from bench.types import Message

__all__ = ["View", "read_view"]

_LINE = re.compile(
    r"[\s*>-]*(?:\[(?P<step>\d+)\]\s*)?(?:(?P<kind>Task|Action|Observation|Note|Feedback):)?\s*(?P<text>.*)"
)
_STATE = re.compile(r"\b(?:current state|(?:initial |starting )?state(?: at the start)?)[^.:]*:", re.IGNORECASE)
_START = re.compile(r"\b(?:state at the start|(?:initial|starting) state)[^.:]*:", re.IGNORECASE)
_REFUSALS = tuple(text.split(".")[0] for text in (FAILED, UNCHANGED, UNKNOWN))


@dataclass(frozen=True, slots=True)
class View:
    """The parsed messages. ``failed`` are the actions without effect since the last change of the belief."""

    domain: str
    goal: tuple[Atom, ...]
    belief: frozenset[Atom]
    failed: frozenset[str]
    tried: tuple[str, ...]
    """The actions in the messages, in step order."""
    now: str
    valid: tuple[str, ...]
    """The valid actions, if the current observation lists them."""
    past: frozenset[frozenset[Atom]] = frozenset()
    """The states that were believed before."""
    teaching: Divided = Divided("")
    """The context as it was divided."""

    def find_least_tried(self) -> str:
        """Return the valid action that was tried least often; the first in the alphabet of equals."""
        return min(self.valid, key=lambda valid: (self.tried.count(valid), valid))


@dataclass(frozen=True, slots=True)
class _Line:
    step: int
    kind: str
    text: str


def read_view(messages: Sequence[Message], domain_name: str) -> View:
    """Return the view of the messages; a pure function of its arguments."""
    sections = split_sections(messages)
    now = sections.now
    started = bool(now) and not _START.search(now)
    divided = divide(sections.memory, sections.task, started)
    parser = _Parser(domain_name, sections.task)
    lines = sorted(_parse_lines(divided.present), key=lambda line: line.step)
    lines += [_Line(lines[-1].step if lines else 0, "Observation", now)] if now else []
    with_observation = {line.step for line in lines if line.kind == "Observation"}
    for line in lines:
        parser.add(line, line.step in with_observation)
    listed = now.partition(VALID_LEAD)[2].strip().rstrip(".")
    valid = tuple(part.strip() for part in listed.split(";")) if listed else ()
    return View(
        domain_name,
        parser.goal,
        frozenset(parser.belief),
        frozenset(parser.failed),
        tuple(parser.tried),
        now,
        valid,
        frozenset(parser.past),
        divided,
    )


def _parse_lines(memory: str) -> Iterable[_Line]:
    step = 0
    for raw in memory.splitlines():
        if raw.strip() and (match := _LINE.match(raw)):
            step = int(match["step"]) if match["step"] else step
            yield _Line(step, match["kind"] or "", match["text"].strip())


@dataclass(slots=True)
class _Parser:
    """The state of the parser."""

    domain: str
    task: str
    goal: tuple[Atom, ...] = ()
    belief: set[Atom] = field(default_factory=set)
    objects: set[str] = field(default_factory=set)
    knows_objects: bool = False
    """A whole state was read: what it does not name is of another task."""
    failed: set[str] = field(default_factory=set)
    tried: list[str] = field(default_factory=list)
    past: list[frozenset[Atom]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for line in self.task.splitlines():
            if GOAL_LEAD in line:
                self.goal = tuple(sorted(self._facts(line.partition(GOAL_LEAD)[2])))
        self.objects |= {arg for atom in self.goal for arg in atom.args}
        self.objects |= {name for name, _ in load_domain(self.domain).constants}

    def _set_state(self, text: str) -> None:
        self.belief, self.knows_objects = self._facts(text), True
        self.objects |= {arg for atom in self.belief for arg in atom.args}

    def add(self, line: _Line, has_observation: bool) -> None:
        """Update the belief from one line."""
        if line.kind == "Action":
            self._act(line.text, has_observation)
        elif any(refusal in line.text for refusal in _REFUSALS):
            self.failed |= set(self.tried[-1:])
        elif GOAL_LEAD not in line.text and VALID_LEAD not in line.text:
            self._learn(line.text)

    def _learn(self, text: str) -> None:
        before = set(self.belief)
        if state := _STATE.search(text):
            self._set_state(text[state.end() :])
        else:
            for sentence in _sentences(text):
                literal = load_wording(self.domain).read(sentence)
                if literal and (not self.knows_objects or set(literal.atom.args) <= self.objects):
                    self.objects |= set(literal.atom.args)
                    (self.belief.add if literal.holds else self.belief.discard)(literal.atom)
        if self.belief != before:
            self.failed.clear()
            self.past.append(frozenset(before))

    def _act(self, text: str, has_observation: bool) -> None:
        self.tried.append(text)
        call = read_command(text, self.domain, self.objects).call
        if has_observation or call is None:
            return
        action, before = load_domain(self.domain).operator(call.name).ground(call.args), frozenset(self.belief)
        if action.applies(before):
            self.belief = set(action.result(before))
            self.past.append(before)

    def _facts(self, text: str) -> set[Atom]:
        literals = (load_wording(self.domain).read(sentence) for sentence in _sentences(text))
        return {literal.atom for literal in literals if literal and literal.holds}


def _sentences(text: str) -> list[str]:
    return [part.strip() + "." for part in text.split(".") if part.strip()]
