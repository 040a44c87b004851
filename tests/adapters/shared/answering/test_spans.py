"""Spans: what is new beside what was asked, the kind that was asked for, several things where several are asked."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.shared.answering import spans
from adapters.shared.answering.asking import Kind, ask
from adapters.shared.answering.finding import find, sources
from adapters.shared.answering.memory import read_memory
from adapters.shared.answering.spans import answer_span, best_span, dated_piece, fits, typed_span


def answer(memory_text: str, question: str, count: int = 3) -> str:
    memory = read_memory(memory_text)
    asked = ask(question, memory.people)
    return answer_span(sources(memory, asked, find(memory, asked), count), asked)


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
def test_the_answer_is_cut_from_the_line(line: str, question: str, want: str) -> None:
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
def test_a_text_holds_things_of_a_kind(kind: Kind, text: str, thing: str) -> None:
    assert typed_span(text, kind) == thing
    assert fits(kind, text) is bool(thing)


def test_several_things_come_from_several_lines() -> None:
    text = "Zoë: I play the cello.\nŁukasz: Nice.\nZoë: I also play the harp."
    said = answer(text, "Which instruments does Zoë play?", 5).split(", ")
    assert {one.split()[-1] for one in said} == {"cello", "harp"}
    assert "," not in answer(text, "What does Zoë play?", 5)


def test_the_time_of_a_thing_may_stand_in_the_sentence_beside() -> None:
    (line,) = read_memory("Zoë: It is warm. I went last Friday. I saw a hall. It was old.").lines
    assert [dated_piece(line, at) for at in range(4)] == ["I went last Friday."] * 3 + ["It was old."]


def test_a_line_without_words_answers_nothing() -> None:
    memory = read_memory("Zoë: ...\nZoë: cello")
    asked = ask("What?", memory.people)
    assert answer_span([], asked) == ""
    empty = sources(memory, ask("cello", memory.people), find(memory, ask("cello", memory.people)), 1)[0]
    assert best_span(empty, asked).worth > -math.inf


def test_the_weights_are_of_traits_and_not_of_words() -> None:
    path = Path(spans.__file__).parent / "span_weights.txt"
    names = [row.split()[0] for row in path.read_text(encoding="utf-8").splitlines()]
    assert names == sorted(set(names))
    stems = {name.rpartition(":")[2].split("-")[0] for name in names}
    places = {"starts", "ends", "after", "before", "word", "length", "piece", "line", "near"}
    assert stems <= places | {"soon", "opens", "from", "to", "typed"}


@given(st.text(st.characters(codec="utf-8"), max_size=80), st.text(max_size=40), st.sampled_from(Kind))
def test_a_span_stands_in_its_line(text: str, question: str, kind: Kind) -> None:
    memory = read_memory(text)
    asked = ask(question, memory.people)
    for source in sources(memory, asked, find(memory, asked), 3):
        span = best_span(source, asked)
        assert span == best_span(source, asked)
        assert " ".join(span.text.split()) in " ".join(source.line.text.split()) or not span.text
    assert not typed_span(text, kind) or typed_span(text, kind) in text
