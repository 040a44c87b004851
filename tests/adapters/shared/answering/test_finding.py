"""Finding sentences: rare keywords, neighbouring lines, speaker and day decide the order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.shared.answering.finding import Match, find_matches, pick_sources
from adapters.shared.answering.memory import MemoryText, read_memory
from adapters.shared.answering.question import parse_question

CONVERSATION = """[8 May, 2023] Zoë: Hi Łukasz! I adopted a hedgehog yesterday.
[8 May, 2023] Łukasz: Lovely! What does your hedgehog eat?
[8 May, 2023] Zoë: Mostly beetles.
[1 June, 2023] Łukasz: I feed my tortoise lettuce. It eats all day.
[1 June, 2023] Zoë: We swam in a lake."""


def search(memory: MemoryText, question: str) -> list[Match]:
    return find_matches(memory, parse_question(question, memory.people))


def best(text: str, question: str) -> str:
    memory = read_memory(text)
    first = search(memory, question)[0]
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
def test_find_ranks_supporting_sentence_first(question: str, want: str) -> None:
    assert best(CONVERSATION, question) == want


def test_find_prefers_lines_of_the_named_person() -> None:
    text = "Zoë: I play a cello.\nŁukasz: I play a cello."
    assert [read_memory(text).owner(read_memory(text).lines[at], 0) for at in (0, 1)] == ["zoë", "łukasz"]
    memory = read_memory(text)
    for name, line in (("Zoë", 0), ("Łukasz", 1)):
        assert search(memory, f"What does {name} play, a cello?")[0].line == line


def test_find_prefers_lines_of_the_asked_days() -> None:
    memory = read_memory("[8 May, 2023] Zoë: I sang a song.\n[1 July, 2023] Zoë: I sang a song.")
    assert search(memory, "What did Zoë sing in May 2023?")[0].line == 0
    assert search(memory, "What did Zoë sing in July 2023?")[0].line == 1


def test_find_prefers_lines_of_a_month_without_year() -> None:
    memory = read_memory("[8 May, 2023] Zoë: I sang a song.\n[1 July, 2023] Zoë: I sang a song.\nZoë: I sang a song.")
    assert search(memory, "When did Zoë sing in May?")[0].line == 0
    assert search(memory, "When did Zoë sing in June?")[0].line == 1


def test_find_uses_keyword_lines() -> None:
    memory = read_memory("Zoë has Truffle.\ntags: pets\nZoë has a boat.\ntags: sea")
    assert search(memory, "Which pets has she?")[0].line == 0


def test_find_prefers_sentences_of_the_asked_kind() -> None:
    memory = read_memory("Zoë played cello badly.\nZoë played cello for 3 years.")
    parsed = parse_question("How long has Zoë played cello?", memory.people)
    assert find_matches(memory, parsed, lambda piece: "years" in piece.text)[0].line == 1


def test_find_returns_nothing_without_shared_keywords() -> None:
    assert search(read_memory(CONVERSATION), "Which violin?") == []
    assert search(read_memory(""), "Which violin?") == []
    assert search(read_memory(CONVERSATION), "who?") == []


def test_pick_sources_returns_best_lines_with_support() -> None:
    memory = read_memory(CONVERSATION)
    parsed = parse_question("What does Zoë's hedgehog eat?", memory.people)
    matches = find_matches(memory, parsed)
    assert [source.line.text for source in pick_sources(memory, parsed, matches, 1)] == ["Mostly beetles."]
    three = pick_sources(memory, parsed, matches, 3)
    assert three[0].support == 1.0
    assert sorted(source.support for source in three) == [source.support for source in reversed(three)]
    assert all(len(source.piece_support) == len(source.line.pieces) for source in three)
    assert pick_sources(memory, parsed, [], 3) == []


WORDS = st.sampled_from(("cello", "hedgehog", "lake", "sang", "Zoë", "of", "?", "."))
SENTENCES = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)


@given(st.lists(SENTENCES, max_size=6), SENTENCES)
def test_find_orders_by_points_and_bounds_share(lines: list[str], question: str) -> None:
    memory = read_memory("\n".join(f"Zoë: {line}" for line in lines))
    matches = search(memory, question)
    assert all(0.0 < one.share <= 1.0 + 1e-9 for one in matches)
    assert [one.points for one in matches] == sorted((one.points for one in matches), reverse=True)


@given(st.permutations(["I sang in a choir.", "I swam in a lake.", "I adopted a hedgehog."]))
def test_find_ignores_order_of_unrelated_lines(lines: list[str]) -> None:
    text = "\n".join(f"[{day} May, 2023] Zoë: {line}" for day, line in enumerate(lines, start=1))
    assert best(text, "Where did Zoë swim?") == "I swam in a lake."
