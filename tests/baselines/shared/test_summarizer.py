"""Texts of limited length: what chat models put around them, and what becomes of too long ones."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from baselines.shared.summarizer import Summarizer
from bench.embedders.hash import HashEmbedder
from bench.protocols import Kit
from bench.types import Frame, Message, Reply

ASKED = (Message("user", "Sum up in at most 8 tokens."),)


class Model:
    """Replies one text, and keeps the reply limits it was given."""

    name = "model"

    def __init__(self, text: str, finish: str = "stop"):
        self.text, self.finish = text, finish
        self.limits: list[int | None] = []

    def chat(
        self, messages: Sequence[Message], *, role: str, max_tokens: int | None = None, stop: Sequence[str] = ()
    ) -> Reply:
        self.limits.append(max_tokens)
        return Reply(self.text, finish=self.finish)


def ask(text: str, finish: str = "stop") -> tuple[str, tuple[str, ...]]:
    summarizer = Summarizer(Kit(Model(text, finish), HashEmbedder(), Frame("f", "Act.")), "summarize", 8)
    return summarizer.ask(ASKED), summarizer.describe_trimmed()


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


def test_too_long_text_ends_with_a_sentence_and_is_noted() -> None:
    assert ask("A is on B. C is free. D is held by the robot.") == (
        "A is on B. C is free.", ("trimmed: 1 texts so far",),
    )  # fmt: skip


def test_text_cut_by_the_reply_limit_loses_its_last_piece() -> None:
    assert ask("A is on B. C is", "length") == ("A is on B.", ("trimmed: 1 texts so far",))


def test_thought_without_an_end_is_no_text() -> None:
    assert ask("<think>A is on B and", "length") == ("", ())


def test_limit_of_the_call_is_larger_than_the_one_told() -> None:
    model = Model("word " * 20)
    summarizer = Summarizer(Kit(model, HashEmbedder(), Frame("f", "Act.")), "summarize", 8)
    assert summarizer.ask(ASKED) == " ".join(["word"] * 10)  # a little more than told stays
    assert model.limits == [8 + 4 + 64]
