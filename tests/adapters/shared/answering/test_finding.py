"""Finding: the line that shares rare words wins, its neighbours help, and another's mouth or day counts for less."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.shared.answering.asking import ask
from adapters.shared.answering.finding import Find, find, sources
from adapters.shared.answering.memory import MemoryText, read_memory

TALK = """[8 May, 2023] Zoë: Hi Łukasz! I adopted a hedgehog yesterday.
[8 May, 2023] Łukasz: Lovely! What does your hedgehog eat?
[8 May, 2023] Zoë: Mostly beetles.
[1 June, 2023] Łukasz: I feed my tortoise lettuce. It eats all day.
[1 June, 2023] Zoë: We swam in a lake."""


def found(memory: MemoryText, question: str) -> list[Find]:
    return find(memory, ask(question, memory.people))


def best(text: str, question: str) -> str:
    memory = read_memory(text)
    first = found(memory, question)[0]
    return memory.lines[first.line].pieces[first.piece].text


@pytest.mark.parametrize(
    ("question", "want"),
    [
        ("When did Zoë adopt a hedgehog?", "I adopted a hedgehog yesterday."),
        ("What does Zoë's hedgehog eat?", "Mostly beetles."),
        ("What does Łukasz feed his tortoise?", "I feed my tortoise lettuce."),
        ("Where did Zoë swim?", "We swam in a lake."),
    ],
)
def test_the_sentence_that_supports_an_answer_comes_first(question: str, want: str) -> None:
    assert best(TALK, question) == want


def test_what_the_named_one_said_comes_first() -> None:
    text = "Zoë: I play a cello.\nŁukasz: I play a cello."
    assert [read_memory(text).owner(read_memory(text).lines[at], 0) for at in (0, 1)] == ["zoë", "łukasz"]
    memory = read_memory(text)
    for name, line in (("Zoë", 0), ("Łukasz", 1)):
        assert found(memory, f"What does {name} play, a cello?")[0].line == line


def test_what_was_told_on_the_days_asked_for_comes_first() -> None:
    memory = read_memory("[8 May, 2023] Zoë: I sang a song.\n[1 July, 2023] Zoë: I sang a song.")
    assert found(memory, "What did Zoë sing in May 2023?")[0].line == 0
    assert found(memory, "What did Zoë sing in July 2023?")[0].line == 1


def test_a_month_without_a_year_is_heeded_too() -> None:
    memory = read_memory("[8 May, 2023] Zoë: I sang a song.\n[1 July, 2023] Zoë: I sang a song.\nZoë: I sang a song.")
    assert found(memory, "When did Zoë sing in May?")[0].line == 0
    assert found(memory, "When did Zoë sing in June?")[0].line == 1


def test_keywords_beside_a_line_help_to_find_it() -> None:
    memory = read_memory("Zoë has Truffle.\ntags: pets\nZoë has a boat.\ntags: sea")
    assert found(memory, "Which pets has she?")[0].line == 0


def test_the_kind_that_is_asked_for_breaks_a_tie() -> None:
    memory = read_memory("Zoë played cello badly.\nZoë played cello for 3 years.")
    asked = ask("How long has Zoë played cello?", memory.people)
    assert find(memory, asked, lambda piece: "years" in piece.text)[0].line == 1


def test_nothing_is_found_where_no_word_stands() -> None:
    assert found(read_memory(TALK), "Which violin?") == []
    assert found(read_memory(""), "Which violin?") == []
    assert found(read_memory(TALK), "who?") == []


def test_sources_are_the_best_lines_with_their_support() -> None:
    memory = read_memory(TALK)
    asked = ask("What does Zoë's hedgehog eat?", memory.people)
    finds = find(memory, asked)
    assert [source.line.text for source in sources(memory, asked, finds, 1)] == ["Mostly beetles."]
    three = sources(memory, asked, finds, 3)
    assert three[0].support == 1.0
    assert sorted(source.support for source in three) == [source.support for source in reversed(three)]
    assert all(len(source.piece_support) == len(source.line.pieces) for source in three)
    assert sources(memory, asked, [], 3) == []


WORDS = st.sampled_from(("cello", "hedgehog", "lake", "sang", "Zoë", "of", "?", "."))
SENTENCES = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)


@given(st.lists(SENTENCES, max_size=6), SENTENCES)
def test_support_is_a_share_and_order_is_by_points(lines: list[str], question: str) -> None:
    memory = read_memory("\n".join(f"Zoë: {line}" for line in lines))
    finds = found(memory, question)
    assert all(0.0 < one.share <= 1.0 + 1e-9 for one in finds)
    assert [one.points for one in finds] == sorted((one.points for one in finds), reverse=True)


@given(st.permutations(["I sang in a choir.", "I swam in a lake.", "I adopted a hedgehog."]))
def test_the_order_of_lines_that_have_nothing_in_common_does_not_matter(lines: list[str]) -> None:
    text = "\n".join(f"[{day} May, 2023] Zoë: {line}" for day, line in enumerate(lines, start=1))
    assert best(text, "Where did Zoë swim?") == "I swam in a lake."
