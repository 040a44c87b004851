"""The offline model's part: which sentences are facts, and what a fact does to memories that say something near it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from baselines.mem0.offline import RULES
from bench.models.offline.reader import OfflineReader
from bench.models.offline.rule_table import RuleTable
from bench.types import Event, EventKind


def offline(messages: Any, role: str) -> str:
    return OfflineReader(RULES).chat(messages, role=role).text


def store_facts(mem0: Any, *sessions: list[str], **given: str) -> list[str]:
    """The facts that a memory holds after sessions of ``Name: text`` lines, under the offline rules."""
    memory = mem0.memory(offline, **given)
    for number, lines in enumerate(sessions):
        mem0.feed(memory, mem0.conversation(*lines, first=100 * number, date=f"{number + 1} May, 2023"))
    assert (memory.writer.verbatim, memory.writer.undecided) == (0, 0)  # its JSON can be read
    return [fact.text for fact in memory.facts]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I live in Oslo.", ["Ann: I live in Oslo."]),
        ("Hey Bob! How are you? I adopted a dog.", ["Ann: I adopted a dog."]),
        ("Thanks so much! That's great.", []),
        ("Wow, your painting looks amazing!", []),
        ("You're such a good friend.", []),
        ("I got a dog. It is called Rex.", ["Ann: I got a dog. It is called Rex."]),
        ("Ok. Sure.", []),
        ("I got it. So did we.", []),
        ("Look! [shares a photo of a red kite]", ["Ann: [shares a photo of a red kite]"]),
        ("I fly it. [shares a photo. of a kite]", ["Ann: I fly it. [shares a photo. of a kite]"]),
        ("I made this vase. [shares a photo of a vase]", ["Ann: I made this vase. [shares a photo of a vase]"]),
        ('He said "no". My brother paints.', ["Ann: My brother paints."]),
        (
            "Great news, I finally finished the marathon in Berlin with my sister and won a medal.",
            ["Ann: Great news, I finally finished the marathon in Berlin with my sister and won a medal."],
        ),
    ],
)
def test_extract_rule_takes_sentences_that_make_a_statement(mem0: Any, text: str, facts: list[str]) -> None:
    assert store_facts(mem0, [f"Ann: {text}"]) == facts


def test_extract_rule_takes_only_the_words_of_the_person_asked_about(mem0: Any) -> None:
    memory = mem0.feed(
        mem0.memory(offline, stores="speaker"),
        mem0.conversation("Ann: I live in Oslo.", "Bob: I own a boat."),
    )
    assert [(fact.text, fact.refs) for fact in memory.facts] == [
        ("Ann: I live in Oslo.", ("t0",)),
        ("Bob: I own a boat.", ("t1",)),
    ]


@pytest.mark.parametrize(
    ("first", "second", "left"),
    [
        ("I live in Oslo.", "I live in Bergen.", ["I live in Bergen."]),
        ("I live in Oslo.", "I moved to Bergen.", ["I moved to Bergen."]),
        ("My favorite food is sushi.", "My favorite food is pasta.", ["My favorite food is pasta."]),
        ("My favorite food is sushi.", "My favorite film is Alien.", None),
        ("My cat is called Tom.", "My dog is called Rex.", None),
        ("I work as a nurse.", "I started as a teacher.", ["I started as a teacher."]),
        ("I play tennis.", "I no longer play tennis.", ["I no longer play tennis."]),
        ("I play tennis.", "I no longer play chess.", None),
        ("I have a dog.", "I no longer have a dog.", ["I no longer have a dog."]),
        ("I adopted a dog.", "I adopted a dog!", ["I adopted a dog."]),
        ("I went hiking.", "I went swimming.", None),
        ("I live in Oslo.", "I would love to be living in a small wooden house somewhere near the sea one day.", None),
    ],
)
def test_update_rule_adds_updates_deletes_or_keeps(mem0: Any, first: str, second: str, left: list[str] | None) -> None:
    expected = [f"Ann: {text}" for text in (left if left is not None else [first, second])]
    assert store_facts(mem0, [f"Ann: {first}"], [f"Ann: {second}"]) == expected
    other = store_facts(mem0, [f"Ann: {first}"], [f"Bob: {second}"])  # another's facts are left alone
    assert other == [f"Ann: {first}", f"Bob: {second}"]


def test_updated_fact_cites_both_messages_and_has_the_later_date(mem0: Any) -> None:
    memory = mem0.memory(offline)
    mem0.feed(memory, mem0.conversation("Ann: I live in Oslo.", date="1 May, 2023"))
    mem0.feed(memory, mem0.conversation("Ann: I moved to Bergen.", date="2 June, 2023", first=7))
    (fact,) = memory.facts
    assert (fact.text, fact.date, fact.refs) == ("Ann: I moved to Bergen.", "2 June, 2023", ("t0", "t7"))


def test_update_rule_changes_a_memory_once_a_batch(mem0: Any) -> None:
    facts = store_facts(mem0, ["Ann: I live in Oslo."], ["Ann: I moved to Bergen. Then I moved to Berlin."])
    assert facts == ["Ann: I moved to Bergen.", "Ann: Then I moved to Berlin."]


def test_add_only_keeps_both_facts_and_drops_exact_repeats(mem0: Any) -> None:
    conversation = (["Ann: I live in Oslo."], ["Ann: I moved to Bergen. I live in Oslo."])
    assert store_facts(mem0, *conversation, variant="add-only") == [
        "Ann: I live in Oslo.",
        "Ann: I moved to Bergen.",
    ]


def test_update_rule_keeps_the_later_statement_of_a_world(mem0: Any, history: Any) -> None:
    events = history.episode(
        ("go to shelf 1", "You arrive at shelf 1. On the shelf 1, you see a mug 1."),
        ("take mug 1", "You pick up the mug 1 from shelf 1. On the shelf 1, you see nothing."),
        ("jump", "Nothing happens."),
        ("go to desk 1", "You arrive at desk 1."),
    )
    memory = mem0.feed(mem0.memory(offline), events)
    assert [fact.line for fact in memory.facts] == [
        "[step 4] You arrive at desk 1.",
        "[step 2] On the shelf 1, you see nothing.",
        "[step 2] You pick up the mug 1 from shelf 1.",
    ]


def test_update_rule_deletes_a_denied_statement_of_a_world(mem0: Any) -> None:
    memory = mem0.memory(offline)
    for step, text in enumerate(["The lamp is lit.", "The lamp is no longer lit."], start=1):
        memory.observe(Event(f"o{step}", EventKind.OBSERVATION, text, step))
    assert memory.facts == []


def test_summarize_rule_keeps_the_account_and_the_new_messages(mem0: Any) -> None:
    model = mem0.says({"summarize": [""]})
    memory = mem0.memory(lambda messages, role: (model(messages, role), offline(messages, role))[1])
    model.replies.update({"extract": [""], "update": [""]})
    mem0.feed(
        memory,
        [*mem0.conversation("Ann: I live in Oslo."), *mem0.conversation("Bob: I own a boat.", first=5)],
    )
    assert "# Account so far\n[8 May, 2023] Ann: I live in Oslo." in model.prompts("summarize")[1]


def test_rules_do_not_answer_other_prompts(mem0: Any) -> None:
    model = mem0.says({"extract": [mem0.facts(("a", [1]))], "update": ["no"], "summarize": ["s"]})
    mem0.feed(mem0.memory(model), [*mem0.conversation("Ann: a"), *mem0.conversation("Ann: b", first=5)])
    mem0.feed(
        mem0.memory(mem0.says({"extract": [mem0.facts()]}), variant="add-only"),
        mem0.conversation("Ann: a"),
    )
    rules = RuleTable(RULES)
    for role, messages in model.asked:
        assert rules.find(messages, role) in RULES
        assert rules.find(messages, "act") is None
        assert rules.find(messages[1:], role) is None


def test_non_ascii_names_and_words_survive(mem0: Any) -> None:
    assert store_facts(mem0, ["Søren: Ich wohne in Århus, 皿 und Töpfe."]) == [
        "Søren: Ich wohne in Århus, 皿 und Töpfe."
    ]
    reply = json.loads(offline_reply(mem0))
    assert reply == {"facts": [{"text": "Søren: I live in Århus.", "turns": [1]}]}


def offline_reply(mem0: Any) -> str:
    replies: list[str] = []

    def model(messages: Any, role: str) -> str:
        replies.append(offline(messages, role))
        return replies[-1]

    mem0.feed(mem0.memory(model, summary="off"), mem0.conversation("Søren: I live in Århus."))
    return replies[0]
