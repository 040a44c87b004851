"""L2 and L3 of a conversation: facts under topics and rules for looking things up, each with the turns it rests on.

Admission is GenericAgent's "no execution, no memory" as a dialogue can keep it: an entry has to cite raw turns, all of
which exist. What cites nothing, or a turn that nobody said, is refused and counted. Edits are small: an entry is gained
or dropped, never rewritten; what a dropped one rested on stays in the archive.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from baselines.generic_agent.dialogue.archive import Archive, RawTurn
from baselines.generic_agent.dialogue.words import find_stems

__all__ = ["MOST_RULES", "Fact", "Facts", "Proposal", "Rule", "normalize_topic"]

MOST_RULES = 12
_TEXT_CHARS = 400
_NAME_CHARS = 40
_NO_SECTION = "general"


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a model wants kept. ``topic`` is empty for a rule; ``places`` are as it wrote them."""

    topic: str
    text: str
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A procedure: how things are named or dated here, as the turns show it."""

    text: str
    turns: tuple[RawTurn, ...]

    @property
    def line(self) -> str:
        return f"Rule: {self.text}"


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement. ``number`` is its own for ever."""

    number: int
    topic: str
    text: str
    turns: tuple[RawTurn, ...]

    @property
    def order(self) -> int:
        return self.turns[0].order

    @property
    def line(self) -> str:
        """The fact with its date and speaker; one that begins with the speaker's name does not get it twice."""
        event = self.turns[0].event
        date = f"[{event.time}] " if event.time else ""
        is_named = self.text.lower().startswith(event.speaker.lower())
        return f"{date}{self.text}" if is_named else f"{date}{event.speaker}: {self.text}"

    @property
    def words(self) -> frozenset[str]:
        return find_stems(f"{self.line} {self.topic}")


class Facts:
    """The entries of both layers, and what was turned away."""

    def __init__(self, archive: Archive):
        self._archive = archive
        self._facts: dict[int, Fact] = {}
        self._rules: dict[str, Rule] = {}
        self._known_texts: set[tuple[str, str]] = set()
        self._next = 1
        self.changes = 0
        """Entries gained and lost so far: the index is written again when this has grown, and only then."""
        self.refused = 0
        """Proposals without a turn that exists."""

    def admit(self, proposal: Proposal) -> Fact | None:
        """Keep a fact that passes; None if it is refused, or known word for word."""
        turns = self._find_cited_turns(proposal)
        text, topic = _shorten(proposal.text), normalize_topic(proposal.topic)
        key = (topic, text.lower())
        if not turns or not topic or key in self._known_texts:
            return None
        fact = Fact(self._next, topic, text, turns)
        self._next += 1
        self._known_texts.add(key)
        self._facts[fact.number] = fact
        self.changes += 1
        return fact

    def admit_rule(self, proposal: Proposal) -> Rule | None:
        """Keep a rule that passes; None if it is refused, known, or one too many."""
        turns, text = self._find_cited_turns(proposal), _shorten(proposal.text)
        if not turns or text.lower() in self._rules or len(self._rules) >= MOST_RULES:
            return None
        rule = self._rules[text.lower()] = Rule(text, turns)
        self.changes += 1
        return rule

    def drop(self, number: int) -> bool:
        """Take a fact out; False if there is none of that number."""
        fact = self._facts.pop(number, None)
        if fact is None:
            return False
        self._known_texts.discard((fact.topic, fact.text.lower()))
        self.changes += 1
        return True

    @property
    def rules(self) -> list[Rule]:
        return list(self._rules.values())

    @property
    def entries(self) -> list[Fact | Rule]:
        """Every fact and rule that is there."""
        return [*self._facts.values(), *self._rules.values()]

    def count_topics(self) -> Counter[str]:
        """Return how many facts each topic holds, topics in order of their names."""
        held = Counter(fact.topic for fact in self._facts.values())
        return Counter({topic: held[topic] for topic in sorted(held)})

    def list_facts(self, name: str) -> list[Fact]:
        """Return the facts of a topic, or of a whole section (``ann`` or ``ann/*``), in the order they were gained."""
        section = re.sub(r"^l2/", "", " ".join(name.lower().split())).removesuffix("*").rstrip("/")
        topic = normalize_topic(section)
        return [fact for fact in self._facts.values() if fact.topic == topic or fact.topic.partition("/")[0] == section]

    def _find_cited_turns(self, proposal: Proposal) -> tuple[RawTurn, ...]:
        """Return the turns it rests on in the order they were said; none, and one more refusal, if any is missing."""
        found = [turn for place in proposal.places if (turn := self._archive.get_turn(place))]
        if not found or len(found) < len(proposal.places) or not proposal.text.strip():
            self.refused += 1
            return ()
        return tuple(sorted(dict.fromkeys(found), key=lambda turn: turn.order))


def normalize_topic(topic: str) -> str:
    """Return a topic as ``section/keyword`` in lower case; empty if it names nothing."""
    parts = [
        " ".join(re.sub(r"[^\w' .-]", " ", part).lower().split())[:_NAME_CHARS].strip() for part in topic.split("/", 1)
    ]
    parts = [part for part in parts if part]
    if len(parts) == 1:
        return f"{_NO_SECTION}/{parts[0]}"
    return "/".join(parts)


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _TEXT_CHARS else f"{text[: _TEXT_CHARS - 2].rstrip()} …"
