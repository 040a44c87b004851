"""The offline model as A-MEM's scribe: words picked out of what is shown, nothing of its own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.a_mem.memory import _EXTRACT, _KEYWORDS, _LINK
from baselines.a_mem.offline import RULES, CardRule, KeywordsRule, LinkRule, find_root
from baselines.a_mem.replies import read_card, read_evolution, read_keywords
from baselines.a_mem.strategy import STRATEGY
from bench.errors import StrategyError
from bench.models.offline.reader import OfflineReader
from bench.types import Message


def reply_offline(prompt: str, text: str, role: str) -> Any:
    return json.loads(OfflineReader(RULES).chat((Message("system", prompt), Message("user", text)), role=role).text)


def card(text: str) -> Any:
    return reply_offline(_EXTRACT, text, "extract")


def test_card_rule_chooses_names_and_numbers_then_long_words() -> None:
    found = card("[8 May, 2023] Ann: I finally adopted a greyhound, Ann's second, with Bob in Oslo for 300 kroner!")
    assert found["keywords"] == ["Oslo", "Bob", "300", "greyhound", "finally", "adopted", "second", "kroner"]
    assert found["tags"] == ["oslo", "bob", "300"]


def test_card_rule_shortens_the_sentence_with_most_keywords() -> None:
    long = "The greyhound " + "ran along the river and " * 9 + "slept."
    assert card("[8 May] Ann: Wow! My greyhound ran.")["context"] == "My greyhound ran."
    found = card(f"[8 May] Ann: Wow! {long}")
    assert found["context"].endswith(" …")
    assert long.startswith(found["context"].removesuffix(" …"))
    assert len(found["context"].split()) == 17


def test_card_rule_tags_questions_and_reads_no_speaker_of_a_step() -> None:
    assert card("Ann: Did the greyhound sleep?")["tags"] == ["greyhound", "sleep", "question"]
    found = card("[3] Action: open drawer 2 [3] Observation: The drawer 2 is open.")
    assert found["keywords"] == ["2", "drawer", "open"]


def test_find_root_is_equal_for_forms_of_a_word() -> None:
    assert {find_root(word) for word in ("Painting", "painted", "paints", "paint")} == {"paint"}
    assert find_root("bus") == "bus"


LINKED = """# New card
[9 May] Ann: My greyhound swam in the river.
Keywords: greyhound, river, swam
Tags: animal
Context: My greyhound swam in the river.

# Neighbors
1. [8 May] Ann: Greyhounds like a river. 2. is no number here
Keywords: Greyhounds, river
Tags: place, river
Context: Greyhounds like a river.
2. [7 May] Bob: A greyhound!
Keywords: greyhound
Tags:\x20
Context: A greyhound!
"""


def test_link_rule_links_notes_that_share_two_keywords() -> None:
    assert reply_offline(_LINK, LINKED, "link") == {
        "should_evolve": True,
        "actions": ["strengthen", "update_neighbor"],
        "links": [1],
        "tags": ["animal", "greyhound", "river"],
        "neighbors": [{"number": 1, "context": "Greyhounds like a river.", "tags": ["place", "river", "greyhound"]}],
    }


def test_link_rule_does_not_revise_a_neighbor_that_has_the_tags() -> None:
    found = reply_offline(_LINK, LINKED.replace("Tags: place, river", "Tags: greyhound, river"), "link")
    assert (found["actions"], found["neighbors"]) == (["strengthen"], [])


def test_link_rule_does_not_link_notes_that_share_one_keyword() -> None:
    found = reply_offline(_LINK, LINKED.replace("Keywords: Greyhounds, river", "Keywords: river"), "link")
    assert found == {"should_evolve": False, "actions": [], "links": [], "tags": [], "neighbors": []}


def test_keywords_rule_returns_the_content_words() -> None:
    found = reply_offline(_KEYWORDS, "When did Ann's greyhound swim in the river?", "keywords")
    assert found == {"keywords": ["Ann", "greyhound", "swim", "river"]}
    assert reply_offline(_KEYWORDS, "What is it?", "keywords") == {"keywords": ["What is it?"]}
    assert reply_offline(_KEYWORDS, "", "keywords") == {"keywords": ["nothing"]}


@given(st.text(max_size=80))
def test_every_reply_can_be_read(text: str) -> None:
    find_requests = (Message("system", "s"), Message("user", text))
    read_card(CardRule().reply(find_requests))
    read_keywords(KeywordsRule().reply(find_requests))
    read_evolution(LinkRule().reply((find_requests[0], Message("user", f"{text}\n{LINKED}"))), 99)


@pytest.mark.parametrize(("prompt", "role"), [(_EXTRACT, "link"), (_LINK, "extract"), ("You plan.", "keywords")])
def test_rules_do_not_answer_other_prompts(prompt: str, role: str) -> None:
    with pytest.raises(StrategyError, match="expected a rule for role"):
        reply_offline(prompt, "Ann: Hello", role)


def test_prompts_name_no_suite_and_have_different_first_lines() -> None:
    prompts = (_EXTRACT, _LINK, _KEYWORDS)
    assert len({text.split("\n", 1)[0] for text in prompts}) == 3
    assert not any(word in text.lower() for text in prompts for word in ("locomo", "longmemeval", "category"))
    assert STRATEGY.inner_calls >= 3
