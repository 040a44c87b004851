"""From the index to what is read for one question: the model routes, and what it may read is bounded.

A round is one ``navigate`` call: it opens topics (L2) and searches or names turns (L4), or says that it is done. What
was read so far stands in the next call's prompt. Everything read is ranked by the rarity of the words it shares with
the question and with what was searched for; turns that were named come first. At most ``facts`` facts and ``k`` turns
go on to the reader. A reply outside the grammar reads nothing and ends the search.
Source: GenericAgent, Technical Report V1.0 (routing from L1 by tool calls). Differs in: the calls are made before the
answer, in a prompt of their own, not in the answering one; the bounds and the ranking are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from baselines.generic_agent.dialogue.archive import Archive, RawTurn
from baselines.generic_agent.dialogue.facts import Fact, Facts
from baselines.generic_agent.dialogue.proposals import Route, read_route
from baselines.generic_agent.dialogue.words import find_small_words, find_stems
from bench.protocols import Kit
from bench.types import Message, Query

__all__ = ["MOST_RANKED", "Navigator", "SearchResult"]

MOST_RANKED = 50
_REPLY_TOKENS = 200
_RULES = "l3"


def _read_text(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8").strip()


_PROMPT, _RULES_PROMPT, _ARCHIVE_PROMPT = map(
    _read_text, ("navigate.txt", "navigate_rules.txt", "navigate_archive.txt")
)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What was read for one question."""

    ranking: tuple[Fact | RawTurn, ...] = ()
    """Everything that was read, best first."""
    shown: tuple[Fact | RawTurn, ...] = ()
    """The best of it, as far as the bounds go, best first; a fact all of whose turns are there is not shown twice."""
    has_rules: bool = False
    """L3 was opened."""
    trail: tuple[str, ...] = ()
    """Each round's request, in short."""


@dataclass(slots=True)
class _Reading:
    """A search in progress."""

    question: str
    dated_question: str
    """The question with its date, as the prompt shows it."""
    facts: dict[int, Fact] = field(default_factory=dict)
    turns: dict[int, RawTurn] = field(default_factory=dict)
    named_turns: list[RawTurn] = field(default_factory=list)
    searches: list[str] = field(default_factory=list)
    lists_sessions: bool = False
    has_rules: bool = False
    trail: list[str] = field(default_factory=list)

    @property
    def search_words(self) -> frozenset[str]:
        return find_stems(" ".join((self.question, *self.searches)))


class Navigator:
    """Reads for questions; changes nothing."""

    def __init__(self, kit: Kit, facts: Facts, archive: Archive):
        self._kit = kit
        self._facts, self._archive = facts, archive
        self._layers = kit.params.text("layers")
        self._rounds = kit.params.integer("rounds")
        self._most_turns = kit.params.integer("k")
        self._most_facts = kit.params.integer("facts")

    def read(self, query: Query, index: Sequence[str]) -> SearchResult:
        """Return what the model's routes lead to; no call where no layer holds anything to read."""
        reading = _Reading(query.text, query.goal or query.text)
        for round_ in range(self._rounds if self._can_read else 0):
            messages = self._build_messages(reading, index, self._rounds - round_)
            reply = self._kit.model.chat(messages, role="navigate", max_tokens=_REPLY_TOKENS).text
            route = read_route(reply)
            self._follow(route, reading)
            if route.is_done or not route.asks:
                break
        return self._collect_result(reading)

    @property
    def _can_read(self) -> bool:
        has_facts = "2" in self._layers and bool(self._facts.count_topics())
        return has_facts or ("4" in self._layers and not self._archive.is_empty)

    def _follow(self, route: Route, reading: _Reading) -> None:
        """Read what one reply asks for, as far as the layers in use hold it."""
        opened = list[str]()
        for name in route.topics if "2" in self._layers else ():
            is_rules = name.lower() == _RULES and "3" in self._layers
            facts = self._facts.list_facts(name)
            reading.has_rules |= is_rules and bool(self._facts.rules)
            reading.facts.update({fact.number: fact for fact in facts})
            opened.append(f"open {name}" if facts or is_rules else f"open {name} (nothing there)")
        if "4" in self._layers:
            for words in route.searches:
                reading.searches.append(words)
                found = self._archive.find(find_stems(words), MOST_RANKED)
                reading.turns.update({turn.order: turn for turn in found})
            for place in route.places:
                self._open_place(place, reading)
            reading.lists_sessions |= route.asks_sessions
        requests = [*opened, *map(_describe_search, route.searches)]
        requests += [f"turns {', '.join(route.places)}"] * bool(route.places) + ["sessions"] * route.asks_sessions
        reading.trail.append("; ".join(requests) or "nothing")

    def _open_place(self, place: str, reading: _Reading) -> None:
        turn = self._archive.get_turn(place)
        if turn is not None:
            reading.named_turns.append(turn)
        elif place.isdecimal() and len(place) < 9:
            session = self._archive.get_session(int(place))
            best = self._archive.rank(session, reading.search_words, self._most_turns)
            reading.turns.update({turn.order: turn for turn in best})

    def _collect_result(self, reading: _Reading) -> SearchResult:
        search_words, points = reading.search_words, self._archive.compute_points
        named_turns = list(dict.fromkeys(reading.named_turns))
        rest: list[Fact | RawTurn] = [*reading.facts.values()]
        rest += [turn for turn in reading.turns.values() if turn not in named_turns]
        # Of equal things the fact comes first: it is shorter.
        rest.sort(key=lambda item: (-points(search_words, item.words), isinstance(item, RawTurn), item.order))
        ranking: list[Fact | RawTurn] = [*named_turns, *rest]
        turns = [item for item in ranking if isinstance(item, RawTurn)][: self._most_turns]
        seen = {turn.order for turn in turns}
        unseen_facts = [
            item for item in ranking if isinstance(item, Fact) and any(t.order not in seen for t in item.turns)
        ]
        fact_numbers = {fact.number for fact in unseen_facts[: self._most_facts]}
        shown = [
            item
            for item in ranking
            if (item.order in seen if isinstance(item, RawTurn) else item.number in fact_numbers)
        ]
        return SearchResult(tuple(ranking), tuple(shown), reading.has_rules, tuple(reading.trail))

    def _build_messages(self, reading: _Reading, index: Sequence[str], rounds_left: int) -> tuple[Message, ...]:
        has_rules, has_archive = "3" in self._layers and bool(self._facts.rules), "4" in self._layers
        system = [_PROMPT, *([_RULES_PROMPT] if has_rules else []), *([_ARCHIVE_PROMPT] if has_archive else [])]
        parts = ["# Index", *index]
        if has_rules:
            parts += ["", "# Rules", *(rule.line for rule in self._facts.rules)]
        if reading.trail:
            parts += ["", "# Asked so far", *reading.trail, "", "# Read so far", *self._describe_reading(reading)]
        if reading.lists_sessions:
            parts += ["", "# Sessions", *self._archive.describe_sessions()]
        parts += ["", "# Question", reading.dated_question, "", f"Replies left: {rounds_left}"]
        return (Message("system", "\n".join(system)), Message("user", "\n".join(parts)))

    def _describe_reading(self, reading: _Reading) -> list[str]:
        """Return what goes on to the reader, and how much more was found than that."""
        found = self._collect_result(reading)
        left_out = len(found.ranking) - len(found.shown)
        more = f"and {left_out} more, which match the question less or say the same, and are left out"
        return [*map(_render_item, found.shown), *([more] if left_out else [])]


def _describe_search(words: str) -> str:
    """Say what was searched for, and which words were left out: a search for the rest alone is no surprise then."""
    small = ", ".join(find_small_words(words))
    return f"find {words} (left out, too common: {small})" if small else f"find {words}"


def _render_item(item: Fact | RawTurn) -> str:
    turns = item.turns if isinstance(item, Fact) else (item,)
    return f"{', '.join(turn.place for turn in turns)} {' '.join(item.line.split())}"
