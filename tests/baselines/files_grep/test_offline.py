"""The offline model among the files: rare words first, around the best line last, and no command twice."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.files_grep.commands import parse
from baselines.files_grep.memory import FilesMemory
from baselines.files_grep.offline import RULES, NavigateRule, find_root, find_search_words
from baselines.files_grep.strategy import STRATEGY
from bench.embedders.hash import HashEmbedder
from bench.errors import StrategyError
from bench.models.offline.reader import OfflineReader
from bench.protocols import Kit, Params
from bench.types import Event, EventKind, Frame, Message, Query, Reply, Shape


def test_find_search_words_puts_names_and_numbers_first_and_leaves_out_speakers() -> None:
    assert find_search_words("When did Ann's greyhound swim in Oslo, or in 2022?", "Ann, Bob") == [
        "oslo",
        "2022",
        "greyhound",
        "swim",
    ]


def test_find_root_is_the_beginning_of_all_forms() -> None:
    assert {find_root(word) for word in ("painted", "painting", "paints", "paint")} == {"paint"}
    assert (find_root("bus"), find_root("movies")) == ("bus", "movi")


class Listening(OfflineReader):
    """The offline reader with an ear on its own commands."""

    def __init__(self) -> None:
        super().__init__(RULES)
        self.said: list[str] = []

    def chat(self, messages: Any, *, role: str, max_tokens: int | None = None, stop: Any = ()) -> Reply:
        reply = super().chat(messages, role=role, max_tokens=max_tokens, stop=stop)
        self.said.append(reply.text)
        return reply


def commands(question: str, *texts: str, **given: str) -> list[str]:
    model = Listening()
    memory = FilesMemory(Kit(model, HashEmbedder(), Frame("f", "A."), params=Params(STRATEGY.params, given)))
    for at, text in enumerate(texts):
        memory.observe(Event(f"t{at}", EventKind.TURN, text, 1, ("Ann", "Bob")[at % 2], "8 May"))
    memory.recall(Query(question, f"{question} (asked on 9 June, 2023)", 1, Shape.CONVERSATION))
    return model.said


TALK = (
    "My greyhound swam.",
    "Where?",
    "In the river near Oslo.",
    "How cold was the river?",
    "Very.",
    "Brave greyhound!",
)


def test_rule_splits_a_pair_without_hits_then_reads_around_the_best_line() -> None:
    asked = "Was Ann's greyhound ever in Oslo?"
    assert commands(asked, *TALK) == ["grep oslo greyhound", "grep oslo", "grep greyhound", "read session-01.txt 1 7"]


def test_rule_tries_the_next_pair_after_a_hit() -> None:
    asked = "Was the river of Oslo ever frozen solid?"
    assert commands(asked, *TALK) == ["grep oslo frozen", "grep oslo", "grep frozen", "read session-01.txt 1 7"]
    assert commands("Is Oslo near the river, or frozen?", *TALK)[:2] == ["grep oslo frozen", "grep oslo"]
    assert commands("Is a river in Oslo cold?", *TALK) == [
        "grep oslo river",
        "grep cold",
        "read session-01.txt 1 7",
        "done",
    ]


def test_rule_is_done_without_hits() -> None:
    assert commands("Does Bob like sushi?", *TALK) == ["grep sushi", "done"]
    assert commands("Does he?", *TALK) == ["done"]
    assert commands("Does Bob like sushi?", *TALK, rounds="1") == ["grep sushi"]


def test_rule_leaves_out_the_date_of_the_question() -> None:
    assert not any("2023" in command or "june" in command for command in commands("Which river?", *TALK))


def test_rule_searches_an_episode_for_what_the_task_names() -> None:
    model = Listening()
    memory = FilesMemory(Kit(model, HashEmbedder(), Frame("f", "A."), params=Params(STRATEGY.params)))
    for step, text in enumerate(("A mug 1 is on the shelf.", "The desk is bare."), start=1):
        memory.observe(Event(f"o{step}", EventKind.OBSERVATION, text, step))
    memory.recall(Query("You see a lamp.", "Look around.\n\nYour task is to: put a mug in the desk.", 3))
    assert model.said == ["grep desk mug", "grep desk", "grep mug", "read log.txt 1 6"]


@given(st.text(max_size=60), st.text(max_size=40))
def test_rule_always_replies_with_one_command(question: str, results: str) -> None:
    asked = (
        Message("system", "s"),
        Message("user", f"# Question\n{question}\n\n# Files\n{results}"),
        Message("assistant", "grep x"),
        Message("user", results),
    )
    parse(NavigateRule().reply(asked[:2]))
    parse(NavigateRule().reply(asked))


@pytest.mark.parametrize("role", ["navigate", "answer"])
def test_rule_does_not_answer_other_prompts(role: str) -> None:
    with pytest.raises(StrategyError, match="expected a rule for role"):
        OfflineReader(RULES).chat((Message("system", "You look."), Message("user", "x")), role=role)
