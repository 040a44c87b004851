"""The official category leak: what is shown, and which option an answer names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.locomo.leak import chosen, shown
from adapters.locomo.loading import Asked

TRAP = "a red kite"


def asked(category: int, adversarial: str = TRAP) -> Asked:
    return Asked(0, "What did Ann fly?", category, "not mentioned", ("D1:1",), adversarial)


def letter_of(text: str, name: str) -> str:
    line = next(line for line in shown(asked(5), name).splitlines() if line.endswith(text))
    return line[1]


def test_the_order_of_the_options_hangs_on_the_question_alone() -> None:
    names = [f"conv-1/{index:03d}" for index in range(200)]
    first = [letter_of("not mentioned", name) for name in names]
    assert first == [letter_of("not mentioned", name) for name in names]
    assert 60 < first.count("a") < 140
    assert all(letter_of(TRAP, name) != letter for name, letter in zip(names, first, strict=True))


@pytest.mark.parametrize("written", ["{}", "({})", "{}.", "({}) it is", "{}) so", "The answer is ({})", "{}: this one"])
@pytest.mark.parametrize("text", ["not mentioned", TRAP])
def test_a_letter_is_its_option(written: str, text: str) -> None:
    for name in ("x/1", "x/2", "x/3", "x/4"):
        letter = letter_of(text, name)
        assert chosen(asked(5), name, written.format(letter)) == text
        assert chosen(asked(5), name, written.format(letter.upper())) == text


@pytest.mark.parametrize(
    ("answer", "option"),
    [
        ("It is not mentioned.", "not mentioned"),
        ("Ann flew a red kite!", TRAP),
        ("a red kite", TRAP),
        ("a blue kite", ""),
        ("I do not know", ""),
        ("", ""),
        ("a red kite, or not mentioned", ""),
        ("(a) or (b)", ""),
        ("a or b", ""),
    ],
)
def test_the_text_of_an_option_counts_and_nothing_else_does(answer: str, option: str) -> None:
    assert chosen(asked(5), "x/1", answer) == option


@pytest.mark.parametrize("category", [1, 2, 3, 4])
def test_other_answers_are_left_alone(category: int) -> None:
    assert chosen(asked(category), "x/1", "(a)") == "(a)"
    assert shown(asked(category), "x/1").startswith("What did Ann fly?")
    assert TRAP not in shown(asked(category), "x/1")


def test_without_a_trap_there_is_no_choice() -> None:
    assert shown(asked(5, ""), "x/1") == "What did Ann fly?"
    assert chosen(asked(5, ""), "x/1", "unknown") == "unknown"


@given(st.text(max_size=40), st.text(max_size=20))
def test_any_answer_names_an_option_or_none(answer: str, name: str) -> None:
    assert chosen(asked(5), name, answer) in ("not mentioned", TRAP, "")
