"""Goal and believed state, derived from the messages of one call.

The opening is parsed first, then the memory in step order, then the current observation. A whole-state text replaces
the belief; a sentence of the domain adds or removes one fact; an action without an observation counts as executed if
its conditions hold in the belief. Facts that no message states are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from adapters.pddl.domain import Atom, load_domain
from adapters.pddl.phrases import read_command
from adapters.pddl.wording import FAILED, GOAL_LEAD, STATE_LEAD, UNCHANGED, UNKNOWN, VALID_LEAD, load_wording
from bench.types import Message

__all__ = ["View", "read_view"]

_LINE = re.compile(
    r"[\s*>-]*(?:\[(?P<step>\d+)\]\s*)?(?:(?P<kind>Task|Action|Observation|Note|Feedback):)?\s*(?P<text>.*)"
)
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


@dataclass(frozen=True, slots=True)
class _Line:
    step: int
    kind: str
    text: str


def read_view(messages: Sequence[Message], domain_name: str) -> View:
    """Return the view of the messages; a pure function of its arguments."""
    text = "\n\n".join(m.content for m in messages if m.role != "system")
    task, memory, now = _split_sections(text)
    parser = _Parser(domain_name, task)
    lines = sorted(_parse_lines(memory), key=lambda line: line.step)
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
    )


_FOREIGN = ("# Experience from other tasks", "# Earlier attempts at this task")


def _split_sections(text: str) -> tuple[str, str, str]:
    """Split a prompt at its headings; the last ``# Now`` counts, as a memory may quote anything."""
    body, _, tail = text.rpartition("# Now\n") if "# Now\n" in text else (text, "", "")
    now = tail.removeprefix("Observation:").rsplit("\n\nAction:", 1)[0].strip()
    task, _, memory = body.partition("# Memory\n")
    if not tail:
        memory = memory.rsplit("\n\nAction:", 1)[0]
    return task.replace("# Task\n", "", 1), memory, now


def _parse_lines(memory: str) -> Iterable[_Line]:
    """Yield the lines about this world; sections about other tasks and earlier attempts tell nothing of its state."""
    step, foreign = 0, False
    for raw in memory.splitlines():
        foreign = raw.startswith(_FOREIGN) or (foreign and not raw.startswith("# "))
        if not foreign and raw.strip() and (match := _LINE.match(raw)):
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
    failed: set[str] = field(default_factory=set)
    tried: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for line in self.task.splitlines():
            if GOAL_LEAD in line:
                self.goal = tuple(sorted(self._facts(line.partition(GOAL_LEAD)[2])))
            elif STATE_LEAD in line:
                self.belief = self._facts(line.partition(STATE_LEAD)[2])
        self.objects = {arg for atom in (*self.goal, *self.belief) for arg in atom.args}
        self.objects |= {name for name, _ in load_domain(self.domain).constants}

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
        _, found, state = text.partition(STATE_LEAD)
        if found:
            self.belief = self._facts(state)
        else:
            for sentence in _sentences(text):
                literal = load_wording(self.domain).read(sentence)
                if literal and set(literal.atom.args) <= self.objects:
                    (self.belief.add if literal.holds else self.belief.discard)(literal.atom)
        if self.belief != before:
            self.failed.clear()

    def _act(self, text: str, has_observation: bool) -> None:
        self.tried.append(text)
        call = read_command(text, self.domain, self.objects).call
        if has_observation or call is None:
            return
        op = load_domain(self.domain).operator(call.name)
        binding = dict(zip(op.variables, call.args, strict=True))
        if all(atom.bind(binding) in self.belief for atom in op.pre):
            self.belief -= {atom.bind(binding) for atom in op.delete}
            self.belief |= {atom.bind(binding) for atom in op.add}

    def _facts(self, text: str) -> set[Atom]:
        literals = (load_wording(self.domain).read(sentence) for sentence in _sentences(text))
        return {literal.atom for literal in literals if literal and literal.holds}


def _sentences(text: str) -> list[str]:
    return [part.strip() + "." for part in text.split(".") if part.strip()]
