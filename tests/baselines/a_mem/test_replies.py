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
    MalformedReply,
    Revision,
    ask,
    read_card,
    read_evolution,
    read_keywords,
)
from bench.models.scripted import ScriptedModel
from bench.types import Message, Reply

CARD = '{"keywords": ["Oslo", " a\\nflat "], "context": "Ann  moved.", "tags": ["home", "home", ""]}'
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def test_read_card_joins_spaces_and_drops_repeats() -> None:
    assert read_card(CARD) == Card(("Oslo", "a flat"), "Ann moved.", ("home",))


@pytest.mark.parametrize("fence", ["```\n{}\n```", "```json\n{}\n```", "  {}\n"])
def test_read_card_accepts_a_code_fence_and_white_space(fence: str) -> None:
    assert read_card(fence.replace("{}", CARD)) == read_card(CARD)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "expected one JSON object, got ''"),
        ("Sure! " + CARD, "expected one JSON object, got 'Sure!"),
        ("[1]", r"expected one JSON object, got \[1\]"),
        ("[" * 100_000, "RecursionError"),
        ("{}", "expected keywords to be a list, got None"),
        ('{"keywords": "Oslo", "context": "", "tags": []}', "expected keywords to be a list, got 'Oslo'"),
        ('{"keywords": [3], "context": "", "tags": []}', "list of short texts, got 3 in it"),
        ('{"keywords": ["' + "x" * 201 + '"], "context": "", "tags": []}', r"list of short texts, got 'x+\.\.\. in it"),
        ('{"keywords": [], "context": null, "tags": []}', "expected context to be a text, got None"),
        ('{"keywords": [], "context": "", "tags": {}}', "expected tags to be a list, got {}"),
    ],
)
def test_read_card_names_the_fault_of_a_malformed_reply(text: str, fault: str) -> None:
    with pytest.raises(MalformedReply, match=fault):
        read_card(text)


def test_read_card_replaces_lone_surrogates() -> None:
    assert read_card('{"keywords": ["\\ud800x"], "context": "\\udfff", "tags": []}') == Card(("?x",), "?", ())


def test_read_keywords_rejects_an_empty_list() -> None:
    assert read_keywords('{"keywords": ["Oslo", "flat"]}') == ("Oslo", "flat")
    with pytest.raises(MalformedReply, match="at least one word, got none"):
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
        ({"should_evolve": "True"}, "should_evolve to be true or false, got 'True'"),
        ({"actions": "strengthen"}, "expected actions to be a list"),
        ({"actions": ["merge"]}, "actions strengthen or update_neighbor, got 'merge'"),
        ({"actions": ["strengthen"], "links": [3]}, "expected links to be of 1 to 2, got 3"),
        ({"actions": ["strengthen"], "links": [0]}, "got 0"),
        ({"actions": ["strengthen"], "links": [True]}, "got True"),
        ({"actions": ["strengthen"], "links": ["1"]}, "got '1'"),
        ({"actions": ["update_neighbor"], "neighbors": ["x"]}, "each of neighbors to be an object, got 'x'"),
        ({"actions": ["update_neighbor"], "neighbors": [{"context": "", "tags": []}]}, "number to be of 1 to 2, got N"),
    ],
)
def test_read_evolution_names_the_fault_of_a_malformed_reply(fields: dict[str, object], fault: str) -> None:
    with pytest.raises(MalformedReply, match=fault):
        read_evolution(evolution(**fields), 2)


@given(ANY_JSON)
def test_readers_return_or_raise_malformed_reply_for_any_json(value: object) -> None:
    for fields in (value, {"should_evolve": True, "actions": ["strengthen", "update_neighbor"], "links": value}):
        for read in (read_card, read_keywords, lambda text: read_evolution(text, 3)):
            with suppress(MalformedReply):
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
    assert n_turns.content.startswith("That reply cannot be used: expected one JSON object, got 'no'")


def test_ask_returns_none_after_two_faults() -> None:
    model = Replies("no", "still no")
    assert ask(model, (Message("user", "u"),), role="extract", max_tokens=9, read=read_card) is None
    assert model.calls == 2
