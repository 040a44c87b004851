"""The English wording that Mem0's offline rules look for."""

from __future__ import annotations

import pytest

from baselines.mem0.wording import denies, find_slot, has_denial, is_same_fact, is_small_talk, makes_statement


@pytest.mark.parametrize(
    ("sentence", "states", "small_talk"),
    [
        ("I painted a bowl.", True, False),
        ("Oslo has a big harbour.", True, False),
        ("Did you paint?", False, True),
        ("Thanks a lot!", False, True),
        ("Thanks to my sister I found a flat in Oslo with a view of the fjord.", True, False),
        ("Hm.", False, False),
    ],
)
def test_makes_statement_rejects_questions_and_small_talk(sentence: str, states: bool, small_talk: bool) -> None:
    assert makes_statement(sentence) is states
    assert is_small_talk(sentence) is small_talk


def test_is_same_fact_allows_few_other_words() -> None:
    assert is_same_fact("I live in Oslo", "i live in oslo")
    assert not is_same_fact("I live in Oslo", "I live in Bergen")
    assert not is_same_fact("", "")


def test_denies_needs_every_content_word_and_a_denial_in_the_fact_alone() -> None:
    assert denies("I no longer own the red boat", "I own a red boat")
    assert not denies("I no longer own the boat", "I own a red boat")
    assert not denies("I no longer own a boat", "I no longer own a boat")
    assert has_denial("I quit my job")
    assert not has_denial("I like my job")


def test_find_slot_names_the_property_that_a_short_statement_sets() -> None:
    assert find_slot("I moved to Oslo.") == find_slot("I live in Bergen.") != ""
    assert (
        find_slot("My new dog is called Rex.") == find_slot("My dog is now named Ada.") != find_slot("I live in Oslo.")
    )
    assert find_slot("Bob lives in Oslo.") == ""
