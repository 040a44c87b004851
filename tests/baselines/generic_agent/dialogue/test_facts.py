"""L2 and L3: what cites no turn that exists is refused and counted; entries come and go, and are never rewritten."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.generic_agent.dialogue.archive import Archive
from baselines.generic_agent.dialogue.facts import MOST_RULES, Facts, Proposal, normalize_topic
from bench.types import Event, EventKind


@pytest.fixture
def facts() -> Facts:
    return make_facts()


def make_facts() -> Facts:
    archive = Archive()
    for n, text in enumerate(("I moved to Oslo.", "Nice, Annie!", "I have a cat.")):
        archive.add(Event(f"t{n}", EventKind.TURN, text, 0, ("Ann", "Bob")[n % 2], "8 May, 2023"))
    return Facts(archive)


def test_fact_line_has_date_and_speaker(facts: Facts) -> None:
    fact = facts.admit(Proposal("Ann/Home", "Ann moved to  Oslo.", ("1:3", "1:1", "1:1")))
    assert fact is not None
    assert fact.line == "[8 May, 2023] Ann moved to Oslo."
    unnamed = facts.admit(Proposal("Ann/Home", "Moved to Oslo.", ("1:1",)))
    assert unnamed is not None
    assert unnamed.line == "[8 May, 2023] Ann: Moved to Oslo."
    assert [turn.event.ref for turn in fact.turns] == ["t0", "t2"]
    assert (fact.number, fact.topic, facts.refused, facts.changes) == (1, "ann/home", 0, 2)


@pytest.mark.parametrize("places", [(), ("1:9",), ("1:1", "1:9"), ("t0",), ("2:1",), ("1",)])
def test_admit_refuses_and_counts_facts_without_an_existing_turn(facts: Facts, places: tuple[str, ...]) -> None:
    assert facts.admit(Proposal("ann/home", "Ann moved to Rome.", places)) is None
    assert facts.admit_rule(Proposal("", "Annie is Ann", places)) is None
    assert (facts.refused, facts.changes, facts.count_topics().total(), facts.rules) == (2, 0, 0, [])


def test_admit_refuses_empty_texts(facts: Facts) -> None:
    assert facts.admit(Proposal("ann/home", "  ", ("1:1",))) is None
    assert facts.admit(Proposal(" / ", "Ann moved.", ("1:1",))) is None
    assert facts.changes == 0


def test_admit_refuses_repeats_under_the_same_topic(facts: Facts) -> None:
    assert facts.admit(Proposal("ann/home", "Ann moved.", ("1:1",)))
    assert facts.admit(Proposal("Ann/home", "ann MOVED.", ("1:3",))) is None
    assert facts.admit(Proposal("ann/work", "Ann moved.", ("1:1",)))
    assert (facts.changes, facts.refused) == (2, 0)


def test_drop_removes_a_fact_that_can_return_under_a_new_number(facts: Facts) -> None:
    facts.admit(Proposal("ann/home", "Ann moved.", ("1:1",)))
    assert facts.drop(1)
    assert not facts.drop(1)
    assert facts.changes == 2
    assert facts.list_facts("ann/home") == []
    again = facts.admit(Proposal("ann/home", "Ann moved.", ("1:1",)))
    assert again is not None
    assert again.number == 2


def test_list_facts_finds_by_topic_and_by_section(facts: Facts) -> None:
    for topic in ("ann/home", "ann/pets", "bob/home", "weather"):
        facts.admit(Proposal(topic, f"On {topic}.", ("1:1",)))

    def texts(name: str) -> list[str]:
        return [fact.text for fact in facts.list_facts(name)]

    assert texts("Ann/Home") == ["On ann/home."]
    assert texts("l2/ann/home") == ["On ann/home."]
    assert texts("ann") == texts("ann/*") == texts("ann/") == ["On ann/home.", "On ann/pets."]
    assert texts("weather") == texts("general/weather") == ["On weather."]
    assert texts("") == texts("*") == texts("home") == texts("carl") == []
    assert list(facts.count_topics()) == ["ann/home", "ann/pets", "bob/home", "general/weather"]


def test_admit_rule_limits_rules_and_refuses_repeats(facts: Facts) -> None:
    assert facts.admit_rule(Proposal("", "Annie is Ann", ("1:2",)))
    assert facts.admit_rule(Proposal("", "annie is Ann", ("1:2",))) is None
    for n in range(2 * MOST_RULES):
        facts.admit_rule(Proposal("", f"R{n} is Ann", ("1:2",)))
    assert len(facts.rules) == MOST_RULES == facts.changes
    assert facts.rules[0].line == "Rule: Annie is Ann"
    assert facts.refused == 0


def test_admit_cuts_a_long_text(facts: Facts) -> None:
    fact = facts.admit(Proposal("ann/home", "word " * 500, ("1:1",)))
    assert fact is not None
    assert len(fact.text) <= 400
    assert fact.text.endswith(" …")


@pytest.mark.parametrize(
    ("topic", "name"),
    [
        ("Ann/Home", "ann/home"), ("pottery", "general/pottery"), (" Ann / new  home ", "ann/new home"), ("", ""),
        ("a/b/c", "a/b c"), ("Zoë/Töpfe", "zoë/töpfe"), ("/x", "general/x"), ("**Ann**/`x`", "ann/x"), ("/", ""),
    ],
)  # fmt: skip
def test_normalize_topic_gives_one_spelling(topic: str, name: str) -> None:
    assert normalize_topic(topic) == name


@given(st.text(max_size=120))
def test_normalize_topic_is_idempotent_and_has_two_parts(topic: str) -> None:
    name = normalize_topic(topic)
    assert normalize_topic(name) == name
    assert name == "" or name.count("/") == 1


@given(st.lists(st.tuples(st.sampled_from(["a/b", "a/c", "d"]), st.text(max_size=5), st.sampled_from(["1:1", "9:9"]))))
def test_changes_count_entries_gained_and_lost(given_facts: list[tuple[str, str, str]]) -> None:
    facts = make_facts()
    for topic, text, place in given_facts:
        facts.admit(Proposal(topic, text, (place,)))
    held = facts.count_topics().total()
    assert facts.changes == held
    assert facts.refused >= sum(place == "9:9" for _, _, place in given_facts)
    assert all(fact.turns for topic in facts.count_topics() for fact in facts.list_facts(topic))
    assert sum(facts.drop(number) for number in range(1, held + 3)) == held
    assert facts.changes == 2 * held
