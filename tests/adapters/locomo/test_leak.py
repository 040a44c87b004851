"""The official category leak: prompts, and the option that an answer names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.locomo.leak import add_leak, resolve_choice
from adapters.locomo.loading import LocomoQuestion

ADVERSARIAL = "a red kite"


def question(category: int, adversarial: str = ADVERSARIAL) -> LocomoQuestion:
    return LocomoQuestion(0, "What did Ann fly?", category, "not mentioned", ("D1:1",), adversarial)


def letter_of(text: str, name: str) -> str:
    line = next(line for line in add_leak(question(5), name).splitlines() if line.endswith(text))
    return line[1]


def test_add_leak_orders_options_by_question_id() -> None:
    names = [f"conv-1/{index:03d}" for index in range(200)]
    first = [letter_of("not mentioned", name) for name in names]
    assert first == [letter_of("not mentioned", name) for name in names]
    assert 60 < first.count("a") < 140
    assert all(letter_of(ADVERSARIAL, name) != letter for name, letter in zip(names, first, strict=True))


@pytest.mark.parametrize(
    "template", ["{}", "({})", "{}.", "({}) it is", "{}) so", "The answer is ({})", "{}: this one"]
)
@pytest.mark.parametrize("text", ["not mentioned", ADVERSARIAL])
def test_resolve_choice_reads_letters(template: str, text: str) -> None:
    for name in ("x/1", "x/2", "x/3", "x/4"):
        letter = letter_of(text, name)
        assert resolve_choice(question(5), name, template.format(letter)) == text
        assert resolve_choice(question(5), name, template.format(letter.upper())) == text


@pytest.mark.parametrize(
    ("answer", "option"),
    [
        ("It is not mentioned.", "not mentioned"),
        ("Ann flew a red kite!", ADVERSARIAL),
        ("a red kite", ADVERSARIAL),
        ("a blue kite", ""),
        ("I do not know", ""),
        ("", ""),
        ("a red kite, or not mentioned", ""),
        ("(a) or (b)", ""),
        ("a or b", ""),
    ],
)
def test_resolve_choice_reads_option_texts(answer: str, option: str) -> None:
    assert resolve_choice(question(5), "x/1", answer) == option


@pytest.mark.parametrize("category", [1, 2, 3, 4])
def test_resolve_choice_keeps_answers_of_other_categories(category: int) -> None:
    assert resolve_choice(question(category), "x/1", "(a)") == "(a)"
    assert add_leak(question(category), "x/1").startswith("What did Ann fly?")
    assert ADVERSARIAL not in add_leak(question(category), "x/1")


def test_add_leak_without_adversarial_answer_adds_no_choice() -> None:
    assert add_leak(question(5, ""), "x/1") == "What did Ann fly?"
    assert resolve_choice(question(5, ""), "x/1", "unknown") == "unknown"


@given(st.text(max_size=40), st.text(max_size=20))
def test_resolve_choice_accepts_any_answer(answer: str, name: str) -> None:
    assert resolve_choice(question(5), name, answer) in ("not mentioned", ADVERSARIAL, "")
