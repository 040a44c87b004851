"""Reading for a question: rounds are bounded, what a layer ablation lacks is not read, the best comes first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from baselines.generic_agent.dialogue.archive import Archive, RawTurn
from baselines.generic_agent.dialogue.facts import Facts, Proposal
from baselines.generic_agent.dialogue.navigation import Navigator, SearchResult
from baselines.generic_agent.dialogue.strategy import STRATEGY
from bench.models.scripted import ScriptedModel
from bench.types import Event, EventKind, Message, Query, Reply, Shape

TALK = (
    ("Ann", "I moved to Oslo."), ("Bob", "Nice, Annie! I bought a red kite."), ("Ann", "My dog Rex is ill."),
    ("Bob", "The kite flew over a dog."), ("Ann", "It rains."), ("Bob", "Rex sleeps."),
)  # fmt: skip
INDEX = ("home, pets -> l2/ann", "kite -> l2/bob", "how to look things up -> l3", "the sessions as they were -> l4")


@dataclass
class Guide:
    """A scripted model that keeps what it was asked; says the last reply again when it runs out."""

    replies: Sequence[str]
    heard: list[tuple[Message, ...]] = field(default_factory=list)

    name = "guide"

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        assert role == "navigate"
        self.heard.append(tuple(messages))
        at = min(len(self.heard), len(self.replies)) - 1
        return ScriptedModel([self.replies[at]]).chat(messages, role=role, max_tokens=max_tokens)


@dataclass
class Desk:
    """A navigator over a small conversation."""

    history: Any
    guide: Guide = field(default_factory=lambda: Guide(["done"]))

    def read(self, question: str, *replies: str, goal: str = "", **params: str) -> SearchResult:
        archive = Archive()
        for n, (speaker, text) in enumerate(TALK):
            archive.add(Event(f"t{n}", EventKind.TURN, text, 0, speaker, f"{n // 3 + 1} May"))
            if n == 2:
                archive.close_session()
        facts = Facts(archive)
        facts.admit(Proposal("ann/home", "Ann moved to Oslo.", ("1:1",)))
        facts.admit(Proposal("ann/pets", "Ann's dog Rex is ill.", ("1:3",)))
        facts.admit(Proposal("bob/kite", "Bob bought a red kite.", ("1:2",)))
        facts.admit_rule(Proposal("", "Annie is Ann", ("1:2",)))
        self.guide = Guide(replies)
        kit = replace(self.history.kit(STRATEGY, params), model=self.guide)
        query = Query(question, goal or question, 0, Shape.CONVERSATION)
        return Navigator(kit, facts, archive).read(query, INDEX)


@pytest.fixture
def desk(history: Any) -> Desk:
    return Desk(history)


def refs(found: SearchResult) -> list[str]:
    """Turns as their refs, facts as their texts."""
    return [item.event.ref if isinstance(item, RawTurn) else item.text for item in found.shown]


def test_open_reads_the_facts_of_a_topic_and_done_ends_the_search(desk: Desk) -> None:
    found = desk.read("What is Ann's dog called?", "open: ann/pets\ndone")
    assert refs(found) == ["Ann's dog Rex is ill."]
    assert len(desk.guide.heard) == 1
    assert found.trail == ("open ann/pets",)


def test_find_reads_turns_by_the_rarity_of_shared_words(desk: Desk) -> None:
    assert refs(desk.read("Who has a dog?", "find: dog kite")) == ["t3", "t2", "t1"]


def test_ranking_uses_words_of_searches_and_question(desk: Desk) -> None:
    assert refs(desk.read("Is the animal well?", "find: asleep sleeps\nopen: ann/*", k="2"))[0] == "t5"


def test_named_turns_come_first_and_sessions_give_their_best(desk: Desk) -> None:
    assert refs(desk.read("Where does Ann live?", "turns: 2:2, 1:1, 9:9")) == ["t4", "t0"]
    assert refs(desk.read("What did the kite do?", "turns: 2", k="1")) == ["t3"]
    assert refs(desk.read("What?", "turns: 77, 99999999999999")) == []


def test_fact_whose_turns_are_shown_is_left_out(desk: Desk) -> None:
    found = desk.read("Where did Ann move?", "open: ann/home\nfind: Oslo")
    assert refs(found) == ["t0"]
    assert len(found.ranking) == 2


def test_shown_items_are_bounded_and_the_ranking_is_complete(desk: Desk) -> None:
    found = desk.read("dog kite Rex", "open: ann/*, bob/*\nfind: dog kite Rex", k="1", facts="1")
    assert len(found.shown) == 2
    assert len(found.ranking) > 4
    assert refs(desk.read("dog kite", "open: ann/*\nfind: dog", k="0", facts="0")) == []


def test_next_round_sees_what_was_read_and_rounds_are_bounded(desk: Desk) -> None:
    desk.read("Is Rex well?", "find: Rex\nsessions", "open: bob/kite", "open: ann/pets", goal="Is Rex well? (asked)")
    first, second = (messages[1].content for messages in desk.guide.heard)
    assert first == "\n".join(
        (
            "# Index",
            *INDEX,
            "",
            "# Rules",
            "Rule: Annie is Ann",
            "",
            "# Question",
            "Is Rex well? (asked)",
            "",
            "Replies left: 2",
        )
    )
    assert (
        "# Asked so far\nfind Rex; sessions\n\n# Read so far\n2:3 [2 May] Bob: Rex sleeps.\n1:3 [1 May] Ann: My dog"
        in second
    )
    assert "# Sessions\nsession 1, 1 May, 3 turns: " in second
    assert second.endswith("# Question\nIs Rex well? (asked)\n\nReplies left: 1")


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_search_ends_after_the_last_round(desk: Desk, rounds: int) -> None:
    desk.read("Who?", "find: dog", rounds=str(rounds))
    assert len(desk.guide.heard) == rounds


@pytest.mark.parametrize("reply", ["", "I cannot help with that.", "Answer: Oslo", "sessions"])
def test_reply_outside_the_grammar_reads_nothing(desk: Desk, reply: str) -> None:
    found = desk.read("Who?", reply)
    assert (found.shown, found.ranking) == ((), ())
    assert len(desk.guide.heard) == (2 if reply == "sessions" else 1)


@pytest.mark.parametrize(
    ("layers", "shown", "has_rules"),
    [
        ("12", ["Ann moved to Oslo."], False),
        ("123", ["Ann moved to Oslo."], True),
        ("1234", ["t5", "Ann moved to Oslo."], True),
    ],
)
def test_read_uses_only_the_layers_in_use(desk: Desk, layers: str, shown: list[str], has_rules: bool) -> None:
    found = desk.read("Does Rex sleep?", "open: ann/home, l3\nfind: sleeps\ndone", layers=layers)
    assert (refs(found), found.has_rules) == (shown, has_rules)
    system, asked = desk.guide.heard[0]
    assert ("find: WORDS" in system.content) == (layers == "1234")
    assert ("# Rules" in asked.content) == ("open: l3" in system.content) == has_rules


def test_index_alone_calls_no_model(desk: Desk) -> None:
    assert desk.read("Who?", "open: ann/*", layers="1") == SearchResult()
    assert desk.guide.heard == []


def test_empty_layers_call_no_model(history: Any) -> None:
    guide, archive = Guide(["find: dog"]), Archive()
    kit = replace(history.kit(STRATEGY), model=guide)
    assert Navigator(kit, Facts(archive), archive).read(Query("Who?", "Who?"), ()) == SearchResult()
    assert guide.heard == []


def test_read_says_which_words_a_search_left_out(history: Any) -> None:
    desk = Desk(history)
    found = desk.read("Where does Ann work?", "find: work Rex", "done")
    assert found.trail[0] == "find work Rex (left out, too common: work)"
