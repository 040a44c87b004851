"""Texts of limited length: what chat models put around them, and what becomes of too long ones."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from baselines.shared.summarizer import Summarizer, count_words, describe_lengths, tell_limit
from bench.embedders.hash import HashEmbedder
from bench.protocols import Budget, Kit
from bench.types import Frame, Message, Reply

ASKED = (Message("user", "Sum up in about 6 words."),)


class Model:
    """Replies the texts in order, the last one for ever, and keeps what it was asked."""

    name = "model"

    def __init__(self, *texts: str, finish: str = "stop"):
        self.texts, self.finish = list(texts), finish
        self.asked: list[Sequence[Message]] = []
        self.limits: list[int | None] = []

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        self.asked.append(messages)
        self.limits.append(max_tokens)
        return Reply(self.texts.pop(0) if len(self.texts) > 1 else self.texts[0], finish=self.finish)


def build(model: Model) -> Summarizer:
    return Summarizer(Kit(model, HashEmbedder(), Frame("f", "Act.")), "summarize", 8)


def ask(*texts: str, finish: str = "stop") -> tuple[str, tuple[str, ...]]:
    summarizer = build(Model(*texts, finish=finish))
    return summarizer.ask(ASKED), describe_lengths(summarizer)


@pytest.mark.parametrize(
    "text",
    [
        "A is on B. C is free.",
        "Here is the updated summary:\n\nA is on B. C is free.",
        "**Summary**\n\nA is on B. C is free.",
        "```\nA is on B. C is free.\n```",
        "<think>What matters?</think>\nA is on B. C is free.",
    ],
)
def test_text_comes_without_what_chat_models_put_around_it(text: str) -> None:
    assert ask(text) == ("A is on B. C is free.", ())


SHORTENED, TRIMMED = "shortened: 1 texts so far", "trimmed: 1 texts so far"
LONG = "A is on B. C is free. D is held by the robot."


def test_too_long_text_is_asked_for_once_more() -> None:
    model = Model(LONG, "Robot holds D.")
    summarizer = build(model)
    assert summarizer.ask(ASKED) == "Robot holds D."
    assert describe_lengths(summarizer) == (SHORTENED,)
    first, second = model.asked
    assert tuple(second[: len(first)]) == tuple(first)
    assert [message.role for message in second] == ["user", "assistant", "user"]
    assert second[1].content == LONG
    assert "Of its 13 words about 8 fit. Write it again in about 8 words" in second[2].content


def test_request_for_less_names_what_fits_of_such_words() -> None:
    model = Model("Cupboard1 holds dispenser2 and shaker1.", "Shaker1 is in it.")
    kit = Kit(model, HashEmbedder(), Frame("f", "Act."), Budget(count=lambda text: len(text) // 3))
    summarizer = Summarizer(kit, "summarize", 8)
    assert summarizer.ask(ASKED) == "Shaker1 is in it."
    assert "Of its 5 words about 3 fit." in model.asked[1][-1].content


def test_text_that_stays_too_long_ends_with_a_sentence_and_a_mark() -> None:
    assert ask(LONG) == ("A is on B. C is free. …", (SHORTENED, TRIMMED))
    assert ask(LONG, "") == ("A is on B. C is free. …", (SHORTENED, TRIMMED))  # a second reply without a text


def test_text_cut_by_the_reply_limit_loses_its_last_piece() -> None:
    assert ask("A is on B. C is", finish="length") == ("A is on B. …", (SHORTENED, TRIMMED))


def test_thought_without_an_end_is_no_text_and_not_asked_for_again() -> None:
    assert ask("<think>A is on B and", finish="length") == ("", ())


def test_limit_of_the_call_is_larger_than_the_one_told() -> None:
    model = Model("word " * 20)
    assert build(model).ask(ASKED) == " ".join(["word"] * 9) + " …"  # a little more than told stays
    assert model.limits == [8 + 4 + 64] * 2


def test_notes_of_several_are_added_up() -> None:
    some, others = build(Model(LONG)), build(Model(LONG, "A."))
    some.ask(ASKED)
    others.ask(ASKED)
    assert describe_lengths(some, others) == ("shortened: 2 texts so far", TRIMMED)


@pytest.mark.parametrize(("tokens", "words"), [(200, 150), (75, 56), (7, 5), (1, 1), (0, 1)])
def test_limit_is_told_in_words(tokens: int, words: int) -> None:
    assert count_words(tokens) == words
    assert tell_limit("Write about {limit} words.", tokens) == f"Write about {words} words."
