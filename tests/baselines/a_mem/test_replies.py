"""A-MEM's replies: what is read, what is a fault and named so, and the one more try."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.a_mem.replies import (
    Card,
    Evolution,
    Revision,
    ask,
    read_card,
    read_evolution,
    read_keywords,
)
from bench.models.scripted import ScriptedModel
from bench.replies import ReplyError
from bench.types import Message, Reply

CARD = '{"keywords": ["Oslo", " a\\nflat "], "context": "Ann  moved.", "tags": ["home", "home", ""]}'
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def test_read_card_joins_spaces_and_drops_repeats() -> None:
    assert read_card(CARD) == Card(("Oslo", "a flat"), "Ann moved.", ("home",))


@pytest.mark.parametrize(
    "fence", ["```\n{}\n```", "Sure! Here it is:\n```JSON\n{}\n```\nAnything else?", "<think>[]</think> {}\n"]
)
def test_read_card_reads_what_chat_models_put_around_it(fence: str) -> None:
    assert read_card(fence.replace("{}", CARD)) == read_card(CARD)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "reply: expected one JSON object, got nothing"),
        ("Ann moved to Oslo.", "reply: expected one JSON object, got 'Ann moved"),
        ("[1]", r"expected an object, got a list|expected one JSON object"),
        ("[" * 100_000, "expected one JSON object"),
        ("{}", "keywords: expected a list, got nothing"),
        ('{"keywords": [[]], "context": "", "tags": []}', r"keywords\[0\]: expected a text, got a list"),
        ('{"keywords": ["' + "x" * 201 + '"], "context": "", "tags": []}', r"keywords\[0\]: expected a short text"),
        ('{"keywords": [], "context": null, "tags": []}', "context: expected a text, got nothing"),
        ('{"keywords": [], "context": "", "tags": {}}', "tags: expected a list, got a dict"),
    ],
)
def test_read_card_names_the_fault_of_a_malformed_reply(text: str, fault: str) -> None:
    with pytest.raises(ReplyError, match=fault):
        read_card(text)


def test_read_card_keeps_the_words_that_can_be_read() -> None:
    text = '{"Keywords": ["Oslo", null, 3, "' + "x" * 201 + '"], "context": "Ann moved.", "tags": "home, city",}'
    assert read_card(text) == Card(("Oslo", "3"), "Ann moved.", ("home", "city"))


def test_read_card_replaces_lone_surrogates() -> None:
    assert read_card('{"keywords": ["\\ud800x"], "context": "\\udfff", "tags": []}') == Card(("?x",), "?", ())


def test_read_keywords_rejects_an_empty_list() -> None:
    assert read_keywords('{"keywords": ["Oslo", "flat"]}') == ("Oslo", "flat")
    with pytest.raises(ReplyError, match="keywords: expected at least one word"):
        read_keywords('{"keywords": [" "]}')


def evolution(**fields: object) -> str:
    return json.dumps({"should_evolve": True, "actions": [], "links": [], "tags": [], "neighbors": [], **fields})


def test_read_evolution_reads_both_actions_with_places_from_zero() -> None:
    text = evolution(
        actions=["strengthen", "update_neighbor"],
        links=[2, 1, 2],
        tags=["home"],
        neighbors=[{"number": 2, "context": "Ann lives in Oslo.", "tags": ["place"]}],
    )
    revised = Revision(1, "Ann lives in Oslo.", ("place",))
    assert read_evolution(text, 2) == Evolution(True, True, (1, 0), ("home",), (revised,))


def test_read_evolution_ignores_fields_of_actions_not_chosen() -> None:
    assert read_evolution('{"should_evolve": false}', 2) == Evolution()
    assert read_evolution(evolution(links=[9], neighbors=[9]), 2) == Evolution(True)


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"should_evolve": None}, "should_evolve: expected true or false, got nothing"),
        ({"actions": "strengthen"}, "actions: expected a list"),
        ({"actions": ["merge"]}, r"actions\[0\]: expected one of strengthen, update_neighbor, got 'merge'"),
        ({"actions": ["strengthen"], "links": [3]}, r"links\[0\]: expected a number of 1 to 2, got 3"),
        ({"actions": ["strengthen"], "links": [0]}, "got 0"),
        ({"actions": ["strengthen"], "links": [True]}, "got True"),
        ({"actions": ["update_neighbor"], "neighbors": ["x"]}, r"neighbors\[0\]: expected an object, got 'x'"),
        (
            {"actions": ["update_neighbor"], "neighbors": [{"context": "", "tags": []}]},
            r"neighbors\[0\].number: expected a number of 1 to 2, got nothing",
        ),
    ],
)
def test_read_evolution_names_the_fault_of_a_malformed_reply(fields: dict[str, object], fault: str) -> None:
    with pytest.raises(ReplyError, match=fault):
        read_evolution(evolution(**fields), 2)


def test_read_evolution_keeps_the_entries_that_can_be_read() -> None:
    text = evolution(
        should_evolve="True",
        actions=["Strengthen", "merge", "update_neighbor"],
        links=["2", 9],
        tags=None,
        neighbors=[{"number": 1, "context": "Ann lives in Oslo."}, {"number": 7}, "x"],
    )
    assert read_evolution(text, 2) == Evolution(True, True, (1,), None, (Revision(0, "Ann lives in Oslo."),))


@given(ANY_JSON)
def test_readers_return_or_raise_malformed_reply_for_any_json(value: object) -> None:
    for fields in (value, {"should_evolve": True, "actions": ["strengthen", "update_neighbor"], "links": value}):
        for read in (read_card, read_keywords, lambda text: read_evolution(text, 3)):
            with suppress(ReplyError):
                read(json.dumps(fields))


class Replies(ScriptedModel):
    """A script that keeps the prompts."""

    def __init__(self, *replies: str):
        super().__init__(replies)
        self.requests: list[tuple[Message, ...]] = []

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        self.requests.append(tuple(messages))
        return super().chat(messages, role=role, max_tokens=max_tokens, stop=stop)


def test_ask_names_the_fault_and_uses_the_second_reply() -> None:
    model, first = Replies("no", CARD), (Message("system", "s"), Message("user", "u"))
    assert ask(model, first, role="extract", max_tokens=9, read=read_card) == read_card(CARD)
    assert model.requests[0] == first
    said, n_turns = model.requests[1][2:]
    assert said == Message("assistant", "no")
    assert n_turns.content.startswith("That reply cannot be used: reply: expected one JSON object, got 'no'")


def test_ask_returns_none_after_two_faults() -> None:
    model = Replies("no", "still no")
    assert ask(model, (Message("user", "u"),), role="extract", max_tokens=9, read=read_card) is None
    assert model.calls == 2
