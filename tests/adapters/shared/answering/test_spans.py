"""Extracting answers: spans, typed spans, several things."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.shared.answering import spans
from adapters.shared.answering.finding import find_matches, pick_sources
from adapters.shared.answering.memory import read_memory
from adapters.shared.answering.patterns import find_typed_span, fits
from adapters.shared.answering.question import Kind, parse_question
from adapters.shared.answering.spans import extract_answer, find_best_span, find_dated_piece


def answer(memory_text: str, question: str, count: int = 3) -> str:
    memory = read_memory(memory_text)
    parsed = parse_question(question, memory.people)
    return extract_answer(pick_sources(memory, parsed, find_matches(memory, parsed), count), parsed)


@pytest.mark.parametrize(
    ("line", "question", "want"),
    [
        ("Zoë: My hedgehog is called Truffle.", "What is Zoë's hedgehog called?", "Truffle"),
        ("Zoë: I moved to Oslo because of the sea.", "Where did Zoë move?", "Oslo"),
        ("Zoë: I have played the cello for five years.", "How long has Zoë played the cello?", "five years"),
        ("Zoë: I swim in the lake twice a week.", "How often does Zoë swim?", "twice a week"),
        ("Zoë: I have 12 cousins in Rome.", "How many cousins has Zoë?", "12"),
        ("Zoë moved to Oslo.", "Where did Zoë move?", "Oslo"),
    ],
)
def test_extract_answer_returns_span_of_the_line(line: str, question: str, want: str) -> None:
    assert answer(line, question) == want


@pytest.mark.parametrize(
    ("kind", "text", "thing"),
    [
        (Kind.LENGTH, "It took about two hours to Rome.", "about two hours"),
        (Kind.OFTEN, "I go every Monday.", "every Monday"),
        (Kind.COUNT, "I paid $1,200 for it.", "1,200"),
        (Kind.CLOCK, "I wake at 6:45 am, not 7.", "6:45 am"),
        (Kind.WEEKDAY, "The class is on Fridays now.", "Fridays"),
        (Kind.WHO, "I went with my sister to Rome.", "my sister"),
        (Kind.NAME, 'I read "The Tortoise" at sea.', "The Tortoise"),
        (Kind.WHY, "I did because it rained.", "because"),
        (Kind.THING, "anything", ""),
        (Kind.LENGTH, "nothing", ""),
    ],
)
def test_find_typed_span_finds_thing_of_kind(kind: Kind, text: str, thing: str) -> None:
    assert find_typed_span(text, kind) == thing
    assert fits(kind, text) is bool(thing)


def test_extract_answer_joins_things_of_several_lines() -> None:
    text = "Zoë: I play the cello.\nŁukasz: Nice.\nZoë: I also play the harp."
    answers = answer(text, "Which instruments does Zoë play?", 5).split(", ")
    assert {one.split()[-1] for one in answers} == {"cello", "harp"}
    assert "," not in answer(text, "What does Zoë play?", 5)


def test_find_dated_piece_looks_at_next_sentence() -> None:
    (line,) = read_memory("Zoë: It is warm. I went last Friday. I saw a hall. It was old.").lines
    assert [find_dated_piece(line, at) for at in range(4)] == ["I went last Friday."] * 3 + ["It was old."]


def test_extract_answer_of_no_sources_is_empty() -> None:
    memory = read_memory("Zoë: ...\nZoë: cello")
    parsed = parse_question("What?", memory.people)
    assert extract_answer([], parsed) == ""
    empty = pick_sources(
        memory, parse_question("cello", memory.people), find_matches(memory, parse_question("cello", memory.people)), 1
    )[0]
    assert find_best_span(empty, parsed).score > -math.inf


def test_span_weights_name_traits_and_no_words() -> None:
    path = Path(spans.__file__).parent / "span_weights.txt"
    names = [row.split()[0] for row in path.read_text(encoding="utf-8").splitlines()]
    assert names == sorted(set(names))
    stems = {name.rpartition(":")[2].split("-")[0] for name in names}
    places = {"starts", "ends", "after", "before", "word", "length", "piece", "line", "near"}
    assert stems <= places | {"soon", "opens", "from", "to", "typed"}


@given(st.text(st.characters(codec="utf-8"), max_size=80), st.text(max_size=40), st.sampled_from(Kind))
def test_find_best_span_returns_text_of_the_line(text: str, question: str, kind: Kind) -> None:
    memory = read_memory(text)
    parsed = parse_question(question, memory.people)
    for source in pick_sources(memory, parsed, find_matches(memory, parsed), 3):
        span = find_best_span(source, parsed)
        assert span == find_best_span(source, parsed)
        assert " ".join(span.text.split()) in " ".join(source.line.text.split()) or not span.text
    assert not find_typed_span(text, kind) or find_typed_span(text, kind) in text
