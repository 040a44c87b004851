"""The three grammars: what a chat model adds around a line is forgiven, what is no line of them is nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.generic_agent.dialogue.facts import Proposal
from baselines.generic_agent.dialogue.proposals import Drop, Route, read_drops, read_proposals, read_route


@pytest.mark.parametrize(
    "line",
    [
        "fact: ann/home | Ann moved to Oslo. | 1:2, 3:4",
        "- Fact: ann/home|Ann moved to Oslo.|[1:2]; (3:4).",
        "  * **fact:** ann/home | Ann moved to Oslo. | 1:2 3:4 1:2",
        "`fact: ann/home | Ann moved to Oslo. | 1:2, 3:4`",
        "Here is what I would file:\n\n```\n1. FACT: ann/home | Ann moved to Oslo. | 1:2, 3:4\n```",
        "<think>fact: a/b | a lie | 9:9</think>\n**fact**: ann/home | Ann moved to Oslo. | 1:2, 3:4",
    ],
)
def test_read_proposals_reads_topic_statement_and_places(line: str) -> None:
    assert read_proposals(line).facts == (Proposal("ann/home", "Ann moved to Oslo.", ("1:2", "3:4")),)


def test_read_proposals_keeps_a_bar_in_the_statement() -> None:
    assert read_proposals("fact: a/b | one | two | 1:2").facts == (Proposal("a/b", "one two", ("1:2",)),)


@pytest.mark.parametrize("line", ["fact: ann/home | Ann moved to Oslo.", "fact: Ann moved to Oslo."])
def test_read_proposals_returns_facts_without_places(line: str) -> None:
    (fact,) = read_proposals(line).facts
    assert (fact.text.rstrip("."), fact.places) == ("Ann moved to Oslo", ())


def test_read_proposals_leaves_invalid_places_as_written() -> None:
    assert read_proposals("fact: a/b | c | 1:2, yesterday").facts[0].places == ("1:2", "yesterday")


def test_read_proposals_reads_rules_and_facts() -> None:
    read = read_proposals("rule: Mel is Melanie | 1:2\nnone\nfact: a/b | c | 1:3\nrule: no place")
    assert read.rules == (Proposal("", "Mel is Melanie", ("1:2",)), Proposal("", "no place", ()))
    assert len(read.facts) == 1


@pytest.mark.parametrize(
    "text", ["", "none", "facts: none", "The fact: x", "fact", "fact:", "fact: | |", "factual: a | b | c"]
)
def test_readers_ignore_lines_outside_the_grammar(text: str) -> None:
    assert [one for one in read_proposals(text).facts if one.text] == []
    assert read_drops(text) == ()
    assert not read_route(text).asks


def test_read_drops_reads_pairs_of_numbers_each_once() -> None:
    text = "drop: 3 | 9\n- drop: 4|9.\ndrop: 3 | 8\ndrop: 5\ndrop: five | 9\ndrop: 1, 2 | 9"
    assert read_drops(text) == (Drop(3, 9), Drop(4, 9))


def test_read_route_keeps_the_order_of_requests() -> None:
    text = "open: ann/home, ann/*\nfind: mug shelf\nturns: 3:12, 4\nopen: l3\nfind: lamp\nsessions\nDone."
    assert read_route(text) == Route(("ann/home", "ann/*", "l3"), ("mug shelf", "lamp"), ("3:12", "4"), True, True)
    assert read_route("done\nopen: a").is_done


@pytest.mark.parametrize(
    "text",
    [
        "open ann/home\nfind mug shelf\ndone",
        'I will look at her home first.\n\n1. open: `ann/home`\n2. find: "mug shelf"\n3. **done**',
        "```\n- **open:** ann/home\n- **Find:** mug shelf\n- done: nothing more is needed\n```",
    ],
)
def test_read_route_reads_the_styles_of_chat_models(text: str) -> None:
    assert read_route(text) == Route(("ann/home",), ("mug shelf",), is_done=True)


def test_read_route_limits_the_names_of_a_command() -> None:
    assert len(read_route("open: " + ", ".join(map(str, range(500)))).topics) == 12
    assert len(read_route("find: a\n" * 10 + "\n".join(f"find: w{n}" for n in range(500))).searches) == 12


@given(
    st.text(max_size=200)
    | st.lists(st.sampled_from(["fact:", "|", "drop:", "1", "open:", ",", "\n", "turns:"])).map("".join)
)
def test_readers_accept_any_text(text: str) -> None:
    assert all(isinstance(one, Proposal) for one in read_proposals(text).facts)
    assert all(drop.earlier >= 0 for drop in read_drops(text))
    assert all(name.strip() for name in read_route(text).topics)
