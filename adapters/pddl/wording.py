"""Facts as sentences and back, with one table per domain (``wording/*.txt``; a user's own, or one made of its names).

Every predicate has one sentence for "holds" and one for "no longer holds", each with all arguments; two different facts
never have the same sentence. Knows no state and no problem.
Differences from AgentBoard: one table per domain instead of a shared one; deleted facts have a sentence; held objects
and empty hands are stated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from adapters.pddl.domain import Atom, Domain, is_own, load_domain, own_wording

__all__ = [
    "FAILED",
    "GOAL_LEAD",
    "REACHED",
    "START_LEAD",
    "STATE_LEAD",
    "UNCHANGED",
    "UNKNOWN",
    "VALID_LEAD",
    "WORDING_VERSION",
    "Literal",
    "Wording",
    "load_wording",
]

WORDING_VERSION = "2"
GOAL_LEAD = "Your goal is that all of the following hold at once:"
START_LEAD = "State at the start:"
STATE_LEAD = "Current state:"
VALID_LEAD = "Valid actions:"
REACHED = "The goal is reached."
FAILED = "The action is understood, but its conditions are not met. Nothing happens."
UNCHANGED = "The action is possible, but changes nothing."
UNKNOWN = (
    'This is not a known action with all the things it needs. The command "check valid actions" lists what can be done.'
)

_SLOT = re.compile(r"\{(\d)\}")


@dataclass(frozen=True, slots=True)
class Literal:
    """A fact, and whether its sentence says that it holds or that it no longer holds."""

    atom: Atom
    holds: bool


@dataclass(frozen=True, slots=True)
class _Template:
    """One sentence with slots; ``pattern`` parses it, ``order`` gives the argument of each group."""

    name: str
    holds: bool
    text: str
    pattern: re.Pattern[str]
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ActionForm:
    """The phrase of an action, and the accepted spellings of its name."""

    name: str
    text: str
    spellings: tuple[str, ...]


@dataclass(frozen=True)
class Wording:
    """The sentences and action phrases of one domain."""

    domain: str
    templates: tuple[_Template, ...]
    actions: tuple[ActionForm, ...]

    def sentence(self, atom: Atom, holds: bool = True) -> str:
        """Return the sentence of a fact. Raises: KeyError for a predicate without wording."""
        for template in self.templates:
            if template.name == atom.name and template.holds is holds:
                text = template.text.format(*atom.args)
                return text[:1].upper() + text[1:]
        raise KeyError(atom.name)

    def sentences(self, atoms: Iterable[Atom], holds: bool = True) -> str:
        """Return the sentences of the facts, sorted, with a space between."""
        return " ".join(sorted(self.sentence(atom, holds) for atom in atoms))

    def state(self, atoms: Iterable[Atom]) -> str:
        """Return a whole state."""
        return f"{STATE_LEAD} {self.sentences(atoms)}"

    def read(self, sentence: str) -> Literal | None:
        """Return the literal of one sentence; None if it is not in the table."""
        return _parse_sentence(self.domain, sentence.strip().lower())

    def phrase(self, call: Atom) -> str:
        """Return the phrase of an action."""
        form = next(form for form in self.actions if form.name == call.name)
        return form.text.format(*call.args)


@cache
def load_wording(key: str) -> Wording:
    """Return the table of one domain, read once per process.

    Raises: ValueError for a user's table with another line, or without a predicate or an action of the domain.
    """
    if not is_own(key):
        text = (Path(__file__).parent / "wording" / f"{key}.txt").read_text(encoding="utf-8")
        return _read_table(key, text)
    domain = load_domain(key)
    words = _read_table(key, own_wording(key) or _make_table(domain))
    needed = {p.name for p in domain.predicates}, {op.name for op in domain.operators}
    given = {t.name for t in words.templates}, {form.name for form in words.actions}
    for what, wanted, found in zip(("predicate", "action"), needed, given, strict=True):
        if wanted != found:
            raise ValueError(f"wording.txt and the domain differ in the {what} {min(wanted ^ found)}")
    return words


def _read_table(key: str, text: str) -> Wording:
    templates: list[_Template] = []
    actions: list[ActionForm] = []
    for line in text.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        try:
            head, first, second = (part.strip() for part in line.split("|"))
            kind, name = head.split()
        except ValueError:
            raise ValueError(f"the line {line[:80]!r} of wording.txt is none of a table of wording") from None
        if kind == "fact":
            templates += [_parse_template(name, True, first), _parse_template(name, False, second)]
        else:
            spellings = (name, *(s.strip() for s in second.split(",") if s.strip()))
            actions.append(ActionForm(name, first, spellings))
    return Wording(key, tuple(templates), tuple(actions))


def _make_table(domain: Domain) -> str:
    """Return a table in which each fact and each action is its name and its arguments."""

    def fill(name: str, count: int) -> str:
        return " ".join([name, *(f"{{{index}}}" for index in range(count))])

    facts = ((p.name, fill(p.name, len(p.types))) for p in domain.predicates)
    calls = ((op.name, fill(op.name, len(op.variables))) for op in domain.operators)
    return "\n".join(
        [f"fact {name} | {text}. | no longer {text}." for name, text in facts]
        + [f"action {name} | {text} | {re.sub('[-_]+', ' ', name)}" for name, text in calls]
    )


def _parse_template(name: str, holds: bool, text: str) -> _Template:
    order = tuple(int(slot) for slot in _SLOT.findall(text))
    parts = [re.escape(part) for part in re.split(r"\{\d\}", text.lower())]
    return _Template(name, holds, text, re.compile(r"([\w-]+)".join(parts)), order)


@lru_cache(maxsize=65536)
def _parse_sentence(key: str, sentence: str) -> Literal | None:
    for template in load_wording(key).templates:
        if match := template.pattern.fullmatch(sentence):
            found = dict(zip(template.order, match.groups(), strict=True))
            return Literal(Atom(template.name, tuple(found[i] for i in sorted(found))), template.holds)
    return None
