"""The offline model over a conversation's files: it copies sentences and sees the prompt alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.generic_agent.dialogue.memory import _EXTRACT, _UPDATE
from baselines.generic_agent.dialogue.navigation import _ARCHIVE_PROMPT, _PROMPT
from baselines.generic_agent.dialogue.proposals import Drop, read_drops, read_proposals, read_route
from baselines.generic_agent.trial.offline import RULES
from bench.errors import StrategyError
from bench.models.offline.reader import OfflineReader
from bench.types import Message


def reply_offline(role: str, system: str, *lines: str) -> str:
    asked = (Message("system", system), Message("user", "\n".join(lines)))
    return OfflineReader(RULES).chat(asked, role=role).text


def extract(*turns: str, index: tuple[str, ...] = ()) -> str:
    return reply_offline("extract", _EXTRACT, "# Index", *index, "", "# Session 1, 8 May, 2023", *turns)


def test_rules_do_not_answer_other_prompts() -> None:
    for role, system in (("extract", _UPDATE), ("update", _EXTRACT), ("navigate", "Go."), ("answer", _PROMPT)):
        with pytest.raises(StrategyError, match="expected a rule for role"):
            reply_offline(role, system, "# Question", "Who?")


def test_extract_rule_makes_a_fact_of_each_statement() -> None:
    read = read_proposals(
        extract(
            "1:1 Ann: Hey Bob! How are you? I moved to Oslo yesterday.",
            "1:2 Bob: Wow, that's great! What's it like?",
            "1:3 Ann: I've found a small flat | with a view. [shares a photo of a harbour]",
        )
    )
    assert [(fact.text, fact.places) for fact in read.facts] == [
        ("I moved to Oslo yesterday.", ("1:1",)),
        ("I've found a small flat / with a view.", ("1:3",)),
        ("shares a photo of a harbour", ("1:3",)),
    ]
    assert [fact.topic for fact in read.facts] == ["ann/oslo", "ann/found", "ann/harbour"]


def test_extract_rule_prefers_keywords_of_the_index() -> None:
    turns = (
        "1:1 Ann: My pottery class starts.",
        "1:2 Bob: I sell my pottery.",
        "1:3 Ann: I made a bowl in the pottery class.",
    )
    index = ("home, class -> l2/ann", "the sessions as they were -> l4")
    assert [fact.topic for fact in read_proposals(extract(*turns, index=index)).facts] == [
        "ann/class",
        "bob/pottery",
        "ann/class",
    ]
    assert [fact.topic for fact in read_proposals(extract(*turns)).facts] == [
        "ann/pottery",
        "bob/pottery",
        "ann/pottery",
    ]


def test_extract_rule_makes_a_rule_of_a_short_name() -> None:
    read = read_proposals(extract("1:1 Ann: Hi Mel! Mel, I moved.", "1:2 Melanie: Mel is me, Ann. I swim daily."))
    assert [(rule.text, rule.places) for rule in read.rules] == [("Mel is Melanie", ("1:1",))]
    assert all("mel" not in fact.topic.split("/")[1] for fact in read.facts)


@pytest.mark.parametrize(
    "turn", ["1:1 Ann: Wow!", "1:1 Ann: Did I tell you about Oslo?", "1:1 Ann: That is so nice.", "1:1 ", ""]
)
def test_extract_rule_replies_none_without_statements(turn: str) -> None:
    assert extract(turn) == "none"


def test_extract_rule_keeps_the_longest_of_too_many_facts() -> None:
    turns = [f"1:{n} Ann: I saw heron {n}{' over the lake' * (n % 2)}." for n in range(1, 91)]
    facts = read_proposals(extract(*turns)).facts
    assert len(facts) == 40
    assert all("lake" in fact.text for fact in facts)
    assert facts[0].places == ("1:11",)


def update(earlier: tuple[str, ...], new: tuple[str, ...]) -> tuple[Drop, ...]:
    return read_drops(reply_offline("update", _UPDATE, "# Earlier facts", *earlier, "", "# New facts", *new))


def test_update_rule_drops_a_repeated_or_changed_fact() -> None:
    old = ("1 | ann/home | [1 May] Ann: I moved to Oslo.", "2 | ann/home | [1 May] Ann: The flat in Oslo is small.")
    assert update(old, ("7 | ann/home | [2 May] Ann: I moved to Rome.",)) == (Drop(1, 7),)
    assert update(old, ("7 | ann/home | [2 May] Ann: My small flat in Oslo leaks.",)) == (Drop(2, 7),)


@pytest.mark.parametrize(
    "new",
    [
        "7 | ann/home | [2 May] Bob: I moved to Rome.",
        "7 | ann/job | [2 May] Ann: I moved to Rome.",
        "7 | ann/home | [2 May] Ann: I painted the kitchen in Rome.",
    ],
)
def test_update_rule_keeps_a_different_fact(new: str) -> None:
    assert update(("1 | ann/home | [1 May] Ann: I moved to Oslo.",), (new,)) == ()
    assert reply_offline("update", _UPDATE, "# Earlier facts", "", "# New facts", new) == "none"


INDEX = ("home, pottery class -> l2/ann", "kite, pottery -> l2/bob", "how to look things up -> l3")


def route(question: str, *, archive: bool = True, rules: tuple[str, ...] = ()) -> str:
    system = f"{_PROMPT}\n{_ARCHIVE_PROMPT}" if archive else _PROMPT
    return reply_offline("navigate", system, "# Index", *INDEX, "", "# Rules", *rules, "", "# Question", question)


def test_navigate_rule_opens_matching_keywords_and_searches_the_words() -> None:
    assert route("When did Bob start pottery? (asked on 9 May, 2023)") == (
        "open: bob/pottery, ann/pottery class, bob/*\nfind: bob start pottery\ndone"
    )
    asked = read_route(route("Where do kites fly?"))
    assert (asked.topics, asked.searches, asked.is_done) == (("bob/kite",), ("kites fly",), True)


def test_navigate_rule_does_not_search_without_an_archive() -> None:
    assert route("Who owns a boat?", archive=False) == "done"
    assert route("Who owns a boat?") == "find: owns boat\ndone"


def test_navigate_rule_opens_rules_that_apply() -> None:
    asked = read_route(route("Where does Annie live?", rules=("Rule: Annie is Ann", "Rule: Robby is Bob")))
    assert asked.topics == ("l3", "ann/*")
    assert asked.searches == ("annie live ann",)


@given(st.lists(st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=80), max_size=6))
def test_every_fact_is_a_part_of_the_turn_it_cites(texts: list[str]) -> None:
    turns = {f"1:{n}": text for n, text in enumerate(texts, 1)}
    read = read_proposals(extract(*(f"{place} Ann: {text}" for place, text in turns.items())))
    for fact in read.facts:
        (place,) = fact.places
        assert " ".join(fact.text.split()) in " ".join(turns[place].replace("|", "/").split())
