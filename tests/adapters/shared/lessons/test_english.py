"""Forms of verbs, singulars, nouns in lists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.shared.lessons.english import (
    find_verb,
    is_attribute,
    is_kind,
    read_noun,
    read_nouns,
    singular,
    split_tokens,
)


@pytest.mark.parametrize(
    ("word", "verb"), [("heated", "heat"), ("chill", "cool"), ("washing", "clean"), ("moved", "put"), ("egg", "")]
)
def test_find_verb_knows_forms_and_synonyms(word: str, verb: str) -> None:
    assert find_verb(word) == verb


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("shelves", "shelf"), ("knives", "knife"), ("microwaves", "microwave"), ("tomatoes", "tomato"),
        ("dishes", "dish"), ("boxes", "box"), ("glasses", "glass"), ("keys", "key"), ("bus", "bus"), ("gas", "gas"),
    ],
)  # fmt: skip
def test_singular_undoes_the_plural(plural: str, one: str) -> None:
    assert singular(plural) == one
    assert singular(one) == one


@pytest.mark.parametrize(
    ("told", "kind", "fits"),
    [("sink", "sinkbasin", True), ("table", "diningtable", True), ("cup", "cupboard", False), ("pan", "pan", True)],
)
def test_is_kind_takes_a_part_for_the_whole(told: str, kind: str, fits: bool) -> None:
    assert is_kind(told, kind) is fits


def test_read_noun_skips_articles_and_joins_two_words() -> None:
    noun = read_noun(split_tokens("the credit cards 3 are"), 0)
    assert noun is not None
    assert (noun.kind, noun.number, noun.name, noun.end) == ("creditcard", "3", "creditcard 3", 4)
    assert read_noun(split_tokens("it is"), 0) is None
    assert read_noun(split_tokens("{object} there"), 0) is None


def test_read_nouns_reads_a_list_and_stops_behind_it() -> None:
    nouns = read_nouns(split_tokens("shelves or in cabinets, then desk 2; go on"), 0)
    assert [noun.name for noun in nouns] == ["shelf", "cabinet", "desk 2"]


def test_is_attribute_tells_adjectives_from_verbs() -> None:
    assert is_attribute(split_tokens("put a cool plate"), 2)
    assert not is_attribute(split_tokens("then cool the plate"), 1)
    assert is_attribute(split_tokens("hot food"), 0)


@given(st.text(max_size=60))
def test_split_tokens_takes_any_text(text: str) -> None:
    tokens = split_tokens(text)
    assert all(tokens)
    assert read_nouns(tokens, 0) is not None
