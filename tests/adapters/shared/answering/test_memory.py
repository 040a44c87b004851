"""Parsing memories of every form: turns, facts, notes, bullets, headings, source refs."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.shared.answering.memory import Line, read_memory
from bench.agents import render_experience

MAY, JUNE = date(2023, 5, 8), date(2023, 6, 1)


def only(text: str) -> Line:
    (line,) = read_memory(text).lines
    return line


@pytest.mark.parametrize(
    ("raw", "text", "said_on", "speaker"),
    [
        ("[8 May, 2023] Zoë: I moved to Oslo.", "I moved to Oslo.", MAY, "Zoë"),
        ("Zoë: I moved to Oslo.", "I moved to Oslo.", None, "Zoë"),
        ("[8 May, 2023] Zoë moved to Oslo.", "Zoë moved to Oslo.", MAY, ""),
        ("- [8 May, 2023] Zoë moved to Oslo.", "Zoë moved to Oslo.", MAY, ""),
        ("  3. Zoë moved to Oslo.", "Zoë moved to Oslo.", None, ""),
        ("* (8 May, 2023) Zoë moved to Oslo. [D1:3]", "Zoë moved to Oslo.", MAY, ""),
        ("Zoë moved to Oslo. (D1:3, D2:11)", "Zoë moved to Oslo.", None, ""),
        ("Zoë moved to Oslo. (source: D1:3)", "Zoë moved to Oslo.", None, ""),
        ("[D1:3] [8 May, 2023] Zoë: Hi.", "Hi.", MAY, "Zoë"),
        ("[12] Zoë moved to Oslo.", "Zoë moved to Oslo.", None, ""),
        ("8 May 2023: Zoë moved to Oslo.", "Zoë moved to Oslo.", MAY, ""),
        ("2023-05-08 | Zoë moved to Oslo.", "Zoë moved to Oslo.", MAY, ""),
        ("[2023/05/08 (Mon) 23:40] User: I moved.", "I moved.", MAY, "User"),
        ("Content: Zoë moved to Oslo.", "Zoë moved to Oslo.", None, ""),
        ("we said: nothing", "we said: nothing", None, ""),
        ("[a cello] is what he has", "[a cello] is what he has", None, ""),
    ],
)
def test_read_memory_parses_text_date_and_speaker(raw: str, text: str, said_on: date | None, speaker: str) -> None:
    line = only(raw)
    assert (line.text, line.said_on, line.speaker) == (text, said_on, speaker)


def test_read_memory_splits_line_into_sentences_and_asides() -> None:
    line = only("Zoë: I moved. Did you hear? [shares a photo of a cello]")
    assert [piece.text for piece in line.pieces] == ["I moved.", "Did you hear?", "a photo of a cello"]
    assert [piece.asks for piece in line.pieces] == [False, True, False]
    assert [piece.is_aside for piece in line.pieces] == [False, False, True]
    assert line.asks == {"hear"}
    assert {"move", "cello", "share"} <= line.stems


def test_read_memory_keeps_item_numbers_and_titles_in_sentences() -> None:
    line = only("Assistant: Ask Mrs. Moon. 1. Wordly: games. 12. Frisk in 2023. So it is.")
    assert [piece.text for piece in line.pieces] == [
        *("Ask Mrs. Moon.", "1. Wordly: games.", "12. Frisk in 2023.", "So it is.")
    ]


def test_read_memory_adds_note_as_hints() -> None:
    line = only("Zoë: I sang.\nNote: a concert | Keywords: choir, hall | Tags: music")
    assert line.text == "I sang."
    assert {"concert", "choir", "hall", "music"} <= line.hints
    assert only("Note: Zoë sang.").text == "Zoë sang."


@pytest.mark.parametrize(
    "text",
    [
        "Zoë adopted a hedgehog.\nkeywords: pets, animals\ntags: home",
        "Zoë adopted a hedgehog. | tags: pets, animals, home",
        "Zoë adopted a hedgehog. (keywords: pets, animals, home)",
        "# Pets, animals, home\nZoë adopted a hedgehog.",
    ],
)
def test_read_memory_adds_keywords_and_headings_as_hints(text: str) -> None:
    line = only(text)
    assert line.text == "Zoë adopted a hedgehog."
    assert {"pet", "anim", "home"} <= line.hints
    assert not line.hints & line.stems


def test_read_memory_dates_lines_by_heading_or_label() -> None:
    memory = read_memory("## 8 May, 2023\n- Zoë moved.\n- Łukasz stayed.\n## 1 June, 2023\nZoë sang.\n")
    assert [line.said_on for line in memory.lines] == [MAY, MAY, JUNE]
    memory = read_memory("time: 8 May, 2023\ncontent: Zoë moved.\ntime: 1 June, 2023\ncontent: Zoë sang.")
    assert [line.said_on for line in memory.lines] == [MAY, JUNE]
    assert only("content: Zoë moved.\ntimestamp: 2023-05-08 10:00").said_on == MAY


def test_read_memory_keeps_speaker_until_next_heading() -> None:
    memory = read_memory("[8 May, 2023] Zoë: Two things:\n- a cello\n- a hedgehog\n# Facts\n- Łukasz stayed.")
    assert [(line.speaker, line.said_on) for line in memory.lines] == [("Zoë", MAY)] * 3 + [("", None)]


def test_owner_is_the_name_a_fact_begins_with() -> None:
    memory = read_memory(
        "Zoë has a cello. However, it is old. She loves it.\nZoë sings.\nŁukasz swims.\nŁukasz's dog barks.\n"
        "However, it rains.\nPainting is fun. Painting helps.\nHe likes painting."
    )
    assert {"zoë", "łukasz"} <= memory.people
    assert "painting" not in memory.people
    first = memory.lines[0]
    assert memory.owner(first, 2) == "zoë"
    assert memory.owner(memory.lines[-1], 0) == ""
    conversation = read_memory("Zoë: Łukasz sings.")
    assert conversation.owner(conversation.lines[0], 0) == "zoë"


def test_weight_is_higher_for_rare_words() -> None:
    memory = read_memory("a cello\na cello\na hedgehog")
    assert memory.weight("hedgehog") > memory.weight("cello")
    assert memory.weight("surf") > memory.weight("hedgehog")
    assert memory.lines_with["cello"] == (0, 1)


LINES = st.lists(
    st.text(st.characters(codec="utf-8"), max_size=40)
    | st.sampled_from(("# May", "tags: a", "- x", "[8 May, 2023] Zoë: hi", "time: 8 May, 2023", "Zoë sang (D1:1)")),
    max_size=8,
)


@given(LINES)
def test_read_memory_accepts_any_text_and_indexes_every_line(lines: list[str]) -> None:
    memory = read_memory("\n".join(lines))
    for number, line in enumerate(memory.lines):
        assert all(number in memory.lines_with[word] for word in line.stems)
        assert all(memory.owner(line, place) == memory.owner(line, place) for place in range(len(line.pieces)))
    assert "" not in memory.people


@pytest.mark.parametrize("label", ["talk start time", "Date", "said at time", "Timestamp"])
def test_read_memory_takes_any_label_of_a_time(label: str) -> None:
    assert [line.said_on for line in read_memory(f"{label}: 8 May, 2023\nZoë moved to Oslo.").lines] == [MAY]


def test_read_memory_leaves_out_other_conversations() -> None:
    text = render_experience(["Zoë: I moved to Rome.", "Ask for dates."], "Zoë: I moved to Oslo.")
    assert [line.text for line in read_memory(text).lines] == ["I moved to Oslo."]
